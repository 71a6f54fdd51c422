/** Texts that are looked up for a copy. */
const MAX_KNOWN_TEXTS = 1000;

/** All texts of one kind, one behind the other. */
export interface TextBlock {
  readonly bytes: Buffer;
  /** They take two bytes a unit instead of one. */
  readonly isWide: boolean;
}

/** Collects texts of one kind. One that came before, as directories and models do, is kept once. */
export class TextBlockBuilder {
  readonly #pieces: string[] = [];
  readonly #known = new Map<string, number>();
  #length = 0;

  /** Returns where the text begins, in UTF-16 units. */
  add(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const start = this.#length;
    this.#length += text.length;
    this.#pieces.push(text);
    if (this.#known.size < MAX_KNOWN_TEXTS) this.#known.set(text, start);
    return start;
  }

  /** Not in UTF-8, which has no place for the half of a surrogate pair that cutting a title may leave. */
  encode(): TextBlock {
    const text = this.#pieces.join('');
    const isWide = /[^\0-\u00ff]/.test(text);
    return { bytes: Buffer.from(text, isWide ? 'utf16le' : 'latin1'), isWide };
  }
}
