import type { ConversationItem, MatchEdge, MatchedText } from '../../../protocol/conversation';
import type { TextMatcher } from '../../blocks/blockHost';
import { ESCAPES } from '../../blocks/text/controls';
import { textsOf } from '../../blocks/text/texts';

const HITS = 'rethread-hits';
const CURRENT = 'rethread-current-hits';
/** Of one row: what is longer is marked at its beginning only. */
const MAX_TEXT = 1_200_000;
const MAX_HITS = 2000;

export const canMarkHits = 'highlights' in CSS;

/** Marks hits without touching their elements. */
export function markHits(hits: readonly Range[], current: readonly Range[]): void {
  CSS.highlights.set(HITS, new Highlight(...hits.slice(0, MAX_HITS)));
  CSS.highlights.set(CURRENT, new Highlight(...current.slice(0, MAX_HITS)));
}

export function unmarkHits(): void {
  if (!canMarkHits) return;
  CSS.highlights.delete(HITS);
  CSS.highlights.delete(CURRENT);
}

/**
 * Hits in a row that is drawn. They go through emphasis and colours, which are elements of their own, but not from one
 * paragraph to the next. Where it has more, and they have marks that are not shown, what stands for them is found.
 * @param count  hits in all of the row's texts
 */
export function hitsOf(row: HTMLElement, item: ConversationItem | null, find: TextMatcher, count: number): Range[] {
  const { nodes, text } = textOf(row);
  const hits = find(text, MAX_HITS);
  if (hits.length >= count || item?.kind !== 'row') return rangesOf(nodes, hits);
  const loose = looseMatcher(textsOf(item.blocks), find)?.(text, MAX_HITS) ?? [];
  const others = loose.filter((each) => !hits.some(({ start, end }) => start < each.end && each.start < end));
  return rangesOf(
    nodes,
    [...hits, ...others].sort((a, b) => a.start - b.start),
  );
}

interface TextNode {
  readonly node: Node;
  /** Where it begins in the text of the row. */
  readonly start: number;
}

function textOf(row: HTMLElement): { readonly nodes: readonly TextNode[]; readonly text: string } {
  const nodes: TextNode[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && text.length < MAX_TEXT; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent?.closest('[data-unsearched]')) continue;
    const around = parent?.closest('p,li,pre,td,th,div,h1,h2,h3,h4,h5,h6,button,summary') ?? null;
    if (around !== block) text += '\n';
    block = around;
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  return { nodes, text };
}

function rangesOf(nodes: readonly TextNode[], hits: ReturnType<TextMatcher>): Range[] {
  return hits.flatMap(({ start, end }) => {
    const [from, to] = [nodeAt(nodes, start), nodeAt(nodes, end - 1)];
    if (from === undefined || to === undefined) return [];
    const range = new Range();
    range.setStart(from.node, Math.min(start - from.start, from.node.nodeValue?.length ?? 0));
    range.setEnd(to.node, Math.min(end - to.start, to.node.nodeValue?.length ?? 0));
    return [range];
  });
}

function nodeAt(nodes: readonly TextNode[], at: number): TextNode | undefined {
  let [low, high] = [0, nodes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((nodes[middle]?.start ?? Infinity) <= at) low = middle;
    else high = middle - 1;
  }
  return nodes[low];
}

const WORD = '[\\p{L}\\p{N}]';
const BEFORE: Readonly<Record<MatchEdge, string>> = {
  line: '^',
  gap: `(?<!${WORD})`,
  inside: `(?<=${WORD})`,
  any: '',
};
const AFTER: Readonly<Record<MatchEdge, string>> = { line: '$', gap: `(?!${WORD})`, inside: `(?=${WORD})`, any: '' };

/** Finds a plain text as the engine does. */
export function plainMatcher(text: string, isCaseSensitive: boolean): TextMatcher {
  return matcherOf(escapeRegExp(text), isCaseSensitive ? '' : 'i');
}

/** Finds what a regular expression matched, as the engine tells it: one that never ends would end the panel. */
export function matchedMatcher(matched: readonly MatchedText[]): TextMatcher {
  const longestFirst = [...matched].sort((a, b) => b.text.length - a.text.length);
  const sources = longestFirst.map(({ text, before, after }) => BEFORE[before] + escapeRegExp(text) + AFTER[after]);
  return matcherOf(sources.join('|') || '(?!)');
}

/** Commands to a terminal are passed over: in a text that has some, a hit is told to be as far on as all of them are long. */
function matcherOf(source: string, flags = ''): TextMatcher {
  const expression = new RegExp(source, `gmu${flags}`);
  return (written, limit = Infinity) => {
    const text = written.replace(ESCAPES, '');
    const hits: { start: number; end: number }[] = [];
    for (const { 0: hit, index } of text.matchAll(expression)) {
      if (hits.length >= limit) break;
      const start = index + written.length - text.length;
      if (hit !== '') hits.push({ start, end: start + hit.length });
    }
    return hits;
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

const MAX_LOOSE_HITS = 50;
const MAX_HIT_CHARS = 400;
const WORDS = new RegExp(`${WORD}+`, 'gu');
/** What is of words alone is shown as it is written. */
const WRITTEN = /[^\p{L}\p{N} .,;:!?'-]/u;

/**
 * Finds hits in texts as they are written again where they are shown without what means their look: marks of Markdown,
 * addresses of links. They are known by their words, with whatever stands between them. Null where there are none.
 */
function looseMatcher(written: readonly string[], find: TextMatcher): TextMatcher | null {
  const sources = new Set<string>();
  for (const raw of written) {
    const text = raw.replace(ESCAPES, '');
    for (const { start, end } of find(text, MAX_LOOSE_HITS)) {
      const hit = text.slice(start, Math.min(end, start + MAX_HIT_CHARS));
      const words = WRITTEN.test(hit) ? hit.replace(/\]\([^)\s]*\)?/g, ' ').match(WORDS) : null;
      if (words === null) continue;
      const [before, after] = [text[start - 1], text[end]].map((beside) => beside?.search(WORDS) === 0);
      const source = words.join('[^\\p{L}\\p{N}]{0,40}');
      sources.add(`${before ? '' : `(?<!${WORD})`}${source}${after ? '' : `(?!${WORD})`}`);
    }
  }
  return sources.size === 0 ? null : matcherOf([...sources].join('|'));
}
