import { createContext, Script, type Context } from 'node:vm';

/** Longest beginning of a text that a person's expression is tried on, in UTF-16 units. */
const MAX_TEXT_UNITS = 1024 * 1024;
/** Longest that an expression may take for some rows at once. */
const MAX_WORK_MS = 100;
/** Rows that may take longer before there is no sense in going on. */
const MAX_SLOW_ROWS = 10;
/** A good expression looks through many times as much in a millisecond, in UTF-16 units. */
const FAIR_UNITS_A_MS = 4096;
/** So much longer than that, over all rows, before there is no sense in going on. */
const MAX_EXCESS_MS = 2000;

/**
 * Tries a person's expression on the texts of rows. It may take for ever on some text, whatever its length. Only a script
 * with a time limit can be stopped in the middle of a match, and starting one takes a tenth of a millisecond: so it is
 * given many rows at once, and one by one where that took too long.
 */
export class TimedRows<T> {
  readonly #script = new Script('look()');
  readonly #context: Context;
  readonly #nothing: T;
  #rows: readonly (readonly string[])[] = [];
  #answers: T[] = [];
  #slowRows = 0;
  #excessMs = 0;
  #longTexts = 0;

  /** `nothing` is the answer for a row that takes too long. */
  constructor(look: (texts: readonly string[]) => T, nothing: T) {
    this.#nothing = nothing;
    this.#context = createContext({
      look: () => {
        for (const texts of this.#rows) this.#answers.push(look(texts));
      },
    });
  }

  /** Texts that were not, or not wholly, looked through, because they are too long or take too long. */
  get passedOver(): number {
    return this.#slowRows + this.#longTexts;
  }

  /** Rows on which the expression took too long. */
  get slowRows(): number {
    return this.#slowRows;
  }

  /** So many rows took too long, or all of them together, that there is no sense in going on. */
  get isHopeless(): boolean {
    return this.#slowRows >= MAX_SLOW_ROWS || this.#excessMs >= MAX_EXCESS_MS;
  }

  /** What `look` says of the texts of each row. */
  answers(rows: readonly (readonly string[])[]): readonly T[] {
    if (rows.length === 0) return [];
    const bounded = rows.map((texts) => texts.map((text) => this.#bound(text)));
    if (this.#run(bounded)) return this.#answers;
    return bounded.map((texts) => {
      if (this.isHopeless) return this.#nothing;
      if (this.#run([texts])) return this.#answers[0] ?? this.#nothing;
      this.#slowRows++;
      return this.#nothing;
    });
  }

  /** False when it took too long. */
  #run(rows: readonly (readonly string[])[]): boolean {
    this.#rows = rows;
    this.#answers = [];
    const begunMs = performance.now();
    try {
      this.#script.runInContext(this.#context, { timeout: MAX_WORK_MS });
      return true;
    } catch {
      // Too slow, or too deep for the engine's stack: both are the expression's doing.
      return false;
    } finally {
      const units = rows.reduce((sum, texts) => texts.reduce((all, { length }) => all + length, sum), 0);
      this.#excessMs += Math.max(0, performance.now() - begunMs - 1 - units / FAIR_UNITS_A_MS);
      this.#rows = [];
    }
  }

  #bound(text: string): string {
    if (text.length <= MAX_TEXT_UNITS) return text;
    this.#longTexts++;
    return text.slice(0, MAX_TEXT_UNITS);
  }
}
