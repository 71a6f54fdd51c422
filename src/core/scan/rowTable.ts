import { Column } from '../util/column';
import { hasFlag, kindOf, parentFormOf, type ParentForm, type RowKind } from './rowFlags';

/** What a scanner hands to the table for one stored row. */
interface RowRecord {
  readonly line: number;
  readonly flags: number;
  readonly uuid: number;
  readonly parent: number;
  /** Milliseconds since the epoch; NaN when the row has no readable timestamp. */
  readonly timestamp: number;
  /** Key of `message.id`, or `NO_ID`. */
  readonly message: number;
  /** Hash of the row's bytes; with its length it tells identical copies from different rows. */
  readonly hash: number;
  readonly toolUses: readonly number[];
  readonly toolResults: readonly number[];
}

/** The chain rows of a transcript (and rows of other types that carry a uuid) in file order, as columns. */
export class RowTable {
  readonly #line = Column.uint32();
  readonly #flags = Column.uint32();
  readonly #uuid = Column.int32();
  readonly #parent = Column.int32();
  readonly #timestamp = Column.float64();
  readonly #message = Column.int32();
  readonly #hash = Column.uint32();
  readonly #toolStart = Column.uint32();
  /** Key of a call × 2, plus 1 when the entry is its result. */
  readonly #tools = Column.uint32();

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
    this.#toolStart.push(this.#tools.length);
    for (const key of row.toolUses) this.#tools.push(key * 2);
    for (const key of row.toolResults) this.#tools.push(key * 2 + 1);
    return this.#line.push(row.line);
  }

  line(row: number): number {
    return this.#line.get(row);
  }

  flags(row: number): number {
    return this.#flags.get(row);
  }

  kind(row: number): RowKind {
    return kindOf(this.#flags.get(row));
  }

  has(row: number, flag: number): boolean {
    return hasFlag(this.#flags.get(row), flag);
  }

  parentForm(row: number): ParentForm {
    return parentFormOf(this.#flags.get(row));
  }

  uuid(row: number): number {
    return this.#uuid.get(row);
  }

  parent(row: number): number {
    return this.#parent.get(row);
  }

  timestamp(row: number): number {
    return this.#timestamp.get(row);
  }

  message(row: number): number {
    return this.#message.get(row);
  }

  hash(row: number): number {
    return this.#hash.get(row);
  }

  toolUses(row: number): number[] {
    return this.#toolEntries(row, 0);
  }

  toolResults(row: number): number[] {
    return this.#toolEntries(row, 1);
  }

  /** Some call of the row passes the test. Allocates nothing, for loops over all rows. */
  someToolUse(row: number, test: (call: number) => boolean): boolean {
    return this.#someTool(row, 0, test);
  }

  /** As `someToolUse`, of the calls that the row has results of. */
  someToolResult(row: number, test: (call: number) => boolean): boolean {
    return this.#someTool(row, 1, test);
  }

  #someTool(row: number, isResult: 0 | 1, test: (call: number) => boolean): boolean {
    const to = this.#toolEnd(row);
    for (let at = this.#toolStart.get(row); at < to; at++) {
      const entry = this.#tools.get(at);
      if ((entry & 1) === isResult && test(entry >>> 1)) return true;
    }
    return false;
  }

  #toolEnd(row: number): number {
    return row + 1 < this.count ? this.#toolStart.get(row + 1) : this.#tools.length;
  }

  #toolEntries(row: number, isResult: 0 | 1): number[] {
    const keys: number[] = [];
    this.#someTool(row, isResult, (key) => {
      keys.push(key);
      return false;
    });
    return keys;
  }
}
