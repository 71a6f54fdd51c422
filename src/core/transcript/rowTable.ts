import { type BitSet, CHUNK_BITS, CHUNK_MASK, Column } from '../util/columns';
import {
  hasFlag,
  isCountedOnMain,
  isOwnMessage,
  isVisibleMessage,
  kindOf,
  type ParentForm,
  parentFormOf,
  RowFlag,
  type RowKind,
} from './rowFlags';

const TWO_POW_32 = 2 ** 32;
const NO_ROW = -1;
/** Bit of an entry in the tools column: the entry is a result. */
const IS_RESULT = 1;

/** The input of the table for one stored row. */
export interface RowRecord {
  readonly line: number;
  readonly flags: number;
  readonly uuid: number;
  readonly parent: number;
  /** Milliseconds since the epoch as the client parses them; NaN if the row has no readable timestamp. */
  readonly timestamp: number;
  /** Key of `message.id`, or `NO_ID`. */
  readonly message: number;
  /** Hash of the row's bytes; together with their length it distinguishes identical copies from different rows. */
  readonly hash: number;
  /** Offset of the row's bytes in the file, without anything around them on the line. */
  readonly offset: number;
  readonly toolUses: readonly number[];
  readonly toolResults: readonly number[];
  /** Tokens in the context after the reply; 0 if the row does not count them. */
  readonly contextTokens: number;
  /** The model that the row names, or null. */
  readonly model: string | null;
}

/** The columns of a table. */
export interface RowColumns {
  readonly line: Column<Uint32Array>;
  readonly flags: Column<Uint32Array>;
  readonly uuid: Column<Int32Array>;
  readonly parent: Column<Int32Array>;
  readonly timestamp: Column<Float64Array>;
  readonly message: Column<Int32Array>;
  readonly hash: Column<Uint32Array>;
  /** Low half of the offset. */
  readonly offset: Column<Uint32Array>;
  /** Index of the row's first entry in `tools`. */
  readonly toolStart: Column<Uint32Array>;
  /** Key of a call × 2, plus 1 if the entry is its result. */
  readonly tools: Column<Uint32Array>;
  /** For each change of the offsets' high half: the first row that has it, and the half. Empty for files below 4 GiB. */
  readonly highOffsets: Column<Uint32Array>;
  readonly context: Column<Uint32Array>;
  /** Index in `models`, or -1. */
  readonly model: Column<Int32Array>;
  readonly models: string[];
  // See the properties of `RowTable` with these names.
  readonly counted: number;
  readonly mostTokens: number;
  readonly messages: number;
  readonly countedOnMain: number;
  readonly firstOwnMs: number | null;
}

function emptyColumns(): RowColumns {
  return {
    line: Column.uint32(),
    flags: Column.uint32(),
    uuid: Column.int32(),
    parent: Column.int32(),
    timestamp: Column.float64(),
    message: Column.int32(),
    hash: Column.uint32(),
    offset: Column.uint32(),
    toolStart: Column.uint32(),
    tools: Column.uint32(),
    highOffsets: Column.uint32(),
    context: Column.uint32(),
    model: Column.int32(),
    models: [],
    counted: NO_ROW,
    mostTokens: 0,
    messages: 0,
    countedOnMain: 0,
    firstOwnMs: null,
  };
}

/** The chain rows of a transcript (and rows of other types that carry a uuid) in file order, as columns. */
export class RowTable {
  readonly #line: Column<Uint32Array>;
  readonly #flags: Column<Uint32Array>;
  readonly #uuid: Column<Int32Array>;
  readonly #parent: Column<Int32Array>;
  readonly #timestamp: Column<Float64Array>;
  readonly #message: Column<Int32Array>;
  readonly #hash: Column<Uint32Array>;
  readonly #offset: Column<Uint32Array>;
  readonly #toolStart: Column<Uint32Array>;
  readonly #tools: Column<Uint32Array>;
  readonly #highOffsets: Column<Uint32Array>;
  readonly #rare: Pick<RowColumns, 'context' | 'model' | 'models'>;
  #counted: number;
  #mostTokens: number;
  #messages: number;
  #countedOnMain: number;
  #firstOwnMs: number | null;

  readonly #lineChunks: readonly Uint32Array[];
  readonly #flagsChunks: readonly Uint32Array[];
  readonly #uuidChunks: readonly Int32Array[];
  readonly #parentChunks: readonly Int32Array[];
  readonly #timestampChunks: readonly Float64Array[];
  readonly #messageChunks: readonly Int32Array[];
  readonly #hashChunks: readonly Uint32Array[];
  readonly #toolStartChunks: readonly Uint32Array[];
  readonly #toolsChunks: readonly Uint32Array[];

  /** With columns: a table that is already filled. */
  constructor(columns: RowColumns = emptyColumns()) {
    this.#line = columns.line;
    this.#flags = columns.flags;
    this.#uuid = columns.uuid;
    this.#parent = columns.parent;
    this.#timestamp = columns.timestamp;
    this.#message = columns.message;
    this.#hash = columns.hash;
    this.#offset = columns.offset;
    this.#toolStart = columns.toolStart;
    this.#tools = columns.tools;
    this.#highOffsets = columns.highOffsets;
    this.#rare = columns;
    this.#counted = columns.counted;
    this.#mostTokens = columns.mostTokens;
    this.#messages = columns.messages;
    this.#countedOnMain = columns.countedOnMain;
    this.#firstOwnMs = columns.firstOwnMs;
    this.#lineChunks = columns.line.chunks;
    this.#flagsChunks = columns.flags.chunks;
    this.#uuidChunks = columns.uuid.chunks;
    this.#parentChunks = columns.parent.chunks;
    this.#timestampChunks = columns.timestamp.chunks;
    this.#messageChunks = columns.message.chunks;
    this.#hashChunks = columns.hash.chunks;
    this.#toolStartChunks = columns.toolStart.chunks;
    this.#toolsChunks = columns.tools.chunks;
  }

