import { Renderer, type Tokens } from 'marked';
import { linkTarget } from './linkTarget';

const HARMLESS_TAG = /^<(?:br ?\/?|\/?(?:kbd|sub|sup))>$/i;

/**
 * How marked's tokens become HTML. Tags of the text itself stay text: a reader of a conversation about HTML wants to see
 * them, and nothing of a transcript is ever markup. Only four that mean no more than they look like are taken.
 */
export class TranscriptRenderer extends Renderer {
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
