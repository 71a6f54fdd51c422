import { NO_ID } from '../../transcript/idTable';
import { RowFlag, type RowTable } from '../../transcript/rowTable';

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

/**
 * Pairs the rows of a view that hold nothing but results with the rows of their calls: each call is answered once, by the
 * first result behind it, else by any. A row with results of calls of several rows stands for itself.
 */
export class ResultPairing {
  readonly pairs: ResultPairs;
  /** By call: the row with it that has no result so far. */
  #open: Int32Array;
  /** Calls that are answered by a result before them: a later result would take its place. */
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

  /** There are more rows and calls in the transcript now. */
  extend(rowCount: number, keyCount: number): void {
    this.pairs.extend(rowCount);
    if (keyCount > this.#open.length) this.#open = longer(this.#open, keyCount * 2);
  }

  /**
   * Takes a row that was appended to the view; its calls are named by no row before it. False when the rows before are
   * paired differently because of it: this object is of no use then.
   */
  append(rows: RowTable, row: number): boolean {
    if (rows.toolResults(row).some((call) => this.#answeredBefore.has(call))) return false;
    this.#take(rows, row);
    return true;
  }

  /** False for a result whose call did not come yet. */
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

/** The numbers, with `NO_ID` behind them up to the length. */
function longer(numbers: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(length).fill(NO_ID, numbers.length);
  copy.set(numbers);
  return copy;
}
