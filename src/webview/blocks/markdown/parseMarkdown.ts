import DOMPurify from 'dompurify';
import { Lexer, Parser, Renderer, Tokenizer, type Tokens } from 'marked';
import { BoundedCache } from '../text/boundedCache';
import { MAX_PIECE_CHARS } from './splitMarkdown';

/** Markdown as a tree that contains only what may be shown. */
export type MarkdownNode = string | MarkdownElement;

export interface MarkdownElement {
  readonly tag: MarkdownTag;
  /** Set for a link. */
  readonly href: string | null;
  /** Set for a code block. */
  readonly language: string | null;
  /** `left`, `center`, `right` for a table cell; `done`, `open` for a task; `verbatim`. */
  readonly look: string | null;
  /** Set for an ordered list. */
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
/** UTF-16 units of the texts whose trees are cached, so that scrolling back does not parse again. */
const MAX_KEPT_CHARS = 1024 * 1024;

const parsed = new BoundedCache<readonly MarkdownNode[] | null>(MAX_KEPT_CHARS);

/**
 * @param breaks  each newline is a line break, as intended by a person who types
 * @returns null if the text must be shown unformatted, because parsing it would take too long
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
    // Neither ever becomes an address in the page: links go through `linkTarget`, which also accepts paths.
    ADD_URI_SAFE_ATTR: ['data-href', 'data-language'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOW_UNKNOWN_PROTOCOLS: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Copies only known data of each element, so that even content that passes the sanitiser cannot reach the page. */
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

/** Thrown for a text that would take too long to parse or nests too deeply; it is shown unformatted. */
class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';
}

/** Characters that look-ahead rules may read in one text: some hundred times its length. */
const MAX_CHARS_READ = 4_000_000;
const MAX_SOURCE_DEPTH = 20;
const MAX_CELLS = 3_000;
/** Limit for one text: more elements take long to lay out. */
const MAX_ELEMENTS = 3_500;

/** marked's rules with a limit on their work: some of them take quadratic time for input that no person writes. */
class BoundedTokenizer extends Tokenizer {
  #charsRead = 0;
  #depth = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    if (!/^ {0,3}>/.test(src)) return undefined;
    return this.#nested(src, () => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    if (!/^ {0,3}(?:[*+-]|\d{1,9}[.)])/.test(src)) return undefined;
    return this.#nested(src, () => super.list(src));
  }

  override emStrong(src: string, masked: string, previous?: string): Tokens.Em | Tokens.Strong | undefined {
    if (!/^[*_]/.test(src)) return undefined;
    return this.#nested(src, () => super.emStrong(src, masked, previous));
  }

  override del(src: string, masked: string, previous?: string): Tokens.Del | undefined {
    if (!src.startsWith('~')) return undefined;
    return this.#nested(src, () => super.del(src, masked, previous));
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    if (!/^!?\[/.test(src)) return undefined;
    return this.#nested(src, () => super.link(src));
  }

  override url(src: string): Tokens.Link | undefined {
    this.#spend(Math.min(src.length, 2000));
    return super.url(src);
  }

  override table(src: string): Tokens.Table | undefined {
    const head = src.slice(0, src.indexOf('\n') + 1);
    if (!head.includes('|')) return undefined;
    const end = /\n[ \t]*\n/.exec(src)?.index ?? src.length;
    const cells = (head.split('|').length + 1) * src.slice(0, end).split('\n').length;
    return cells > MAX_CELLS ? undefined : super.table(src);
  }

  override tag(src: string): Tokens.Tag | undefined {
    const token = super.tag(src);
    // Every tag is text here, so it must not change how the following text is parsed.
    this.lexer.state.inLink = false;
    this.lexer.state.inRawBlock = false;
    return token;
  }

  /** A rule that matches has read its match once; a rule that does not match may have read to the end. */
  #nested<T extends Tokens.Generic>(src: string, read: () => T | undefined): T | undefined {
    if (this.#depth >= MAX_SOURCE_DEPTH) throw new OverBudgetError();
    this.#depth += 1;
    try {
      const token = read();
      this.#spend(token?.raw.length ?? src.length);
      return token;
    } finally {
      this.#depth -= 1;
    }
  }

  #spend(chars: number): void {
    this.#charsRead += chars;
    if (this.#charsRead > MAX_CHARS_READ) throw new OverBudgetError();
  }
}

