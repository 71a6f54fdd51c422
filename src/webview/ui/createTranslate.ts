/** The sentence in the language of the window; `{0}`, `{1}` … stand for `args`. */
export type Translate = (english: string, ...args: readonly (string | number)[]) => string;

/** @param texts  translations by their English text; what is missing stays English */
export function createTranslate(texts: Readonly<Record<string, string>>): Translate {
  return (english, ...args) => {
    const text = Object.hasOwn(texts, english) ? (texts[english] ?? english) : english;
    return text.replace(/\{(\d)\}/g, (placeholder, at: string) => String(args[Number(at)] ?? placeholder));
  };
}