  get count(): number {
    return this.#line.length;
  }

  add(row: RowRecord): number {
    this.#flags.push(row.flags);
    this.#uuid.push(row.uuid);
    this.#parent.push(row.parent);
    this.#timestamp.push(row.timestamp);
    this.#message.push(row.message);
    this.#hash.push(row.hash);
    this.#pushOffset(row.offset);
    this.#toolStart.push(this.#tools.length);
    for (const key of row.toolUses) this.#tools.push(key * 2);
    for (const key of row.toolResults) this.#tools.push(key * 2 + 1);
    this.#rare.context.push(row.contextTokens);
    this.#rare.model.push(row.model === null ? NO_ROW : this.#internModel(row.model));
    const added = this.#line.push(row.line);
    if (this.#countsContext(added)) this.#counted = added;
    this.#mostTokens = Math.max(this.#mostTokens, row.contextTokens);
    if (isVisibleMessage(row.flags)) this.#messages++;
    if (isCountedOnMain(row.flags)) this.#countedOnMain++;
    if (isOwnMessage(row.flags) && row.timestamp < (this.#firstOwnMs ?? Infinity)) this.#firstOwnMs = row.timestamp;
    return added;
  }

  line(row: number): number {
    return this.#lineChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  flags(row: number): number {
    return this.#flagsChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
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
    return this.#uuidChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  parent(row: number): number {
    return this.#parentChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  /** As the client parses it; used to determine what a resume does. */
  timestamp(row: number): number {
    return this.#timestampChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  /** When the row was written, in milliseconds since the epoch; NaN if its timestamp does not say so for certain. */
  timeMs(row: number): number {
    return this.has(row, RowFlag.looseTime) ? NaN : this.timestamp(row);
  }

  message(row: number): number {
    return this.#messageChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  hash(row: number): number {
    return this.#hashChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  /** Bytes from the start of the file to the row. */
  offset(row: number): number {
    return this.#highOffset(row) * TWO_POW_32 + this.#offset.get(row);
  }

  /** Offset of the next row, or `end` for the last row. */
  offsetAfter(row: number, end: number): number {
    return row + 1 < this.count ? this.offset(row + 1) : end;
  }

  /** Tokens in the context after the reply, as the row counts them; 0 if it does not. */
  contextTokens(row: number): number {
    return this.#rare.context.get(row);
  }

  /** The model that wrote the row, or that the row says the session uses; null if it names none. */
  model(row: number): string | null {
    return this.#rare.models[this.#rare.model.get(row)] ?? null;
  }

  /** All models that rows name. */
  get models(): readonly string[] {
    return this.#rare.models;
  }

  /** The first row of the newest message of the main chain that counts the tokens of the context, or -1. */
  get counted(): number {
    return this.#counted;
  }

  /** The highest number of tokens in the context that any row counts. */
  get mostTokens(): number {
    return this.#mostTokens;
  }

  /** Number of user and assistant rows that the client sees. */
  get messages(): number {
    return this.#messages;
  }

  /** Number of rows for which `isCountedOnMain` is true. */
  get countedOnMain(): number {
    return this.#countedOnMain;
  }

  /** The earliest time of a user or assistant row that no fork has copied, in milliseconds since the epoch; null if there is none. */
  get firstOwnMs(): number | null {
    return this.#firstOwnMs;
  }

  /** Whether the row begins a message that counts the tokens of the context. assembly/rows.ts decides in the same way. */
  #countsContext(row: number): boolean {
    if (this.contextTokens(row) === 0 || this.has(row, RowFlag.sidechain | RowFlag.hidden)) return false;
    const message = this.message(row);
    return message < 0 || this.#counted === NO_ROW || message !== this.message(this.#counted);
  }

  #internModel(model: string): number {
    const { models } = this.#rare;
    const known = models.indexOf(model);
    return known >= 0 ? known : models.push(model) - 1;
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

  #pushOffset(offset: number): void {
    const high = Math.floor(offset / TWO_POW_32);
    const before = this.#highOffsets.length === 0 ? 0 : this.#highOffsets.get(this.#highOffsets.length - 1);
    if (high !== before) {
      this.#highOffsets.push(this.count);
      this.#highOffsets.push(high);
    }
    this.#offset.push(offset % TWO_POW_32);
  }

  #highOffset(row: number): number {
    for (let at = this.#highOffsets.length - 2; at >= 0; at -= 2) {
      if (row >= this.#highOffsets.get(at)) return this.#highOffsets.get(at + 1);
    }
    return 0;
  }

  #toolStartOf(row: number): number {
    return this.#toolStartChunks[row >>> CHUNK_BITS]?.[row & CHUNK_MASK] ?? 0;
  }

  #tool(at: number): number {
    return this.#toolsChunks[at >>> CHUNK_BITS]?.[at & CHUNK_MASK] ?? 0;
  }

  #toolEnd(row: number): number {
    return row + 1 < this.count ? this.#toolStartOf(row + 1) : this.#tools.length;
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
