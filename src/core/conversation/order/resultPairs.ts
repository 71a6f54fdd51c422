import { NO_ID } from '../../transcript/idTable';
import { RowFlag } from '../../transcript/rowFlags';
import { type RowTable } from '../../transcript/rowTable';

/** The rows of a view that are displayed in the block of a call, and the rows with these calls. */
export class ResultPairs {
  #callOf: Int32Array;
  #first: Int32Array;
  #next: Int32Array;

  /** @param size number of rows in the transcript */
  constructor(size: number) {
    this.#callOf = new Int32Array(size).fill(NO_ID);
    this.#first = new Int32Array(size).fill(NO_ID);
    this.#next = new Int32Array(size).fill(NO_ID);
  }

  /** Grows the columns for appended rows. */
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

  /** The row with the call in whose block the row is displayed; `NO_ID` for a row that is a separate item. */
  callOf(result: number): number {
    return this.#callOf[result] ?? NO_ID;
  }

  /** The rows that are displayed in the blocks of the row's calls, in their order. */
  resultsOf(call: number): number[] {
    const results: number[] = [];
    for (let at = this.#first[call] ?? NO_ID; at !== NO_ID; at = this.#next[at] ?? NO_ID) results.push(at);
    return results.reverse();
  }
}

/**
 * Pairs rows that contain only results with the rows of their calls. Each call is paired once, with the first result
 * after it, or else with any. A row with results for calls of several rows is an item of its own.
 */
export class ResultPairing {
  readonly pairs: ResultPairs;
  /** By call: its row, while it has no result. */
  #open: Int32Array;
  /** Calls answered by a result before them, which a later result would replace. */
  readonly #answeredBefore = new Set<number>();

  constructor(rows: RowTable, keyCount: number, view: Int32Array) {
    this.pairs = new ResultPairs(rows.count);
    this.#open = new Int32Array(keyCount).fill(NO_ID);
    const early: number[] = [];
    for (const row of view) if (!this.#take(rows, row)) early.push(row);
    for (const row of early) {
      if (this.#pair(rows, row)) for (const call of rows.toolResults(row)) this.#answeredBefore.add(call);
    }
  }

  /** Grows the columns for appended rows and calls. */
  extend(rowCount: number, keyCount: number): void {
    this.pairs.extend(rowCount);
    if (keyCount > this.#open.length) this.#open = longer(this.#open, keyCount * 2);
  }

  /**
   * Adds a row that was appended to the view; no earlier row refers to its calls. Returns false if earlier rows are
   * paired differently because of it; this object is invalid then.
   */
  append(rows: RowTable, row: number): boolean {
    if (rows.toolResults(row).some((call) => this.#answeredBefore.has(call))) return false;
    this.#take(rows, row);
    return true;
  }

  /** Returns false for a result whose call is not known yet. */
  #take(rows: RowTable, row: number): boolean {
    if (rows.has(row, RowFlag.hasToolUse)) for (const call of rows.toolUses(row)) this.#open[call] = row;
    return !isResultAlone(rows, row) || this.#pair(rows, row);
  }

  #pair(rows: RowTable, row: number): boolean {
    const calls = rows.toolResults(row);
    const call = this.#open[calls[0] ?? 0] ?? NO_ID;
    if (call === NO_ID || (calls.length > 1 && new Set(calls).size !== calls.length)) return false;
    if (calls.some((key) => this.#open[key] !== call)) return false;
    for (const key of calls) this.#open[key] = NO_ID;
    this.pairs.add(call, row);
    return true;
  }
}

function isResultAlone(rows: RowTable, row: number): boolean {
  return rows.has(row, RowFlag.hasToolResult) && !rows.has(row, RowFlag.hasText | RowFlag.hasToolUse);
}

/** The numbers, padded with `NO_ID` to the length. */
function longer(numbers: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(length).fill(NO_ID, numbers.length);
  copy.set(numbers);
  return copy;
}
