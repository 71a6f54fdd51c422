import { NO_ID } from './idTable';
import type { TranscriptFacts } from './transcriptFacts';

/** id → row, filled by whoever decides which of several rows an id stands for. */
export class RowIndex {
  readonly #uuid: Int32Array;
  readonly #odd: Int32Array;

  constructor(facts: TranscriptFacts) {
    this.#uuid = new Int32Array(facts.ids.uuidCount).fill(NO_ID);
    this.#odd = new Int32Array(facts.ids.oddCount).fill(NO_ID);
  }

  /** The row, or `NO_ID`. */
  get(id: number): number {
    if (id === NO_ID) return NO_ID;
    return (id >= 0 ? this.#uuid[id] : this.#odd[-2 - id]) ?? NO_ID;
  }

  set(id: number, row: number): void {
    if (id >= 0) this.#uuid[id] = row;
    else if (id !== NO_ID) this.#odd[-2 - id] = row;
  }
}
