import type { ConversationView } from '../../../shared/conversation';
import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { RowKind } from '../../scan/rowFlags';
import type { RowTable } from '../../scan/rowTable';
import { BitSet } from '../../util/bitSet';
import { findBranches, type FoundBranch } from './branchTable';
import { extraItems, NO_EXTRAS } from './extraItems';
import { ItemBuilder, ItemKind } from './itemBuilder';
import { chainLineage, lineageOf, type Lineage } from './lineage';
import { rowAtLine } from './rowAtLine';
import { GrowingOrder } from './growingOrder';
import { ResultPairing } from './resultPairing';
import type { ResultPairs } from './resultPairs';
import { isSubagentOfFile } from './subagentLanes';

const NO_ROWS = new Int32Array(0);

/** The items of a view, by number; what they say is read when it is asked for. Does not hold on to the facts. */
export interface ConversationOrder {
  readonly count: number;
  readonly kinds: Uint8Array;
  /** Of a row: its number in the table. Of everything else: its line. */
  readonly values: Int32Array;
  readonly pairs: ResultPairs;
  readonly branches: ReadonlyMap<number, readonly FoundBranch[]>;
  /** Row → its item, or that of the call that it is shown with; -1, or nothing, when it is not in the view. */
  readonly itemOfRow: Int32Array;
}

/**
 * What is shown in a view, in its order. Pure. Rows can be appended to the order of the chain, and of the file.
 * @param loose  rows of subagents that stand in the file and are shown there, because their calls are not known
 */
export function conversationOrder(
  examination: Examination,
  view: ConversationView,
  loose: Int32Array = NO_ROWS,
): GrowingOrder {
  switch (view.kind) {
    case 'file':
      return fileOrder(examination);
    case 'chain':
      return lineageOrder(examination, chainLineage(examination), loose);
    case 'branch': {
      const leaf = chainRowAt(examination.facts.rows, view.leafLine);
      return lineageOrder(examination, lineageOf(examination, leaf), NO_ROWS);
    }
  }
}

function chainRowAt(rows: RowTable, line: number): number {
  const row = rowAtLine(rows, line);
  return row !== NO_ID && rows.kind(row) !== RowKind.other ? row : NO_ID;
}

function lineageOrder(examination: Examination, { rows: lineage, breaks }: Lineage, loose: Int32Array): GrowingOrder {
  const { rows, keyCount } = examination.facts;
  const beside = loose.length === 0 ? loose : outside(examination, lineage, loose);
  const shown = beside.length === 0 ? lineage : joined(lineage, beside);
  const pairing = new ResultPairing(rows, keyCount, shown);
  const { pairs } = pairing;
  const alone = beside.filter((row) => pairs.callOf(row) === NO_ID);
  const extras = isSubagentOfFile(examination, lineage) ? NO_EXTRAS : extraItems(examination, lineage, alone);
  const builder = new ItemBuilder(rows.count);
  extras.addTo(builder, NO_ID);
  for (const row of lineage) {
    const isHealed = breaks.get(row);
    if (isHealed !== undefined) builder.add(isHealed ? ItemKind.healedBreak : ItemKind.break, rows.line(row));
    if (pairs.callOf(row) === NO_ID) builder.addRow(row);
    extras.addTo(builder, row);
  }
  for (const row of shown) {
    const call = pairs.callOf(row);
    if (call !== NO_ID) builder.addTo(builder.itemOfRow[call] ?? NO_ID, row);
  }
  return new GrowingOrder({ items: builder, pairing, branches: findBranches(examination, lineage) });
}

/** Those of the rows that are not in the view, and that no later row took the place of. */
function outside({ facts, view }: Examination, lineage: Int32Array, some: Int32Array): Int32Array {
  const inView = new BitSet(facts.rows.count);
  for (const row of lineage) inView.add(row);
  return some.filter((row) => {
    const uuid = facts.rows.uuid(row);
    return !inView.has(row) && (uuid === NO_ID || view.rowOf(uuid) === row);
  });
}

function joined(one: Int32Array, other: Int32Array): Int32Array {
  const both = new Int32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function fileOrder(examination: Examination): GrowingOrder {
  const { rows } = examination.facts;
  const all = new Int32Array(rows.count);
  for (let row = 0; row < rows.count; row++) all[row] = row;
  const extras = extraItems(examination, all, NO_ROWS);
  const builder = new ItemBuilder(rows.count);
  extras.addTo(builder, NO_ID);
  for (const row of all) {
    builder.addRow(row);
    extras.addTo(builder, row);
  }
  return new GrowingOrder({ items: builder, pairing: null, branches: new Map() });
}
