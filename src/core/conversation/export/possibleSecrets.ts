import type { SecretRule } from './secretRule';
import { entropyOf, isPlaceholder, isScrambled } from './secretValues';

/** As displayed to people: `[redacted: possible-secret]`. */
const POSSIBLE_KIND = 'possible-secret';

/** Shorter runs are too often names. */
const MIN_LENGTH = 20;
/** Number of characters by which a run is judged. */
const MAX_JUDGED = 512;
/** In bits per character. Random text of this length has more; words and names have less. */
const MIN_ENTROPY = 3.6;
/** Checksums, and the ids of the API, which are in every transcript. */
const KNOWN = /^(?:sha\d{1,3}[-_]|(?:toolu|srvtoolu|msg|req|call|chatcmpl)_)/;

/**
 * Whatever looks random, without a known form or a name beside it. Ids and checksums may look the same, so people choose
 * whether it is replaced.
 */
export const POSSIBLE_RULES: readonly SecretRule[] = [
  {
    kind: POSSIBLE_KIND,
    expression: /(?<![A-Za-z0-9_+/=.-])[A-Za-z0-9_+/=-]{20,}/g,
    isSecret: isPossibleSecret,
  },
];

function isPossibleSecret(run: string): boolean {
  const judged = run.slice(0, MAX_JUDGED);
  if (judged.length < MIN_LENGTH || KNOWN.test(judged) || isPlaceholder(judged)) return false;
  // Hexadecimal runs are commits and checksums.
  if (!/[a-z]/.test(judged) || !/[A-Z]/.test(judged) || !/\d/.test(judged)) return false;
  if (judged.includes('/') && judged.split('/').some((part) => /^(?:[A-Z]?[a-z]{3,}|)$/.test(part))) return false;
  return entropyOf(judged) >= MIN_ENTROPY && judged.split(/[^A-Za-z0-9]+/).some(isScrambled);
}
