import { NO_ID } from '../../scan/idTable';
import { RowFlag } from '../../scan/rowFlags';
import type { RowTable } from '../../scan/rowTable';
import { longer } from './longer';
import { ResultPairs } from './resultPairs';

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
