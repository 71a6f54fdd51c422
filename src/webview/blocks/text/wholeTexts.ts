import { BoundedCache } from './boundedCache';

/** UTF-16 units of texts that were asked for and are kept while their rows are scrolled out of sight. */
const MAX_KEPT_CHARS = 8 * 1024 * 1024;

/** Texts that a person asked to see whole, by transcript, line, path and size. */
export const wholeTexts = new BoundedCache<string>(MAX_KEPT_CHARS);
