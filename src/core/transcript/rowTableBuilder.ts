import { Column } from '../util/columns';
import { hasFlag, isCountedOnMain, isOwnMessage, isVisibleMessage, RowFlag } from './rowFlags';
import { RowTable } from './rowTable';
import type { CountedRow } from './uncountedRows';

const TWO_POW_32 = 2 ** 32;
const NO_ROW = -1;

/** What a table stores of one row. */
export interface RowRecord {
  readonly line: number;
  readonly flags: number;
  readonly uuid: number;
  readonly parent: number;
  /** Milliseconds since the epoch as the client parses them; NaN if the row has no readable timestamp. */
  readonly timestamp: number;
  /** Key of `message.id`, or `NO_ID`. */
  readonly message: number;
  /** Equal for copies of one message, so that rows with one uuid are known to differ. See `ScannerOptions`. */
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

/** Collects the rows of a table. */
export class RowTableBuilder {
  readonly #line = Column.uint32();
  readonly #flags = Column.uint32();
  readonly #uuid = Column.int32();
  readonly #parent = Column.int32();
  readonly #timestamp = Column.float64();
  readonly #message = Column.int32();
  readonly #hash = Column.uint32();
  readonly #offset = Column.uint32();
  readonly #toolStart = Column.uint32();
  readonly #tools = Column.uint32();
  readonly #highOffsets: number[] = [];
  readonly #context = Column.uint32();
  readonly #model = Column.int32();
  readonly #models: string[] = [];
  #counted: CountedRow | null = null;
  #mostTokens = 0;
  #messages = 0;
  #countedOnMain = 0;
  #firstOwnMs: number | null = null;

  get count(): number {
    return this.#line.length;
  }

  get counted(): CountedRow | null {
    return this.#counted;
  }

  add(row: RowRecord): number {
    this.#flags.push(row.flags);
    this.#uuid.push(row.uuid);
    this.#parent.push(row.parent);
    this.#timestamp.push(row.timestamp);
    this.#hash.push(row.hash);
    this.#pushOffset(row.offset);
    this.#toolStart.push(this.#tools.length);
    for (const key of row.toolUses) this.#tools.push(key * 2);
    for (const key of row.toolResults) this.#tools.push(key * 2 + 1);
    this.#context.push(row.contextTokens);
    this.#model.push(row.model === null ? NO_ROW : this.#internModel(row.model));
    if (this.#countsContext(row)) this.#counted = { row: this.count, offset: row.offset };
    this.#message.push(row.message);
    this.#mostTokens = Math.max(this.#mostTokens, row.contextTokens);
    if (isVisibleMessage(row.flags)) this.#messages++;
    if (isCountedOnMain(row.flags)) this.#countedOnMain++;
    if (isOwnMessage(row.flags) && row.timestamp < (this.#firstOwnMs ?? Infinity)) this.#firstOwnMs = row.timestamp;
    return this.#line.push(row.line);
  }

  /** The rows that were added so far. Rows that are added later are not in it. */
  table(): RowTable {
    return new RowTable({
      count: this.count,
      line: this.#line.chunks,
      flags: this.#flags.chunks,
      uuid: this.#uuid.chunks,
      parent: this.#parent.chunks,
      timestamp: this.#timestamp.chunks,
      message: this.#message.chunks,
      hash: this.#hash.chunks,
      offset: this.#offset.chunks,
      toolStart: this.#toolStart.chunks,
      tools: this.#tools.chunks,
      toolCount: this.#tools.length,
      highOffsets: this.#highOffsets,
      context: this.#context.chunks,
      model: this.#model.chunks,
      models: this.#models,
      counted: this.#counted?.row ?? NO_ROW,
      mostTokens: this.#mostTokens,
      messages: this.#messages,
      countedOnMain: this.#countedOnMain,
      firstOwnMs: this.#firstOwnMs,
    });
  }

  /** Whether the row begins a message that counts the tokens of the context. assembly/rows.ts decides in the same way. */
  #countsContext({ contextTokens, flags, message }: RowRecord): boolean {
    if (contextTokens === 0 || hasFlag(flags, RowFlag.sidechain | RowFlag.hidden)) return false;
    return message < 0 || this.#counted === null || message !== this.#message.get(this.#counted.row);
  }

  #internModel(model: string): number {
    const known = this.#models.indexOf(model);
    return known >= 0 ? known : this.#models.push(model) - 1;
  }

  #pushOffset(offset: number): void {
    const high = Math.floor(offset / TWO_POW_32);
    if (high !== (this.#highOffsets.at(-1) ?? 0)) this.#highOffsets.push(this.count, high);
    this.#offset.push(offset % TWO_POW_32);
  }
}
