import type { MatchEdge, MatchedText, PanelItem } from '../../../protocol/conversation';
import type { TextMatcher } from '../../blocks/blockHost';
import { ESCAPES } from '../../blocks/text/controls';
import { textsOf } from '../../blocks/text/texts';
import { rowsOf } from '../list/pieces';

const HITS = 'rethread-hits';
const CURRENT = 'rethread-current-hits';
/** Limit for one row: only the beginning of a longer one is marked. */
const MAX_TEXT = 1_200_000;
const MAX_HITS = 2000;

export const canMarkHits = 'highlights' in CSS;

/** Marks hits without changing their elements. */
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
 * Hits in a drawn row. They may span emphasis and colours, which are separate elements, but not paragraphs. If the row has
 * more hits because they contain markup that is not shown, their displayed form is searched for as well.
 * @param count  number of hits in all of the row's texts
 */
export function hitsOf(row: HTMLElement, item: PanelItem | null, find: TextMatcher, count: number): Range[] {
  const { nodes, text } = textOf(row);
  const hits = find(text, MAX_HITS);
  const blocks = item === null ? [] : rowsOf(item).flatMap((each) => each.blocks);
  if (hits.length >= count || blocks.length === 0) return rangesOf(nodes, hits);
  const loose = looseMatcher(textsOf(blocks), find)?.(text, MAX_HITS) ?? [];
  const others = loose.filter((each) => !hits.some(({ start, end }) => start < each.end && each.start < end));
  return rangesOf(
    nodes,
    [...hits, ...others].sort((a, b) => a.start - b.start),
  );
}

interface TextNode {
  readonly node: Node;
  /** Offset in the text of the row. */
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

/** Finds a plain text by the same rules as the engine. */
export function plainMatcher(text: string, isCaseSensitive: boolean): TextMatcher {
  return matcherOf(escapeRegExp(text), isCaseSensitive ? '' : 'i');
}

/** Finds the texts that the engine reports for a regular expression: one that never ends would freeze the panel. */
export function matchedMatcher(matched: readonly MatchedText[]): TextMatcher {
  const longestFirst = [...matched].sort((a, b) => b.text.length - a.text.length);
  const sources = longestFirst.map(({ text, before, after }) => BEFORE[before] + escapeRegExp(text) + AFTER[after]);
  return matcherOf(sources.join('|') || '(?!)');
}

/** Skips terminal commands. In a text that has some, offsets of hits are increased by the length of all of them. */
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
/** Matches text that may be displayed differently: more than words and simple punctuation. */
const WRITTEN = /[^\p{L}\p{N} .,;:!?'-]/u;

/**
 * Finds the displayed form of hits in written texts, without the parts that are not shown, such as Markdown marks and
 * addresses of links. Hits are recognised by their words, with any characters in between. Null if there are none.
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
