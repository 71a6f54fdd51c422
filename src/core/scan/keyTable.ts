import { Column } from '../util/column';
import { keyHash, type KeyHash } from './keyHash';
import { MAX_LOAD, NO_ID } from './idTable';

/**
 * Numbers message ids and tool-call ids 0, 1, 2 … They are only ever compared, never shown, so that 64 bits of hash
 * stand for the string: with two million ids the chance that any two are confused is about 1 in 10 million.
 */
export class KeyTable {
  readonly #low = Column.uint32();
  readonly #high = Column.uint32();
  #slots = new Int32Array(1024).fill(NO_ID);

  get count(): number {
    return this.#low.length;
  }

  hash(key: number): KeyHash {
    return { low: this.#low.get(key), high: this.#high.get(key) };
  }

  intern(key: string): number {
    if (this.count >= this.#slots.length * MAX_LOAD) this.#grow();
    const { low, high } = keyHash(key);
    const mask = this.#slots.length - 1;
    let slot = spread(low, high) & mask;
    for (;;) {
      const known = this.#slots[slot] ?? NO_ID;
      if (known === NO_ID) break;
      if (this.#low.get(known) === low && this.#high.get(known) === high) return known;
      slot = (slot + 1) & mask;
    }
    const added = this.#low.push(low);
    this.#high.push(high);
    this.#slots[slot] = added;
    return added;
  }

  #grow(): void {
    const grown = new Int32Array(this.#slots.length * 2).fill(NO_ID);
    const mask = grown.length - 1;
    for (let key = 0; key < this.count; key++) {
      let slot = spread(this.#low.get(key), this.#high.get(key)) & mask;
      while (grown[slot] !== NO_ID) slot = (slot + 1) & mask;
      grown[slot] = key;
    }
    this.#slots = grown;
  }
}

function spread(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 7), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 16);
}