/** Untrusted HTML of a Markdown text; null if it would take too long, nests too deeply or has too many elements. */
export function boundedMarkdown(text: string, breaks: boolean): string | null {
  // Only `splitMarkdown` makes pieces. Within the limits above, some runs of marks of this length would take a second.
  if (text.length > MAX_PIECE_CHARS) return null;
  const options = {
    gfm: true,
    breaks,
    tokenizer: new BoundedTokenizer(),
    renderer: new TranscriptRenderer(),
  };
  try {
    const html = Parser.parse(Lexer.lex(text, options), options);
    return (html.match(/<[a-z]/g)?.length ?? 0) > MAX_ELEMENTS ? null : html;
  } catch (error) {
    // A stack overflow also means that the text nests too deeply.
    if (error instanceof OverBudgetError || error instanceof RangeError) return null;
    throw error;
  }
}

const HARMLESS_TAG = /^<(?:br ?\/?|\/?(?:kbd|sub|sup))>$/i;

/**
 * Converts marked's tokens to HTML. Tags in the text itself stay text: readers of a conversation about HTML want to see
 * them, and nothing in a transcript may become markup. Only four tags that merely affect appearance are accepted.
 */
class TranscriptRenderer extends Renderer {
  override html(token: Tokens.HTML | Tokens.Tag): string {
    const text = token.text;
    if (HARMLESS_TAG.test(text.trim())) return text.trim();
    return token.block ? `<p data-look="verbatim">${escapeHtml(text.trimEnd())}</p>` : escapeHtml(text);
  }

  override text(token: Tokens.Text | Tokens.Escape): string {
    if ('tokens' in token) return this.parser.parseInline(token.tokens ?? []);
    return escapeHtml(token.text);
  }

  override code({ text, lang }: Tokens.Code): string {
    const language = /^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0] ?? '';
    return `<pre data-language="${escapeHtml(language)}">${escapeHtml(text)}\n</pre>`;
  }

  override codespan({ text }: Tokens.Codespan): string {
    return `<code>${escapeHtml(text)}</code>`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    return link(href, this.parser.parseInline(tokens));
  }

  override image({ href, text }: Tokens.Image): string {
    return link(href, escapeHtml(text === '' ? shorten(href) : text));
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<i data-look="${checked ? 'done' : 'open'}"></i>`;
  }

  override tablecell({ tokens, header, align }: Tokens.TableCell): string {
    const tag = header ? 'th' : 'td';
    const look = align === null ? '' : ` data-look="${align}"`;
    return `<${tag}${look}>${this.parser.parseInline(tokens)}</${tag}>`;
  }
}

function link(href: string, label: string): string {
  return linkTarget(href) === null ? label : `<a data-href="${escapeHtml(href)}">${label}</a>`;
}

/** Shortens an image that is embedded in its own address, which is not readable. */
function shorten(href: string): string {
  return href.length > 200 ? `${href.slice(0, 80)}…` : href;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Where a link in a transcript may lead; null: nowhere, so it is shown as text. */
export type LinkTarget = 'web' | 'file';

const MAX_HREF_CHARS = 2048;

/**
 * Accepts only web and mail addresses, and files by path. Paths on other machines are rejected, because accessing
 * `\\server\share` reveals to the server who accesses it.
 */
export function linkTarget(href: string): LinkTarget | null {
  if (href === '' || href.length > MAX_HREF_CHARS) return null;
  // Browsers ignore tabs and newlines within a scheme; legitimate links contain none of these characters.

  // eslint-disable-next-line no-control-regex -- These characters are the search target.
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(href)) return null;
  if (/^https?:\/\/[^/\\\s]/i.test(href)) return 'web';
  if (/^mailto:[^\s@]+@[^\s@]+$/i.test(href)) return 'web';
  if (/^[\\/]{2}|^file:\/\/(?!\/)/i.test(href)) return null;
  if (/^file:\/\/\//i.test(href)) return /^file:\/\/\/[\\/]/i.test(href) ? null : 'file';
  if (href.startsWith('#')) return null;
  // A drive letter, or a name followed by a line number, is not a scheme.
  if (/^[a-z]:[\\/]/i.test(href) || /^[\w-]+(?:\.[\w-]+)+:\d+(?:[:-]\d+)?$/.test(href)) return 'file';
  return /^[a-z][a-z\d+.-]*:/i.test(href) ? null : 'file';
}
