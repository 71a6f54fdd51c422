import { LONG_PROMPT_TOKENS, type MessageCounts } from './usageMessage';

/** Sums of a cell: messages, then the counts. */
const SUMS = 8;
const FIRST_CELLS = 1024;
/** Share of the slots that is filled before there are more. */
const MAX_LOAD = 0.5;

/** What the messages of one quarter of an hour, model, project and price class used together. */
export interface SpendingCell extends MessageCounts {
  readonly quarter: number;
  readonly model: number;
  readonly project: number;
  /** The prompts are long ones; see `LONG_PROMPT_TOKENS`. */
  readonly isLong: boolean;
  readonly messages: number;
}

/** Sums that messages are put into and taken out of again, in cells small enough for every question that is asked. */
export class SpendingCells {
  #quarters = new Int32Array(FIRST_CELLS);
  /** Number of the model, twice; odd for long prompts. */
  #classes = new Int32Array(FIRST_CELLS);
  #projects = new Int32Array(FIRST_CELLS);
  #sums = new Float64Array(FIRST_CELLS * SUMS);
  #slots = new Int32Array(FIRST_CELLS / MAX_LOAD);
  #count = 0;
  /** Neighbours in a transcript lie in one cell more often than not. */
  #last = -1;

  /** `sign` is 1, or -1 to take a message out that was put in. */
  add(
    sign: number,
    quarter: number,
    model: number,
    project: number,
    input: number,
    output: number,
    writes: number,
    writes1h: number,
    reads: number,
    searches: number,
    fetches: number,
  ): void {
    const isLong = input + writes + reads > LONG_PROMPT_TOKENS;
    const at = this.#cellOf(quarter, model * 2 + (isLong ? 1 : 0), project) * SUMS;
    const sums = this.#sums;
    sums[at] = (sums[at] ?? 0) + sign;
    sums[at + 1] = (sums[at + 1] ?? 0) + sign * input;
    sums[at + 2] = (sums[at + 2] ?? 0) + sign * output;
    sums[at + 3] = (sums[at + 3] ?? 0) + sign * writes;
    sums[at + 4] = (sums[at + 4] ?? 0) + sign * writes1h;
    sums[at + 5] = (sums[at + 5] ?? 0) + sign * reads;
    sums[at + 6] = (sums[at + 6] ?? 0) + sign * searches;
    sums[at + 7] = (sums[at + 7] ?? 0) + sign * fetches;
  }

  /** Those that hold messages, in no order. What `visit` is given is good until it returns. */
  forEach(visit: (cell: SpendingCell) => void): void {
    const cell = new ReusedCell();
    const sums = this.#sums;
    for (let index = 0, at = 0; index < this.#count; index++, at += SUMS) {
      cell.messages = sums[at] ?? 0;
      if (cell.messages === 0) continue;
      const priceClass = this.#classes[index] ?? 0;
      cell.quarter = this.#quarters[index] ?? 0;
      cell.model = priceClass >> 1;
      cell.isLong = (priceClass & 1) !== 0;
      cell.project = this.#projects[index] ?? 0;
      cell.input = sums[at + 1] ?? 0;
      cell.output = sums[at + 2] ?? 0;
      cell.writes = sums[at + 3] ?? 0;
      cell.writes1h = sums[at + 4] ?? 0;
      cell.reads = sums[at + 5] ?? 0;
      cell.searches = sums[at + 6] ?? 0;
      cell.fetches = sums[at + 7] ?? 0;
      visit(cell);
    }
  }

  #cellOf(quarter: number, priceClass: number, project: number): number {
    if (this.#last >= 0 && this.#isOf(this.#last, quarter, priceClass, project)) return this.#last;
    const mask = this.#slots.length - 1;
    let slot = spread(quarter, priceClass, project) & mask;
    for (let cell = (this.#slots[slot] ?? 0) - 1; cell >= 0; cell = (this.#slots[slot] ?? 0) - 1) {
      if (this.#isOf(cell, quarter, priceClass, project)) return (this.#last = cell);
      slot = (slot + 1) & mask;
    }
    const cell = this.#count++;
    if (this.#count > this.#quarters.length) this.#grow();
    this.#quarters[cell] = quarter;
    this.#classes[cell] = priceClass;
    this.#projects[cell] = project;
    if (this.#slots.length === mask + 1) this.#slots[slot] = cell + 1;
    else this.#insert(cell);
    return (this.#last = cell);
  }

  #isOf(cell: number, quarter: number, priceClass: number, project: number): boolean {
    return this.#quarters[cell] === quarter && this.#classes[cell] === priceClass && this.#projects[cell] === project;
  }

  #grow(): void {
    const capacity = this.#quarters.length * 2;
    this.#quarters = grown(this.#quarters, new Int32Array(capacity));
    this.#classes = grown(this.#classes, new Int32Array(capacity));
    this.#projects = grown(this.#projects, new Int32Array(capacity));
    this.#sums = grown(this.#sums, new Float64Array(capacity * SUMS));
    this.#slots = new Int32Array(capacity / MAX_LOAD);
    for (let cell = 0; cell < this.#count - 1; cell++) this.#insert(cell);
  }

  #insert(cell: number): void {
    const mask = this.#slots.length - 1;
    let slot = spread(this.#quarters[cell] ?? 0, this.#classes[cell] ?? 0, this.#projects[cell] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = cell + 1;
  }
}

class ReusedCell implements SpendingCell {
  quarter = 0;
  model = 0;
  project = 0;
  isLong = false;
  messages = 0;
  input = 0;
  output = 0;
  writes = 0;
  writes1h = 0;
  reads = 0;
  searches = 0;
  fetches = 0;
}

function grown<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function spread(quarter: number, priceClass: number, project: number): number {
  let hash =
    Math.imul(quarter, 0x9e3779b1) ^ Math.imul(priceClass + 1, 0x85ebca6b) ^ Math.imul(project + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
