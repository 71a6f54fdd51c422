import type { ConversationView } from '../../../protocol/conversation';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { RowKind } from '../../transcript/rowFlags';
import { type RowTable } from '../../transcript/rowTable';
import { rowAtLine } from '../../transcript/transcriptRows';
import { BitSet, Column } from '../../util/columns';
import { findBranches, type FoundBranch } from '../branches';
import { chainAncestors, type Ancestors, ancestorsOf } from './ancestors';
import { ItemBuilder, ItemKind } from './itemBuilder';
import { ResultPairing, ResultPairs } from './resultPairs';
import { isSubagentOfFile } from './sidechains';

const NO_ROWS = new Int32Array(0);

/** The items of a view as numbers; their content is read on demand. Keeps no reference to the index. */
export interface ConversationOrder {
  readonly count: number;
  readonly kinds: Uint8Array;
  /** For a row, its number in the table; for anything else, its line. */
  readonly values: Int32Array;
  readonly pairs: ResultPairs;
  readonly branches: ReadonlyMap<number, readonly FoundBranch[]>;
  /** Row → its item, or that of the call with which it is displayed; -1 or undefined if it is not in the view. */
  readonly itemOfRow: Int32Array;
}

/**
 * The order of the items in a view. Pure. Rows can be appended to the orders of the chain and of the file.
 * @param loose  rows of subagents that are shown at their place in the file, because their calls are unknown
 */
export function conversationOrder(
  loaded: LoadedTranscript,
  view: ConversationView,
  loose: Int32Array = NO_ROWS,
): GrowingOrder {
  switch (view.kind) {
    case 'file':
      return fileOrder(loaded);
    case 'chain':
      return lineageOrder(loaded, chainAncestors(loaded), loose);
    case 'branch': {
      const leaf = chainRowAt(loaded.index.rows, view.leafLine);
      return lineageOrder(loaded, ancestorsOf(loaded, leaf), NO_ROWS);
    }
  }
}

function chainRowAt(rows: RowTable, line: number): number {
  const row = rowAtLine(rows, line);
  return row !== NO_ID && rows.kind(row) !== RowKind.other ? row : NO_ID;
}

function lineageOrder(loaded: LoadedTranscript, { rows: lineage, breaks }: Ancestors, loose: Int32Array): GrowingOrder {
  const { rows, keyCount } = loaded.index;
  const beside = loose.length === 0 ? loose : outside(loaded, lineage, loose);
  const shown = beside.length === 0 ? lineage : joined(lineage, beside);
  const pairing = new ResultPairing(rows, keyCount, shown);
  const { pairs } = pairing;
  const alone = beside.filter((row) => pairs.callOf(row) === NO_ID);
  const extras = isSubagentOfFile(loaded, lineage) ? NO_EXTRAS : extraItems(loaded, lineage, alone);
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
  return new GrowingOrder({ items: builder, pairing, branches: findBranches(loaded, lineage) });
}

/** The rows that are neither in the view nor replaced by a later row. */
function outside({ index, view }: LoadedTranscript, lineage: Int32Array, some: Int32Array): Int32Array {
  const inView = new BitSet(index.rows.count);
  for (const row of lineage) inView.add(row);
  return some.filter((row) => {
    const uuid = index.rows.uuid(row);
    return !inView.has(row) && (uuid === NO_ID || view.rowOf(uuid) === row);
  });
}

