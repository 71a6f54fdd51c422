import { type BitSet, CHUNK_BITS, CHUNK_LENGTH, CHUNK_MASK } from '../util/columns';
import { hasFlag, kindOf, type ParentForm, parentFormOf, RowFlag, type RowKind } from './rowFlags';

const TWO_POW_32 = 2 ** 32;
/** Bit of an entry in the tools column: the entry is a result. */
const IS_RESULT = 1;

/** The chunks of a column, as in `Column`: all but the last hold `CHUNK_LENGTH` numbers. */
type Chunks<T> = readonly T[];

/** What a table holds. The chunks may be longer than the table. */
export interface RowColumns {
  /** Number of rows. */
  readonly count: number;
  readonly line: Chunks<Uint32Array>;
  readonly flags: Chunks<Uint32Array>;
  readonly uuid: Chunks<Int32Array>;
  readonly parent: Chunks<Int32Array>;
  readonly timestamp: Chunks<Float64Array>;
  readonly message: Chunks<Int32Array>;
  readonly hash: Chunks<Uint32Array>;
  /** Low half of the offset. */
  readonly offset: Chunks<Uint32Array>;
  /** Index of the row's first entry in `tools`. */
  readonly toolStart: Chunks<Uint32Array>;
  /** Key of a call × 2, plus 1 if the entry is its result. */
  readonly tools: Chunks<Uint32Array>;
  readonly toolCount: number;
  /** For each change of the offsets' high half: the first row that has it, and the half. Empty for files below 4 GiB. */
  readonly highOffsets: readonly number[];
  readonly context: Chunks<Uint32Array>;
  /** Index in `models`, or -1. */
  readonly model: Chunks<Int32Array>;
  readonly models: readonly string[];
  // See the properties of `RowTable` with these names.
  readonly counted: number;
  readonly mostTokens: number;
  readonly messages: number;
  readonly countedOnMain: number;
  readonly firstOwnMs: number | null;
}

/**
 * The chain rows of a transcript (and rows of other types that carry a uuid) in file order, as columns. Most transcripts have but one
 * chunk of each column, which is read directly: the loader's loops are so short-lived that V8 spends more on compiling than on running them.
 */
export class RowTable {
  /** Number of rows. */
  readonly count: number;
  /** The first row of the newest message of the main chain that counts the tokens of the context, or -1. */
  readonly counted: number;
  /** The highest number of tokens in the context that any row counts. */
  readonly mostTokens: number;
  /** Number of user and assistant rows that the client sees. */
  readonly messages: number;
  /** Number of rows for which `isCountedOnMain` is true. */
  readonly countedOnMain: number;
  /** The earliest time of a user or assistant row that no fork has copied, in milliseconds since the epoch; null if there is none. */
  readonly firstOwnMs: number | null;
  /** All models that rows name. */
  readonly models: readonly string[];

  readonly #line: Uint32Array;
  readonly #flags: Uint32Array;
  readonly #uuid: Int32Array;
  readonly #parent: Int32Array;
  readonly #timestamp: Float64Array;
  readonly #message: Int32Array;
  readonly #hash: Uint32Array;
  readonly #toolStart: Uint32Array;
  readonly #tools: Uint32Array;
  readonly #columns: RowColumns;

  constructor(columns: RowColumns) {
    this.#columns = columns;
    this.count = columns.count;
    this.counted = columns.counted;
    this.mostTokens = columns.mostTokens;
    this.messages = columns.messages;
    this.countedOnMain = columns.countedOnMain;
    this.firstOwnMs = columns.firstOwnMs;
    this.models = columns.models;
    this.#line = columns.line[0] ?? new Uint32Array(0);
    this.#flags = columns.flags[0] ?? new Uint32Array(0);
    this.#uuid = columns.uuid[0] ?? new Int32Array(0);
    this.#parent = columns.parent[0] ?? new Int32Array(0);
    this.#timestamp = columns.timestamp[0] ?? new Float64Array(0);
    this.#message = columns.message[0] ?? new Int32Array(0);
    this.#hash = columns.hash[0] ?? new Uint32Array(0);
    this.#toolStart = columns.toolStart[0] ?? new Uint32Array(0);
    this.#tools = columns.tools[0] ?? new Uint32Array(0);
  }

