import DOMPurify from 'dompurify';
import { BoundedCache } from '../text/boundedCache';
import { boundedMarkdown } from './boundedMarkdown';

/** Markdown as a tree of what may be shown, and nothing else. */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  readonly tag: MarkdownTag;
  /** Of a link. */
  readonly href: string | null;
  /** Of a code block. */
  readonly language: string | null;
  /** `left`, `center`, `right` of a cell; `done`, `open` of a task; `verbatim`. */
  readonly look: string | null;
  /** Of an ordered list. */
  readonly start: number | null;
  readonly children: readonly MarkdownNode[];
}

// prettier-ignore
const TAGS = [
  'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'em', 'strong', 'del',
  'a', 'i', 'kbd', 'sub', 'sup', 'table', 'thead', 'tbody', 'tr', 'th', 'td',
] as const;
export type MarkdownTag = (typeof TAGS)[number];

const LOOKS = new Set(['left', 'center', 'right', 'done', 'open', 'verbatim']);
const MAX_DEPTH = 100;
/** UTF-16 units of the texts whose trees are kept, so that scrolling back parses nothing. */
const MAX_KEPT_CHARS = 1024 * 1024;

const parsed = new BoundedCache<readonly MarkdownNode[] | null>(MAX_KEPT_CHARS);

/**
 * @param breaks  each end of a line is one, as a person who types means it
 * @returns null when the text is to be shown as it is, since its shape would take too long to read
 */
export function parseMarkdown(text: string, breaks: boolean): readonly MarkdownNode[] | null {
  const key = `${breaks ? 1 : 0}${text}`;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const html = boundedMarkdown(text, breaks);
  const nodes = html === null ? null : nodesOf(sanitise(html), 0);
  parsed.set(key, nodes, text.length + 100);
  return nodes;
}

function sanitise(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...TAGS],
    ALLOWED_ATTR: ['data-href', 'data-language', 'data-look', 'start'],
    // Neither is ever an address of the page: links go through `linkTarget`, which knows paths too.
    ADD_URI_SAFE_ATTR: ['data-href', 'data-language'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOW_UNKNOWN_PROTOCOLS: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Copies what is known of each element, so that even what a sanitiser let through would not reach the page. */
function nodesOf(parent: Node, depth: number): MarkdownNode[] {
  const nodes: MarkdownNode[] = [];
  for (const child of parent.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) nodes.push(child.nodeValue ?? '');
    if (!(child instanceof HTMLElement)) continue;
    const tag = TAGS.find((known) => known === child.localName);
    if (tag === undefined || depth >= MAX_DEPTH) nodes.push(child.textContent);
    else nodes.push({ tag, ...attributesOf(child), children: nodesOf(child, depth + 1) });
  }
  return nodes;
}

function attributesOf(element: HTMLElement): Omit<MarkdownElement, 'tag' | 'children'> {
  const look = element.getAttribute('data-look');
  const start = Number(element.getAttribute('start') ?? NaN);
  return {
    href: element.getAttribute('data-href'),
    language: element.getAttribute('data-language'),
    look: look !== null && LOOKS.has(look) ? look : null,
    start: Number.isSafeInteger(start) ? start : null,
  };
}