function joined(one: Int32Array, other: Int32Array): Int32Array {
  const both = new Int32Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function fileOrder(loaded: LoadedTranscript): GrowingOrder {
  const { rows } = loaded.index;
  const all = new Int32Array(rows.count);
  for (let row = 0; row < rows.count; row++) all[row] = row;
  const extras = extraItems(loaded, all, NO_ROWS);
  const builder = new ItemBuilder(rows.count);
  extras.addTo(builder, NO_ID);
  for (const row of all) {
    builder.addRow(row);
    extras.addTo(builder, row);
  }
  return new GrowingOrder({ items: builder, pairing: null, branches: new Map() });
}

export interface GrowingOrderDeps {
  readonly items: ItemBuilder;
  /** Null if results are items of their own. */
  readonly pairing: ResultPairing | null;
  readonly branches: ReadonlyMap<number, readonly FoundBranch[]>;
}

/** An order that rows can be appended to. Existing items do not change. */
export class GrowingOrder implements ConversationOrder {
  readonly pairs: ResultPairs;
  readonly branches: ReadonlyMap<number, readonly FoundBranch[]>;
  readonly #items: ItemBuilder;
  readonly #pairing: ResultPairing | null;
  #kinds: Uint8Array;
  #values: Int32Array;

  constructor({ items, pairing, branches }: GrowingOrderDeps) {
    this.#items = items;
    this.#pairing = pairing;
    this.pairs = pairing?.pairs ?? new ResultPairs(0);
    this.branches = branches;
    this.#kinds = items.kinds;
    this.#values = items.values;
  }

  get count(): number {
    return this.#items.count;
  }

  get kinds(): Uint8Array {
    return this.#kinds;
  }

  get values(): Int32Array {
    return this.#values;
  }

  get itemOfRow(): Int32Array {
    return this.#items.itemOfRow;
  }

  /**
   * Appends the rows of the table from `from` on. Each must continue the one before it and refer to nothing
   * earlier but calls. Returns false if existing items would change; this object is invalid then.
   */
  append(rows: RowTable, from: number, keyCount: number): boolean {
    this.#items.extend(rows.count);
    this.#pairing?.extend(rows.count, keyCount);
    for (let row = from; row < rows.count; row++) {
      if (this.#pairing?.append(rows, row) === false) return false;
      this.#add(row);
    }
    this.#kinds = this.#items.kinds;
    this.#values = this.#items.values;
    return true;
  }

  #add(row: number): void {
    const call = this.pairs.callOf(row);
    if (call === NO_ID) this.#items.addRow(row);
    else this.#items.addTo(this.itemOfRow[call] ?? NO_ID, row);
  }
}

/** Items beside the rows of a view, by the row that they follow; `NO_ID` for those before all rows. */
export interface ExtraItems {
  addTo(builder: ItemBuilder, behind: number): void;
}

/** Extras of one kind in the order of the file. */
interface Source {
  readonly kind: ItemKind;
  readonly values: ArrayLike<number>;
  lineOf(value: number): number;
}

const NO_EXTRAS: ExtraItems = { addTo: () => undefined };

const FAULT_KINDS = ['torn', 'glued', 'nul', 'bom'] as const;

/**
 * What is between the rows of a view in the file without being part of the conversation: faulty lines, rows of
 * unknown types, rows of other types that carry a uuid, and `loose` rows. In the order of the file, at some bytes each:
 * every line of a file may be one.
 */
function extraItems(loaded: LoadedTranscript, view: Int32Array, loose: Int32Array): ExtraItems {
  const { rows } = loaded.index;
  const sources = sourcesOf(loaded, view, loose);
  if (sources.every(({ values }) => values.length === 0)) return NO_EXTRAS;
  const inFile = view.slice().sort();
  const [kinds, values] = [Column.uint32(), Column.uint32()];
  /** Row → its first extra, and the end of its extras. */
  const spans = new Map<number, { readonly from: number; to: number }>();
  let at = 0;
  forEachInFile(sources, (kind, value, line) => {
    while (at < inFile.length && rows.line(inFile[at] ?? 0) < line) at++;
    const behind = at === 0 ? NO_ID : (inFile[at - 1] ?? NO_ID);
    kinds.push(kind);
    values.push(value);
    const span = spans.get(behind);
    if (span === undefined) spans.set(behind, { from: values.length - 1, to: values.length });
    else span.to = values.length;
  });
  return {
    addTo(builder, row) {
      const span = spans.get(row);
      if (span === undefined) return;
      for (let extra = span.from; extra < span.to; extra++) {
        // SAFETY: the column contains only kinds.
        const kind = kinds.get(extra) as ItemKind;
        if (kind === ItemKind.row) builder.addRow(values.get(extra));
        else builder.add(kind, values.get(extra));
      }
    },
  };
}

/** If a line has several, the one from the earlier source comes first. */
function forEachInFile(sources: readonly Source[], take: (kind: ItemKind, value: number, line: number) => void): void {
  const next = sources.map(() => 0);
  const lineOf = (source: Source, at: number): number =>
    at < source.values.length ? source.lineOf(source.values[at] ?? 0) : Infinity;
  for (;;) {
    let first = 0;
    let line = Infinity;
    for (const [number, source] of sources.entries()) {
      const its = lineOf(source, next[number] ?? 0);
      if (its < line) [first, line] = [number, its];
    }
    const source = sources[first];
    if (line === Infinity || source === undefined) return;
    const at = next[first] ?? 0;
    next[first] = at + 1;
    take(source.kind, source.values[at] ?? 0, line);
  }
}

function sourcesOf({ index }: LoadedTranscript, view: Int32Array, loose: Int32Array): readonly Source[] {
  const { rows, unknownTypes } = index;
  const others = Column.int32();
  for (let row = 0; row < rows.count; row++) if (rows.kind(row) === RowKind.other) others.push(row);
  const otherRows = others.toArray();
  const lineOfRow = (row: number): number => rows.line(row);
  const lineItself = (line: number): number => line;
  return [
    { kind: ItemKind.fault, values: faultsToShow(index), lineOf: lineItself },
    // The view of the whole file contains all rows.
    { kind: ItemKind.row, values: view.length === rows.count ? [] : otherRows, lineOf: lineOfRow },
    { kind: ItemKind.unknown, values: unknownLines(unknownTypes, rows, otherRows), lineOf: lineItself },
    { kind: ItemKind.row, values: loose, lineOf: lineOfRow },
  ];
}

/** Lines with rows of unknown types that are not stored. */
function unknownLines(
  unknownTypes: LoadedTranscript['index']['unknownTypes'],
  rows: RowTable,
  otherRows: Int32Array,
): Float64Array {
  let count = 0;
  for (const { lines } of unknownTypes.values()) count += lines.length;
  const all = new Float64Array(count);
  let length = 0;
  for (const { lines } of unknownTypes.values()) for (const line of lines) all[length++] = line;
  all.sort();
  let other = 0;
  let kept = 0;
  let before = 0;
  for (const line of all) {
    while (other < otherRows.length && rows.line(otherRows[other] ?? 0) < line) other++;
    const isStored = other < otherRows.length && rows.line(otherRows[other] ?? 0) === line;
    if (!isStored && line !== before) all[kept++] = line;
    before = line;
  }
  return all.subarray(0, kept);
}

/** Consecutive faulty lines without rows are one item, because a file may consist of them. */
function faultsToShow({ rows, lineFaults, longLines }: LoadedTranscript['index']): Float64Array {
  const lines = new Set<number>();
  if (lineFaults.isEmpty && longLines.length === 0) return new Float64Array(0);
  for (const kind of FAULT_KINDS) for (const fault of lineFaults.ofKind(kind)) lines.add(fault.line);
  for (const { line, isKnown } of longLines) if (!isKnown) lines.add(line);
  const shown = [...lines].filter((line) => !lines.has(line - 1) || hasRow(rows, line) || hasRow(rows, line - 1));
  return Float64Array.from(shown).sort();
}

function hasRow(rows: RowTable, line: number): boolean {
  return rowAtLine(rows, line) !== NO_ID;
}
