import type { ContentBlock, FindQuery, MatchEdge, MatchedText, MatchedTexts } from '../../../protocol/conversation';
import { rowRole } from '../../providers/claude/format/rowTexts';
import type { JsonObject } from '../../util/json';
import { describeRow } from '../items/describeRow';
import { bareContext } from '../items/rowContext';
import type { BytePattern } from '../search/candidateLines';
import { requiredLiteral } from '../search/requiredLiteral';
import { createMatcher, escapeText, hitsIn, parseExpression, TimedRows } from '../search/textMatcher';

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
  return parseExpression(isRegExp ? text : escapeText(text), isCaseSensitive ? 'gm' : 'gim');
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

/** Longest part of a match that is told, in UTF-16 units. */
const MAX_TEXT_UNITS = 200;
const WORD = /[\p{L}\p{N}]/u;

/** What was matched between two places of a text, and what stands beside it there. */
function matchedText(text: string, start: number, end: number): MatchedText {
  const hit = text.slice(start, Math.min(end, start + MAX_TEXT_UNITS)).replace(/[\ud800-\udbff]$/, '');
  return {
    text: hit,
    before: edgeOf(/[^]$/u.exec(text.slice(Math.max(0, start - 2), start))?.[0], /^[^]/u.exec(hit)?.[0]),
    after:
      start + hit.length < end ? 'any' : edgeOf(/^[^]/u.exec(text.slice(end, end + 2))?.[0], /[^]$/u.exec(hit)?.[0]),
  };
}

/** Marks of Markdown, which are not shown, stand where no word is: only beside a word it is told whether it goes on. */
function edgeOf(beside: string | undefined, edge = ''): MatchEdge {
  if (beside === undefined || beside === '\n') return 'line';
  if (!WORD.test(edge)) return 'any';
  return WORD.test(beside) ? 'inside' : 'gap';
}

/** Of all items together: texts that differ, their UTF-16 units, and places in them. */
const MAX_TEXTS = 5000;
const MAX_POOL_UNITS = 500_000;
const MAX_PLACES = 100_000;

/** What was matched in which item, each text once. Bounded: what is too much is left out. */
export class MatchedPool {
  readonly #texts = new Map<string, { readonly place: number; readonly matched: MatchedText }>();
  readonly #ofItems = new Map<number, Set<number>>();
  #units = 0;
  #places = 0;

  add(item: number, texts: readonly MatchedText[]): void {
    const places = this.#ofItems.get(item) ?? new Set();
    this.#ofItems.set(item, places);
    for (const matched of texts) {
      const place = this.#placeOf(matched);
      if (place === null || places.has(place) || this.#places >= MAX_PLACES) continue;
      places.add(place);
      this.#places++;
    }
  }

  of(items: readonly number[]): MatchedTexts {
    return {
      texts: [...this.#texts.values()].map(({ matched }) => matched),
      ofItems: items.map((item) => [...(this.#ofItems.get(item) ?? [])]),
    };
  }

  #placeOf(matched: MatchedText): number | null {
    const key = keyOf(matched);
    const known = this.#texts.get(key);
    if (known !== undefined) return known.place;
    if (this.#texts.size >= MAX_TEXTS || this.#units + matched.text.length > MAX_POOL_UNITS) return null;
    this.#units += matched.text.length;
    const place = this.#texts.size;
    this.#texts.set(key, { place, matched });
    return place;
  }
}

/** The same for the same text with the same edges. */
function keyOf({ text, before, after }: MatchedText): string {
  return `${before} ${after} ${text}`;
}

/** Words of the panel's own that titles begin with. */
const OWN_WORDS =
  'api error, attachment, command output, document, empty message, memory, note to claude, system, task notification, turn duration';
/** What the bytes of a line hold whose row is shown with a title that does not stand in it as it is. */
const TITLED = String.raw`"(?:system|attachment|document)"|"isMeta"|<(?:local-command|bash-std|system-rem|task-not|user-memory)`;
const TITLED_BYTES = 16;

/** The texts of a row with those of its titles that do not stand in it: such as `Stop hook summary` and `Document: spec.pdf`. */
export function withTitles(texts: readonly string[], row: JsonObject): readonly string[] {
  const blocks = blocksOf(row);
  const notes = blocks.filter((block) => block.kind === 'note' || block.kind === 'raw');
  if (notes.length === 0) return texts;
  const titles = notes.map(({ title }) => title);
  // What is shown in the title is shown once.
  if (blocks.every((block) => block.kind === 'note' && block.body === null)) return titles;
  return [...titles, ...texts.filter((text) => !titles.some((title) => title === text || title.endsWith(`: ${text}`)))];
}

function blocksOf(row: JsonObject): readonly ContentBlock[] {
  const role = rowRole(row);
  // Replies have none, and rows of results are many.
  if (role === null || role === 'assistant' || role === 'progress' || 'toolUseResult' in row) return [];
  return describeRow(row, bareContext(0)).blocks;
}

/** A pattern that the lines with such titles have, too, where what is looked for may stand in one of them. */
function withTitled(pattern: BytePattern, { text, isRegExp, isCaseSensitive }: FindQuery): BytePattern {
  const needle = isRegExp ? requiredLiteral(text) : text;
  // A word of other titles is in the row, but for its first letter.
  const isInRow = !isCaseSensitive && !/[\s:]/.test(needle) && !OWN_WORDS.includes(needle.toLowerCase());
  if (isInRow) return pattern;
  return {
    expression: new RegExp(`${pattern.expression.source}|${TITLED}`, 'g'),
    maxBytes: Math.max(pattern.maxBytes, TITLED_BYTES),
  };
}
