import { NO_ID } from '../../scan/idTable';
import { longer } from './longer';

/** Which rows of a view are shown in the block of a call, and of which row the call is. */
export class ResultPairs {
  #callOf: Int32Array;
  #first: Int32Array;
  #next: Int32Array;

  /** `size`: rows of the transcript. */
  constructor(size: number) {
    this.#callOf = new Int32Array(size).fill(NO_ID);
    this.#first = new Int32Array(size).fill(NO_ID);
    this.#next = new Int32Array(size).fill(NO_ID);
  }

  /** There are more rows in the transcript now. */
  extend(size: number): void {
    if (size <= this.#callOf.length) return;
    this.#callOf = longer(this.#callOf, size * 2);
    this.#first = longer(this.#first, size * 2);
    this.#next = longer(this.#next, size * 2);
  }

  add(call: number, result: number): void {
    this.#callOf[result] = call;
    this.#next[result] = this.#first[call] ?? NO_ID;
    this.#first[call] = result;
  }

  /** The row with the call in whose block the row is shown; `NO_ID` for a row that stands for itself. */
  callOf(result: number): number {
    return this.#callOf[result] ?? NO_ID;
  }

  /** The rows that are shown in the blocks of the row's calls, in their order. */
  resultsOf(call: number): number[] {
    const results: number[] = [];
    for (let at = this.#first[call] ?? NO_ID; at !== NO_ID; at = this.#next[at] ?? NO_ID) results.push(at);
    return results.reverse();
  }
}
