import type { FindQuery, MatchedText } from '../../../shared/conversation';
import type { BytePattern } from '../../search/bytePattern';
import { createMatcher, escapeText, hitsIn, personsExpression } from '../../search/textMatcher';
import { TimedRows } from '../../search/timedRows';
import { keyOf } from './matchedPool';
import { matchedText } from './matchedText';
import { withTitled } from './noteTitles';

/** Hits of one row that are counted. */
const MAX_HITS = 10_000;
/** Texts of one row that were matched, and differ. */
const MAX_MATCHED = 100;

export type HitCounterOutcome =
  | { readonly kind: 'counter'; readonly counter: HitCounter }
  /** One sentence for people. */
  | { readonly kind: 'problem'; readonly problem: string };

export interface RowHits {
  readonly hits: number;
  /** What a regular expression matched; empty for a plain text. */
  readonly matched: readonly MatchedText[];
}

const NONE: RowHits = { hits: 0, matched: [] };

/** Never throws. */
export function createHitCounter(query: FindQuery): HitCounterOutcome {
  const matching = createMatcher({ ...query, limit: 1 });
  if (matching.kind === 'problem') return matching;
  const { pattern } = matching.matcher;
  return { kind: 'counter', counter: new HitCounter(query, pattern === null ? null : withTitled(pattern, query)) };
}

/** Counts hits in texts. */
export class HitCounter {
  readonly #rows: TimedRows<RowHits>;

  constructor(
    query: FindQuery,
    /** What the bytes of a line with a hit must hold; null: any line may have one. */
    readonly pattern: BytePattern | null,
  ) {
    const expression = expressionOf(query);
    this.#rows = new TimedRows((texts) => countIn(texts, expression, query.isRegExp ? MAX_MATCHED : 0), NONE);
  }

  /** Some texts were not looked through, or not wholly. */
  get isCut(): boolean {
    return this.#rows.passedOver > 0;
  }

  get isHopeless(): boolean {
    return this.#rows.isHopeless;
  }

  /** One sentence for people where the expression takes too long; null where it does not. */
  get problem(): string | null {
    if (this.#rows.isHopeless) return 'This regular expression takes too long here: the search has ended early.';
    const { slowRows } = this.#rows;
    if (slowRows === 0) return null;
    return `This regular expression takes too long on some rows, which were passed over: ${slowRows}.`;
  }

  /** Hits in the texts of each row. */
  count(rows: readonly (readonly string[])[]): readonly RowHits[] {
    return this.#rows.answers(rows);
  }
}

function expressionOf({ text, isRegExp, isCaseSensitive }: FindQuery): RegExp {
  return personsExpression(isRegExp ? text : escapeText(text), isCaseSensitive ? 'gm' : 'gim');
}

function countIn(texts: readonly string[], expression: RegExp, maxMatched: number): RowHits {
  let hits = 0;
  const matched = new Map<string, MatchedText>();
  for (const text of texts) {
    for (const { start, end } of hitsIn(text, expression)) {
      if (hits === MAX_HITS) break;
      hits++;
      if (matched.size >= maxMatched) continue;
      const told = matchedText(text, start, end);
      matched.set(keyOf(told), told);
    }
  }
  return hits === 0 ? NONE : { hits, matched: [...matched.values()] };
}
