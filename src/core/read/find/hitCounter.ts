import { createContext, Script, type Context } from 'node:vm';
import type { FindQuery } from '../../../shared/conversation';
import type { BytePattern } from '../../search/bytePattern';
import { createMatcher } from '../../search/textMatcher';

/** Longest beginning of a text that is looked through, in UTF-16 units. */
const MAX_TEXT_UNITS = 1024 * 1024;
/** Longest that an expression may take for some rows at once; one by one, where that was too long. */
const MAX_WORK_MS = 100;
/** Rows that may take longer before the search gives up. */
const MAX_SLOW_ROWS = 10;
/** Hits of one row that are counted. */
const MAX_HITS = 10_000;

export type HitCounterOutcome =
  | { readonly kind: 'counter'; readonly counter: HitCounter }
  /** One sentence for people. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Never throws. */
export function createHitCounter(query: FindQuery): HitCounterOutcome {
  const matching = createMatcher({ ...query, limit: 1 });
  if (matching.kind === 'problem') return matching;
  return { kind: 'counter', counter: new HitCounter(expressionOf(query), matching.matcher.pattern) };
}

/**
 * Counts hits in texts. A person's expression may take for ever on some text: only a script with a time limit can be
 * stopped in the middle of a match.
 */
export class HitCounter {
  readonly #expression: RegExp;
  readonly #script = new Script('count()');
  readonly #context: Context;
  #rows: readonly (readonly string[])[] = [];
  #counts: number[] = [];
  #slowRows = 0;
  #hasLongTexts = false;

  constructor(
    expression: RegExp,
    /** What the bytes of a line with a hit must hold; null: any line may have one. */
    readonly pattern: BytePattern | null,
  ) {
    this.#expression = expression;
    this.#context = createContext({
      count: () => {
        for (const texts of this.#rows) this.#counts.push(countIn(texts, this.#expression));
      },
    });
  }

  /** Some texts were not looked through, or not wholly. */
  get isCut(): boolean {
    return this.#slowRows > 0 || this.#hasLongTexts;
  }

  get isHopeless(): boolean {
    return this.#slowRows >= MAX_SLOW_ROWS;
  }

  /** Hits in the texts of each row. */
  count(rows: readonly (readonly string[])[]): readonly number[] {
    if (rows.length === 0) return [];
    const bounded = rows.map((texts) => texts.map((text) => this.#bound(text)));
    if (this.#run(bounded)) return this.#counts;
    return bounded.map((texts) => {
      if (this.isHopeless) return 0;
      if (this.#run([texts])) return this.#counts[0] ?? 0;
      this.#slowRows++;
      return 0;
    });
  }

  /** False when it took too long. */
  #run(rows: readonly (readonly string[])[]): boolean {
    this.#rows = rows;
    this.#counts = [];
    try {
      this.#script.runInContext(this.#context, { timeout: MAX_WORK_MS });
      return true;
    } catch {
      return false;
    } finally {
      this.#rows = [];
    }
  }

  #bound(text: string): string {
    if (text.length <= MAX_TEXT_UNITS) return text;
    this.#hasLongTexts = true;
    return text.slice(0, MAX_TEXT_UNITS);
  }
}

function expressionOf({ text, isRegExp, isCaseSensitive }: FindQuery): RegExp {
  const flags = isCaseSensitive ? 'gm' : 'gim';
  if (!isRegExp) return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), `${flags}u`);
  try {
    return new RegExp(text, `${flags}u`);
  } catch {
    // People escape what needs no escape, which `u` forbids; that it is an expression at all was seen before.
    return new RegExp(text, flags);
  }
}

function countIn(texts: readonly string[], expression: RegExp): number {
  let hits = 0;
  for (const text of texts) {
    expression.lastIndex = 0;
    for (let found = expression.exec(text); found !== null && hits < MAX_HITS; found = expression.exec(text)) {
      if (found[0] === '') expression.lastIndex++;
      else hits++;
    }
  }
  return hits;
}