  line(row: number): number {
    if (row < CHUNK_LENGTH) return this.#line[row] ?? 0;
    return valueIn(this.#columns.line, row);
  }

  flags(row: number): number {
    if (row < CHUNK_LENGTH) return this.#flags[row] ?? 0;
    return valueIn(this.#columns.flags, row);
  }

  kind(row: number): RowKind {
    return kindOf(this.flags(row));
  }

  has(row: number, flag: number): boolean {
    return hasFlag(this.flags(row), flag);
  }

  /** Whether the row is counted, or would be if it did not share its line or span several. */
  holdsContent(row: number): boolean {
    const flags = this.flags(row);
    if (hasFlag(flags, RowFlag.counted)) return true;
    if (!hasFlag(flags, RowFlag.sharesLine) || hasFlag(flags, RowFlag.hidden | RowFlag.meta)) return false;
    return hasFlag(flags, RowFlag.hasText | RowFlag.hasToolUse | RowFlag.hasToolResult);
  }

  parentForm(row: number): ParentForm {
    return parentFormOf(this.flags(row));
  }

  uuid(row: number): number {
    if (row < CHUNK_LENGTH) return this.#uuid[row] ?? 0;
    return valueIn(this.#columns.uuid, row);
  }

  parent(row: number): number {
    if (row < CHUNK_LENGTH) return this.#parent[row] ?? 0;
    return valueIn(this.#columns.parent, row);
  }

  /** As the client parses it; used to determine what a resume does. */
  timestamp(row: number): number {
    if (row < CHUNK_LENGTH) return this.#timestamp[row] ?? 0;
    return valueIn(this.#columns.timestamp, row);
  }

  /** When the row was written, in milliseconds since the epoch; NaN if its timestamp does not say so for certain. */
  timeMs(row: number): number {
    return this.has(row, RowFlag.looseTime) ? NaN : this.timestamp(row);
  }

  message(row: number): number {
    if (row < CHUNK_LENGTH) return this.#message[row] ?? 0;
    return valueIn(this.#columns.message, row);
  }

  hash(row: number): number {
    if (row < CHUNK_LENGTH) return this.#hash[row] ?? 0;
    return valueIn(this.#columns.hash, row);
  }

  /** Bytes from the start of the file to the row. */
  offset(row: number): number {
    return this.#highOffset(row) * TWO_POW_32 + valueIn(this.#columns.offset, row);
  }

  /** Offset of the next row, or `end` for the last row. */
  offsetAfter(row: number, end: number): number {
    return row + 1 < this.count ? this.offset(row + 1) : end;
  }

  /** Tokens in the context after the reply, as the row counts them; 0 if it does not. */
  contextTokens(row: number): number {
    return valueIn(this.#columns.context, row);
  }

  /** The model that wrote the row, or that the row says the session uses; null if it names none. */
  model(row: number): string | null {
    return this.models[valueIn(this.#columns.model, row)] ?? null;
  }

  /** Keys of the row's calls of the client's tools. */
  toolUses(row: number): number[] {
    return this.has(row, RowFlag.hasToolUse) ? this.#toolEntries(row, 0) : [];
  }

  /** Keys of the calls of the client's tools for which the row has results. */
  toolResults(row: number): number[] {
    return this.has(row, RowFlag.hasToolResult) ? this.#toolEntries(row, 1) : [];
  }

  /** Keys of the row's calls of the API's own tools. */
  serverCalls(row: number): number[] {
    return this.has(row, RowFlag.hasServerCall) ? this.#toolEntries(row, 0) : [];
  }

  /** Keys of the calls of the API's own tools for which the row has results. */
  serverResults(row: number): number[] {
    return this.has(row, RowFlag.hasServerResult) ? this.#toolEntries(row, 1) : [];
  }

  /** Adds the row's calls to a set. */
  addToolUses(row: number, calls: BitSet): void {
    if (!this.has(row, RowFlag.hasToolUse)) return;
    for (let at = this.#toolStartOf(row), to = this.#toolEnd(row); at < to; at++) {
      const entry = this.#tool(at);
      if ((entry & IS_RESULT) === 0) calls.add(entry >>> 1);
    }
  }

  /** Adds the calls for which the row has results to a set. */
  addToolResults(row: number, calls: BitSet): void {
    if (!this.has(row, RowFlag.hasToolResult)) return;
    for (let at = this.#toolStartOf(row), to = this.#toolEnd(row); at < to; at++) {
      const entry = this.#tool(at);
      if ((entry & IS_RESULT) !== 0) calls.add(entry >>> 1);
    }
  }

  /** Whether any call of the row is in the set. */
  someToolUse(row: number, calls: BitSet): boolean {
    return this.has(row, RowFlag.hasToolUse) && this.#someTool(row, 0, calls);
  }

  /** Like `someToolUse`, for the calls for which the row has results. */
  someToolResult(row: number, calls: BitSet): boolean {
    return this.has(row, RowFlag.hasToolResult) && this.#someTool(row, IS_RESULT, calls);
  }

  #someTool(row: number, kind: 0 | 1, calls: BitSet): boolean {
    for (let at = this.#toolStartOf(row), to = this.#toolEnd(row); at < to; at++) {
      const entry = this.#tool(at);
      if ((entry & IS_RESULT) === kind && calls.has(entry >>> 1)) return true;
    }
    return false;
  }

  /** Whether all calls for which the row has results are in the set. */
  everyToolResult(row: number, calls: BitSet): boolean {
    if (!this.has(row, RowFlag.hasToolResult)) return true;
    for (let at = this.#toolStartOf(row), to = this.#toolEnd(row); at < to; at++) {
      const entry = this.#tool(at);
      if ((entry & IS_RESULT) !== 0 && !calls.has(entry >>> 1)) return false;
    }
    return true;
  }

  #highOffset(row: number): number {
    const { highOffsets } = this.#columns;
    for (let at = highOffsets.length - 2; at >= 0; at -= 2) {
      if (row >= (highOffsets[at] ?? 0)) return highOffsets[at + 1] ?? 0;
    }
    return 0;
  }

  #toolStartOf(row: number): number {
    if (row < CHUNK_LENGTH) return this.#toolStart[row] ?? 0;
    return valueIn(this.#columns.toolStart, row);
  }

  #tool(at: number): number {
    if (at < CHUNK_LENGTH) return this.#tools[at] ?? 0;
    return valueIn(this.#columns.tools, at);
  }

  #toolEnd(row: number): number {
    return row + 1 < this.count ? this.#toolStartOf(row + 1) : this.#columns.toolCount;
  }

  #toolEntries(row: number, isResult: 0 | 1): number[] {
    const keys: number[] = [];
    for (let at = this.#toolStartOf(row), to = this.#toolEnd(row); at < to; at++) {
      const entry = this.#tool(at);
      if ((entry & IS_RESULT) === isResult) keys.push(entry >>> 1);
    }
    return keys;
  }
}

function valueIn(chunks: Chunks<Uint32Array | Int32Array | Float64Array>, at: number): number {
  return chunks[at >>> CHUNK_BITS]?.[at & CHUNK_MASK] ?? 0;
}
