import { NO_ID } from '../../scan/idTable';

export const ItemKind = { row: 0, unknown: 1, fault: 2, break: 3, healedBreak: 4 } as const;

export type ItemKind = (typeof ItemKind)[keyof typeof ItemKind];

/** Puts the items of a view one behind the other. */
export class ItemBuilder {
  #kinds: Uint8Array;
  #values: Int32Array;
  #count = 0;
  readonly itemOfRow: Int32Array;

  constructor(rowCount: number) {
    this.#kinds = new Uint8Array(rowCount + 1);
    this.#values = new Int32Array(rowCount + 1);
    this.itemOfRow = new Int32Array(rowCount).fill(NO_ID);
  }

  add(kind: ItemKind, value: number): number {
    if (this.#count === this.#kinds.length) this.#grow();
    this.#kinds[this.#count] = kind;
    this.#values[this.#count] = value;
    return this.#count++;
  }

  addRow(row: number): void {
    this.itemOfRow[row] = this.add(ItemKind.row, row);
  }

  get kinds(): Uint8Array {
    return this.#kinds.slice(0, this.#count);
  }

  get values(): Int32Array {
    return this.#values.slice(0, this.#count);
  }

  #grow(): void {
    const kinds = new Uint8Array(this.#kinds.length * 2);
    const values = new Int32Array(this.#values.length * 2);
    kinds.set(this.#kinds);
    values.set(this.#values);
    [this.#kinds, this.#values] = [kinds, values];
  }
}
