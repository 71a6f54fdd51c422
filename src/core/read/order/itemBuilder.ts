import { NO_ID } from '../../scan/idTable';
import { Column } from '../../util/column';

export const ItemKind = { row: 0, unknown: 1, fault: 2, break: 3, healedBreak: 4 } as const;

export type ItemKind = (typeof ItemKind)[keyof typeof ItemKind];

/** Puts the items of a view one behind the other. */
export class ItemBuilder {
  readonly #kinds = Column.uint32();
  readonly #values = Column.int32();
  readonly itemOfRow: Int32Array;

  constructor(rowCount: number) {
    this.itemOfRow = new Int32Array(rowCount).fill(NO_ID);
  }

  add(kind: ItemKind, value: number): number {
    this.#kinds.push(kind);
    return this.#values.push(value);
  }

  addRow(row: number): void {
    this.itemOfRow[row] = this.add(ItemKind.row, row);
  }

  get kinds(): Uint8Array {
    return Uint8Array.from(this.#kinds.toArray());
  }

  get values(): Int32Array {
    return this.#values.toArray();
  }
}
