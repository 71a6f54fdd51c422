import type { ConversationView } from '../../../shared/conversation';
import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { RowKind } from '../../scan/rowFlags';
import type { RowTable } from '../../scan/rowTable';
import { findBranches, type FoundBranch } from './branchTable';
import { extraItems } from './extraItems';
import { ItemBuilder, ItemKind } from './itemBuilder';
import { chainLineage, lineageOf, type Lineage } from './lineage';
import { rowAtLine } from './rowAtLine';
import { GrowingOrder } from './growingOrder';
import { ResultPairing } from './resultPairing';
import type { ResultPairs } from './resultPairs';

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

/** What is shown in a view, in its order. Pure. Rows can be appended to the order of the chain, and of the file. */
export function conversationOrder(examination: Examination, view: ConversationView): GrowingOrder {
  switch (view.kind) {
    case 'file':
      return fileOrder(examination);
    case 'chain':
      return lineageOrder(examination, chainLineage(examination));
    case 'branch':
      return lineageOrder(examination, lineageOf(examination, chainRowAt(examination.facts.rows, view.leafLine)));
  }
}

function chainRowAt(rows: RowTable, line: number): number {
  const row = rowAtLine(rows, line);
  return row !== NO_ID && rows.kind(row) !== RowKind.other ? row : NO_ID;
}

function lineageOrder(examination: Examination, { rows: lineage, breaks }: Lineage): GrowingOrder {
  const { rows, keyCount } = examination.facts;
  const pairing = new ResultPairing(rows, keyCount, lineage);
  const { pairs } = pairing;
  const extras = extraItems(examination, lineage);
  const builder = new ItemBuilder(rows.count);
  extras.addTo(builder, NO_ID);
  for (const row of lineage) {
    const isHealed = breaks.get(row);
    if (isHealed !== undefined) builder.add(isHealed ? ItemKind.healedBreak : ItemKind.break, rows.line(row));
    if (pairs.callOf(row) === NO_ID) builder.addRow(row);
    extras.addTo(builder, row);
  }
  for (const row of lineage) {
    const call = pairs.callOf(row);
    if (call !== NO_ID) builder.addTo(builder.itemOfRow[call] ?? NO_ID, row);
  }
  return new GrowingOrder({ items: builder, pairing, branches: findBranches(examination, lineage) });
}

function fileOrder(examination: Examination): GrowingOrder {
  const { rows } = examination.facts;
  const all = new Int32Array(rows.count);
  for (let row = 0; row < rows.count; row++) all[row] = row;
  const extras = extraItems(examination, all);
  const builder = new ItemBuilder(rows.count);
  extras.addTo(builder, NO_ID);
  for (const row of all) {
    builder.addRow(row);
    extras.addTo(builder, row);
  }
  return new GrowingOrder({ items: builder, pairing: null, branches: new Map() });
}
