import { Lexer, Parser, Tokenizer, type Tokens } from 'marked';
import { TranscriptRenderer } from './transcriptRenderer';

/** A text whose shape would take the parser too long, or nests too deep: it is shown as it is. */
class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';
}

/** Characters that rules which look ahead may go over in one text: some hundred times its length. */
const MAX_LOOKED_AT = 4_000_000;
const MAX_DEPTH = 20;
const MAX_CELLS = 3_000;
/** Of one text: more take long to lay out. */
const MAX_ELEMENTS = 3_500;

/** marked's rules, with an end to their work: some of them take the square of a text's length for what no person writes. */
class BoundedTokenizer extends Tokenizer {
  #lookedAt = 0;
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
    // No tag is more than text here: it opens nothing that changes how what follows is read.
    this.lexer.state.inLink = false;
    this.lexer.state.inRawBlock = false;
    return token;
  }

  /** What a rule found was gone over once; to find nothing, it may have gone to the end. */
  #nested<T extends Tokens.Generic>(src: string, read: () => T | undefined): T | undefined {
    if (this.#depth >= MAX_DEPTH) throw new OverBudgetError();
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
    this.#lookedAt += chars;
    if (this.#lookedAt > MAX_LOOKED_AT) throw new OverBudgetError();
  }
}

/** HTML of a Markdown text, not yet to be trusted; null when it would take too long, nests too deep or has too many parts. */
export function boundedMarkdown(text: string, breaks: boolean): string | null {
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
    // A stack that is full is one more way to say that it nests too deep.
    if (error instanceof OverBudgetError || error instanceof RangeError) return null;
    throw error;
  }
}
