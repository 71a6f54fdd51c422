import { NO_ID } from '../../transcript/idTable';

export const ItemKind = { row: 0, unknown: 1, fault: 2, break: 3, healedBreak: 4 } as const;

export type ItemKind = (typeof ItemKind)[keyof typeof ItemKind];

/** Collects the items of a view. Results stay valid while more items are added. */
export class ItemBuilder {
  #kinds: Uint8Array;
  #values: Int32Array;
  #itemOfRow: Int32Array;
  #count = 0;

  constructor(rowCount: number) {
    this.#kinds = new Uint8Array(rowCount + 1);
    this.#values = new Int32Array(rowCount + 1);
    this.#itemOfRow = new Int32Array(rowCount).fill(NO_ID);
  }

  /** Grows the columns for appended rows. */
  extend(rowCount: number): void {
    if (rowCount <= this.#itemOfRow.length) return;
    const itemOfRow = new Int32Array(rowCount * 2).fill(NO_ID);
    itemOfRow.set(this.#itemOfRow);
    this.#itemOfRow = itemOfRow;
  }

  add(kind: ItemKind, value: number): number {
    if (this.#count === this.#kinds.length) this.#grow();
    this.#kinds[this.#count] = kind;
    this.#values[this.#count] = value;
    return this.#count++;
  }

  addRow(row: number): void {
    this.#itemOfRow[row] = this.add(ItemKind.row, row);
  }

  /** Marks a row as shown in the item of another row. */
  addTo(item: number, row: number): void {
    this.#itemOfRow[row] = item;
  }

  get count(): number {
    return this.#count;
  }

  get kinds(): Uint8Array {
    return this.#kinds.subarray(0, this.#count);
  }

  get values(): Int32Array {
    return this.#values.subarray(0, this.#count);
  }

  /** Row → its item; `NO_ID` for rows that were not added, and after the last row. */
  get itemOfRow(): Int32Array {
    return this.#itemOfRow;
  }

  #grow(): void {
    const kinds = new Uint8Array(this.#kinds.length * 2);
    const values = new Int32Array(this.#values.length * 2);
    kinds.set(this.#kinds);
    values.set(this.#values);
    [this.#kinds, this.#values] = [kinds, values];
  }
}
