import type { FindQuery } from '../../../shared/conversation';
import type { BytePattern } from '../../search/bytePattern';
import { createMatcher, escapeText, personsExpression } from '../../search/textMatcher';
import { TimedRows } from '../../search/timedRows';

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

/** Counts hits in texts. */
export class HitCounter {
  readonly #rows: TimedRows<number>;

  constructor(
    expression: RegExp,
    /** What the bytes of a line with a hit must hold; null: any line may have one. */
    readonly pattern: BytePattern | null,
  ) {
    this.#rows = new TimedRows((texts) => countIn(texts, expression), 0);
  }

  /** Some texts were not looked through, or not wholly. */
  get isCut(): boolean {
    return this.#rows.passedOver > 0;
  }

  get isHopeless(): boolean {
    return this.#rows.isHopeless;
  }

  /** Hits in the texts of each row. */
  count(rows: readonly (readonly string[])[]): readonly number[] {
    return this.#rows.answers(rows);
  }
}

function expressionOf({ text, isRegExp, isCaseSensitive }: FindQuery): RegExp {
  return personsExpression(isRegExp ? text : escapeText(text), isCaseSensitive ? 'gm' : 'gim');
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
