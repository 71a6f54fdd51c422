import type { MarkedExtension } from 'marked';
import { linkTarget } from './linkTarget';

/**
 * How marked's tokens become HTML. Tags of the text itself stay text: a reader of a conversation about HTML wants to see
 * them, and nothing of a transcript is ever markup. Only four that mean no more than they look like are taken.
 */
const HARMLESS_TAG = /^<(?:br ?\/?|\/?(?:kbd|sub|sup))>$/i;

export function renderer(breaks: boolean): MarkedExtension {
  return {
    breaks,
    renderer: {
      html({ text, block }) {
        if (HARMLESS_TAG.test(text.trim())) return text.trim();
        return block ? `<p data-look="verbatim">${escapeHtml(text.trimEnd())}</p>` : escapeHtml(text);
      },
      text(token) {
        if ('tokens' in token) return this.parser.parseInline(token.tokens ?? []);
        return escapeHtml(token.text);
      },
      code({ text, lang }) {
        const language = /^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0] ?? '';
        return `<pre data-language="${escapeHtml(language)}">${escapeHtml(text)}\n</pre>`;
      },
      codespan({ text }) {
        return `<code>${escapeHtml(text)}</code>`;
      },
      link({ href, tokens }) {
        return link(href, this.parser.parseInline(tokens));
      },
      image({ href, text }) {
        return link(href, escapeHtml(text === '' ? shorten(href) : text));
      },
      checkbox({ checked }) {
        return `<i data-look="${checked ? 'done' : 'open'}"></i>`;
      },
      tablecell({ tokens, header, align }) {
        const tag = header ? 'th' : 'td';
        const look = align === null ? '' : ` data-look="${align}"`;
        return `<${tag}${look}>${this.parser.parseInline(tokens)}</${tag}>`;
      },
    },
  };
}

function link(href: string, label: string): string {
  return linkTarget(href) === null ? label : `<a data-href="${escapeHtml(href)}">${label}</a>`;
}

/** An image that is in its own address has nothing to read. */
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
