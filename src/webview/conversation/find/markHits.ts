import type { TextMatcher } from '../../blocks/blockHost';

const HITS = 'rethread-hits';
const CURRENT = 'rethread-current-hits';
/** Of one row: what is longer is marked at its beginning only. */
const MAX_TEXT = 200_000;
const MAX_HITS = 2000;

export const canMarkHits = 'highlights' in CSS;

/**
 * Marks what is found in rows that are drawn, without touching their elements.
 * @returns the first hit of the current row
 */
export function markHits(rows: Iterable<HTMLElement>, current: HTMLElement | null, matcher: TextMatcher): Range | null {
  const [hits, currentHits]: [Range[], Range[]] = [[], []];
  for (const row of rows) {
    const ranges = hitsOf(row, matcher);
    (row === current ? currentHits : hits).push(...ranges);
    if (hits.length > MAX_HITS) break;
  }
  CSS.highlights.set(HITS, new Highlight(...hits));
  CSS.highlights.set(CURRENT, new Highlight(...currentHits));
  return currentHits[0] ?? null;
}

export function unmarkHits(): void {
  CSS.highlights.delete(HITS);
  CSS.highlights.delete(CURRENT);
}

/** Hits go through emphasis and colours, which are elements of their own, but not from one paragraph to the next. */
function hitsOf(row: HTMLElement, matcher: TextMatcher): Range[] {
  const nodes: { node: Node; start: number }[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && text.length < MAX_TEXT; node = walker.nextNode()) {
    const around = node.parentElement?.closest('p,li,pre,td,th,div,h1,h2,h3,h4,h5,h6,button,summary') ?? null;
    if (around?.closest('[data-unsearched]')) continue;
    if (around !== block) text += '\n';
    block = around;
    nodes.push({ node, start: text.length });
    text += node.nodeValue ?? '';
  }
  return matcher(text).flatMap(({ start, end }) => {
    const [from, to] = [nodeAt(nodes, start), nodeAt(nodes, end - 1)];
    if (from === undefined || to === undefined) return [];
    const range = new Range();
    range.setStart(from.node, Math.min(start - from.start, from.node.nodeValue?.length ?? 0));
    range.setEnd(to.node, Math.min(end - to.start, to.node.nodeValue?.length ?? 0));
    return [range];
  });
}

function nodeAt<T extends { readonly start: number }>(nodes: readonly T[], at: number): T | undefined {
  let [low, high] = [0, nodes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((nodes[middle]?.start ?? Infinity) <= at) low = middle;
    else high = middle - 1;
  }
  return nodes[low];
}
