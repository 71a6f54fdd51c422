import { NO_ID } from '../../scan/idTable';
import type { RowTable } from '../../scan/rowTable';
import type { FoundBranch } from './branchTable';
import type { ConversationOrder } from './conversationOrder';
import type { ItemBuilder } from './itemBuilder';
import type { ResultPairing } from './resultPairing';
import { ResultPairs } from './resultPairs';

export interface GrowingOrderParts {
  readonly items: ItemBuilder;
  /** Null where results stand for themselves. */
  readonly pairing: ResultPairing | null;
  readonly branches: ReadonlyMap<number, readonly FoundBranch[]>;
}

/** An order that rows can be appended to. Items that it has told stay what they are. */
export class GrowingOrder implements ConversationOrder {
  readonly pairs: ResultPairs;
  readonly branches: ReadonlyMap<number, readonly FoundBranch[]>;
  readonly #items: ItemBuilder;
  readonly #pairing: ResultPairing | null;
  #kinds: Uint8Array;
  #values: Int32Array;

  constructor({ items, pairing, branches }: GrowingOrderParts) {
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
   * Takes the rows of the table from `from` on, each of which goes on from the one before it, and names nothing that was
   * named before but calls. False when that changes items that were told: this object is of no use then.
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
