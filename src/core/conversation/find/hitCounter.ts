import type { ContentBlock, FindQuery, MatchEdge, MatchedText, MatchedTexts } from '../../../protocol/conversation';
import { rowRole } from '../../providers/claude/format/rowTexts';
import type { JsonObject } from '../../util/json';
import { describeRow } from '../items/describeRow';
import { bareContext } from '../items/rowContext';
import type { BytePattern } from '../search/candidateLines';
import { requiredLiteral } from '../search/requiredLiteral';
import { createMatcher, escapeText, hitsIn, parseExpression, TimedRows } from '../search/textMatcher';

/** Maximum number of hits that are counted in one row. */
const MAX_HITS = 10_000;
/** Maximum number of distinct matched texts in one row. */
const MAX_MATCHED = 100;

export type HitCounterOutcome =
  | { readonly kind: 'counter'; readonly counter: HitCounter }
  /** One sentence for people. */
  | { readonly kind: 'problem'; readonly problem: string };

export interface RowHits {
  readonly hits: number;
  /** The texts that a regular expression matched; empty for a plain text query. */
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
    /** A pattern that the bytes of every line with a hit match; null if any line may have a hit. */
    readonly pattern: BytePattern | null,
  ) {
    const expression = expressionOf(query);
    this.#rows = new TimedRows((texts) => countIn(texts, expression, query.isRegExp ? MAX_MATCHED : 0), NONE);
  }

  /** Whether some texts were skipped or only partly searched. */
  get isCut(): boolean {
    return this.#rows.skippedTexts > 0;
  }

  get isTooSlow(): boolean {
    return this.#rows.isTooSlow;
  }

  /** One sentence for people if the expression takes too long, otherwise null. */
  get problem(): string | null {
    if (this.#rows.isTooSlow) return 'This regular expression takes too long here: the search has ended early.';
    const { slowRows } = this.#rows;
    if (slowRows === 0) return null;
    return `This regular expression takes too long on some rows, which were passed over: ${slowRows}.`;
  }

  /** The hits in the texts of each row. */
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

/** Maximum length of a matched text, in UTF-16 units. */
const MAX_TEXT_UNITS = 200;
const WORD = /[\p{L}\p{N}]/u;

/** The text matched between two offsets, and what precedes and follows it. */
function matchedText(text: string, start: number, end: number): MatchedText {
  const hit = text.slice(start, Math.min(end, start + MAX_TEXT_UNITS)).replace(/[\ud800-\udbff]$/, '');
  return {
    text: hit,
    before: edgeOf(/[^]$/u.exec(text.slice(Math.max(0, start - 2), start))?.[0], /^[^]/u.exec(hit)?.[0]),
    after:
      start + hit.length < end ? 'any' : edgeOf(/^[^]/u.exec(text.slice(end, end + 2))?.[0], /[^]$/u.exec(hit)?.[0]),
  };
}

/**
 * Whether a word continues is reported only next to a word character: anywhere else, the neighbouring text may be
 * Markdown syntax, which is not displayed.
 */
function edgeOf(beside: string | undefined, edge = ''): MatchEdge {
  if (beside === undefined || beside === '\n') return 'line';
  if (!WORD.test(edge)) return 'any';
  return WORD.test(beside) ? 'inside' : 'gap';
}

/** Limits for all items together: distinct texts, their UTF-16 units, and references to them. */
const MAX_TEXTS = 5000;
const MAX_POOL_UNITS = 500_000;
const MAX_PLACES = 100_000;

/** The matched texts of each item, with each text stored once. Texts beyond the limits are left out. */
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

/** Equal for equal texts with equal edges. */
function keyOf({ text, before, after }: MatchedText): string {
  return `${before} ${after} ${text}`;
}

/** Words that the panel adds at the beginning of titles. */
const OWN_WORDS =
  'api error, attachment, command output, document, empty message, memory, note to claude, system, task notification, turn duration';
/** Matches the bytes of a line whose row is displayed with a title that is not literally in the row. */
const TITLED = String.raw`"(?:system|attachment|document)"|"isMeta"|<(?:local-command|bash-std|system-rem|task-not|user-memory)`;
const TITLED_BYTES = 16;

/**
 * The texts of a row, and those of its titles that are not literally in it, such as `Stop hook summary` and `Document:
 * spec.pdf`.
 */
export function withTitles(texts: readonly string[], row: JsonObject): readonly string[] {
  const blocks = blocksOf(row);
  const titles = blocks.map(addedTitle).filter((title) => title !== null);
  if (titles.length === 0) return texts;
  // A text that is displayed in the title is not displayed again.
  if (blocks.every((block) => block.kind === 'note' && block.body === null)) return titles;
  return [...titles, ...texts.filter((text) => !titles.some((title) => title === text || title.endsWith(`: ${text}`)))];
}

/** Null for a block whose title, if any, is literally in the row. */
function addedTitle(block: ContentBlock): string | null {
  switch (block.kind) {
    case 'note':
    case 'raw':
      return block.title;
    case 'text':
    case 'thinking':
    case 'tool':
    case 'result':
    case 'image':
    case 'compaction':
    case 'summary':
    case 'interruption':
    case 'error':
      return null;
  }
}

function blocksOf(row: JsonObject): readonly ContentBlock[] {
  const role = rowRole(row);
  // Replies have no such titles, and skipping the many result rows saves time.
  if (role === null || role === 'assistant' || role === 'progress' || 'toolUseResult' in row) return [];
  return describeRow(row, bareContext(0)).blocks;
}

/** Extends a pattern to the lines with such titles if the needle may occur in one of them. */
function withTitled(pattern: BytePattern, { text, isRegExp, isCaseSensitive }: FindQuery): BytePattern {
  const needle = isRegExp ? requiredLiteral(text) : text;
  // A word of any other title is in the row, except for the case of its first letter.
  const isInRow = !isCaseSensitive && !/[\s:]/.test(needle) && !OWN_WORDS.includes(needle.toLowerCase());
  if (isInRow) return pattern;
  return {
    expression: new RegExp(`${pattern.expression.source}|${TITLED}`, 'g'),
    maxBytes: Math.max(pattern.maxBytes, TITLED_BYTES),
  };
}
