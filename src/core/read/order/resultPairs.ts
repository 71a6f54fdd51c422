import { NO_ID } from '../../scan/idTable';
import { RowFlag } from '../../scan/rowFlags';
import type { RowTable } from '../../scan/rowTable';

/** Which rows of a view are shown in the block of a call, and of which row the call is. */
export class ResultPairs {
  readonly #callOf: Int32Array;
  readonly #first: Int32Array;
  readonly #next: Int32Array;

  /** `size`: rows of the transcript. */
  constructor(size: number) {
    this.#callOf = new Int32Array(size).fill(NO_ID);
    this.#first = new Int32Array(size).fill(NO_ID);
    this.#next = new Int32Array(size).fill(NO_ID);
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
export function pairResults(rows: RowTable, keyCount: number, view: Int32Array): ResultPairs {
  const pairs = new ResultPairs(rows.count);
  /** By call: the row with it that has no result so far. */
  const open = new Int32Array(keyCount).fill(NO_ID);
  const late: number[] = [];
  const pair = (row: number): boolean => {
    const calls = rows.toolResults(row);
    const call = open[calls[0] ?? 0] ?? NO_ID;
    if (call === NO_ID || (calls.length > 1 && new Set(calls).size !== calls.length)) return false;
    if (calls.some((key) => open[key] !== call)) return false;
    for (const key of calls) open[key] = NO_ID;
    pairs.add(call, row);
    return true;
  };
  for (const row of view) {
    if (rows.has(row, RowFlag.hasToolUse)) for (const key of rows.toolUses(row)) open[key] = row;
    if (isResultAlone(rows, row) && !pair(row)) late.push(row);
  }
  for (const row of late) pair(row);
  return pairs;
}

function isResultAlone(rows: RowTable, row: number): boolean {
  return rows.has(row, RowFlag.hasToolResult) && !rows.has(row, RowFlag.hasText | RowFlag.hasToolUse);
}
