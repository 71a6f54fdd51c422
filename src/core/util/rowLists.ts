import { Column } from './column';

const NO_ROWS: readonly number[] = [];

/** Lists of rows by key, at 8 bytes an entry and 4 a key. */
export class RowLists {
  readonly #last: Int32Array;
  readonly #row = Column.int32();
  /** The entry before this one in its list, or -1. */
  readonly #before = Column.int32();

  /** Keys are at least 0 and below `bound`. */
  constructor(bound: number) {
    this.#last = new Int32Array(bound).fill(-1);
  }

  /** Entries that were ever added. */
  get size(): number {
    return this.#row.length;
  }

  add(key: number, row: number): void {
    this.#before.push(this.#last[key] ?? -1);
    this.#last[key] = this.#row.push(row);
  }

  /** The rows of a key in the order they were added; the list is empty afterwards. */
  take(key: number): readonly number[] {
    if (this.#last[key] === -1) return NO_ROWS;
    const rows: number[] = [];
    for (let at = this.#last[key] ?? -1; at >= 0; at = this.#before.get(at)) rows.push(this.#row.get(at));
    this.#last[key] = -1;
    return rows.reverse();
  }
}
