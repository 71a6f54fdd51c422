import { USAGE_COUNTS } from '../../rooms/format';
import {
  type ByteRows,
  NO_ID,
  ParentForm,
  type Preserved,
  RowFlag,
  RowKind,
  type TranscriptIndex,
  type UsageTable,
} from '../../rooms/transcript';

export interface DumpedRow {
  readonly line: number;
  readonly kind: string;
  readonly flags: readonly string[];
  readonly parentForm: string;
  readonly uuid: string | null;
  readonly parent: string | null;
  readonly timestamp: number;
  readonly message: number | null;
  /** The first row with the same bytes. */
  readonly sameAs: number;
  readonly offset: number;
  /** Bytes. */
  readonly toolUses: readonly number[];
  readonly toolResults: readonly number[];
  readonly contextTokens: number;
  readonly model: string | null;
  readonly uncounted: { readonly characters: number; readonly media: number };
}

export type DumpedFacts = ReturnType<typeof dumpFacts>;

const FLAGS = Object.entries(RowFlag);
const ALL_FLAGS = FLAGS.reduce((all, [, flag]) => all | flag, 0);
/** The low bits hold the row's kind and the form of its parent. */
const KIND_AND_PARENT = 0b11111;
const FAULT_KINDS = ['torn', 'glued', 'nul', 'bom', 'spread'] as const;

/**
 * The index as plain data, for comparison: all that later stages read. How a scanner numbers its ids and keys, and how
 * it hashes, is up to the scanner: ids are given as text, keys and hashes by the position of their first use.
 */
export function dumpFacts(index: TranscriptIndex) {
  const { ids } = index;
  const keys = new Numbering();
  const hashes = new Map<number, number>();
  return {
    rows: listRows(index).map((row) => dumpRow(index, row, keys, hashes)),
    lastPrompt: index.lastPrompt === null ? null : { ...index.lastPrompt, leaf: ids.text(index.lastPrompt.leaf) },
    boundaries: index.boundaries.map(({ row, preserved }) => ({ row, preserved: dumpPreserved(index, preserved) })),
    lineFaults: FAULT_KINDS.flatMap((kind) => [...index.lineFaults.ofKind(kind)]),
    faultCounts: FAULT_KINDS.map((kind) => index.lineFaults.count(kind)),
    longLines: index.longLines,
    unknownTypes: [...index.unknownTypes.values()],
    toolSources: [...index.toolSources].map(([row, id]) => [row, ids.text(id)]),
    refusals: [...index.refusals],
    counted: index.rows.counted,
    mostTokens: index.rows.mostTokens,
    messages: index.rows.messages,
    countedOnMain: index.rows.countedOnMain,
    firstOwnMs: index.rows.firstOwnMs,
    hookCalls: [...index.hookCalls].map(([row, key]) => [row, keys.of(key)]),
    titles: index.titles,
    latest: index.latest,
    parentSessionId: index.parentSessionId,
    ids: listIds(index),
    usage: index.usage === null ? null : dumpUsage(index.usage, keys),
    hasKeyOutOfRange: keys.highest >= index.keyCount,
    lineCount: index.lineCount,
    fileSize: index.fileSize,
    hasRow: index.hasRow,
    hasUnreadRow: index.hasUnreadRow,
    lacksHashes: index.lacksHashes,
  };
}

export function listRows(index: TranscriptIndex): number[] {
  return Array.from({ length: index.rows.count }, (_, row) => row);
}

function dumpUsage(usage: UsageTable, keys: Numbering) {
  return Array.from({ length: usage.count }, (_, entry) => ({
    row: usage.row(entry),
    message: keys.of(usage.message(entry)),
    model: usage.model(entry),
    counts: USAGE_COUNTS.map((count) => usage.get(entry, count)),
  }));
}

/** Every id that was added to the table. A uuid that is in none of the rows is free for a repair. */
function listIds({ ids }: TranscriptIndex): string[] {
  const uuids = Array.from({ length: ids.uuidCount }, (_, id) => ids.text(id) ?? `no text for ${id}`);
  const others = Array.from({ length: ids.oddCount }, (_, at) => ids.text(-2 - at) ?? `no text for ${-2 - at}`);
  for (const id of [...uuids, ...others]) if (!ids.has(id)) uuids.push(`not found: ${id}`);
  return [...uuids.sort(), ...others.sort()];
}

function dumpRow(index: TranscriptIndex, row: number, keys: Numbering, hashes: Map<number, number>): DumpedRow {
  const { ids, rows } = index;
  const sameAs = hashes.get(rows.hash(row)) ?? row;
  hashes.set(rows.hash(row), sameAs);
  return {
    line: rows.line(row),
    kind: nameOf(RowKind, rows.kind(row)),
    flags: flagNames(rows.flags(row)),
    parentForm: nameOf(ParentForm, rows.parentForm(row)),
    uuid: ids.text(rows.uuid(row)),
    parent: ids.text(rows.parent(row)),
    timestamp: rows.timestamp(row),
    message: keys.of(rows.message(row)),
    sameAs,
    offset: rows.offset(row),
    toolUses: rows.toolUses(row).map((key) => keys.of(key) ?? NO_ID),
    toolResults: rows.toolResults(row).map((key) => keys.of(key) ?? NO_ID),
    contextTokens: rows.contextTokens(row),
    model: rows.model(row),
    uncounted: index.uncounted?.weightOf(row) ?? { characters: 0, media: 0 },
  };
}

function flagNames(flags: number): string[] {
  const names = FLAGS.flatMap(([name, flag]) => ((flags & flag) !== 0 ? [name] : []));
  const unnamed = flags & ~ALL_FLAGS & ~KIND_AND_PARENT;
  return unnamed === 0 ? names : [...names, `unnamed bits ${unnamed}`];
}

function dumpPreserved({ ids }: TranscriptIndex, preserved: Preserved): unknown {
  switch (preserved.kind) {
    case 'none':
      return { kind: 'none' };
    case 'list':
      return { kind: 'list', anchor: ids.text(preserved.anchor), ids: preserved.ids.map((id) => ids.text(id)) };
    case 'segment': {
      const [anchor, head, tail] = [preserved.anchor, preserved.head, preserved.tail].map((id) => ids.text(id));
      return { kind: 'segment', anchor, head, tail };
    }
  }
}

class Numbering {
  readonly #numbers = new Map<number, number>();
  highest = NO_ID;

  of(key: number): number | null {
    if (key === NO_ID) return null;
    const known = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, known);
    this.highest = Math.max(this.highest, key);
    return known;
  }
}

function nameOf(values: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(values).find((name) => values[name] === value) ?? `none (${value})`;
}

/** What the client's reader for large files sees, as plain data. */
export function dumpByteRows(rows: ByteRows | null) {
  if (rows === null) return null;
  const flags = Array.from({ length: 17 }, (_, bit) => 1 << bit);
  return Array.from({ length: rows.count }, (_, at) => [
    rows.lineOf(at),
    flags.filter((flag) => rows.has(at, flag)),
    rows.ids.text(rows.uuid(at)),
    rows.ids.text(rows.named(at)),
    rows.listOf(at)?.ids.map((id) => rows.ids.text(id)) ?? null,
    rows.ids.text(rows.listOf(at)?.anchor ?? NO_ID),
  ]);
}
