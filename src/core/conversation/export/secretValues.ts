/** Length of the prefix by which a value is judged, in UTF-16 units. */
export const MAX_JUDGED = 512;

/** In bits per character. Values below it are more likely to be words, or made up. */
const MIN_ENTROPY = 2.7;

/** Whether the value mixes letters and digits irregularly. Words joined by punctuation are names, not tokens. */
export function isMixed(secret: string): boolean {
  const judged = secret.slice(0, MAX_JUDGED);
  return /\d/.test(judged) && /[A-Za-z]/.test(judged) && entropyOf(judged) >= 2.5 && !isPlaceholder(secret);
}

/** Whether the value looks random, unlike names of variables and types, calls, paths and placeholders. */
export function isRandom(secret: string): boolean {
  if (isPlaceholder(secret) || isReference(secret)) return false;
  const judged = secret.slice(0, MAX_JUDGED);
  if (/^\d+(?:[.:_-]\d+)*$/.test(judged) || isWords(judged) || /^(?:my|test)[_-]/i.test(judged)) return false;
  const hasOther = /[A-Za-z]/.test(judged) && (/\d/.test(judged) || /[!@#$%^*~?+=|]/.test(judged));
  return hasOther && entropyOf(judged) >= MIN_ENTROPY;
}

/** `page-2-of-10`, `Token2Type`, `us-east-1`: words, separated by punctuation or short numbers. */
function isWords(text: string): boolean {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return false;
  return text.split(/[^A-Za-z0-9]+/).every((part) => {
    if (isScrambled(part)) return false;
    if (/^(?:[A-Za-z]*|\d{1,4}|[A-Za-z]\d{1,3})$/.test(part)) return true;
    const words = part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/);
    return words.every((word) => /^(?:[A-Z]?[a-z]{2,}|\d{1,4})$/.test(word)) && words.some((word) => word.length > 3);
  });
}

/** Shorter parts are too short to tell. */
const MIN_SCRAMBLED = 9;
const MIN_MIXED_CASES = 14;

/** Whether letters, digits and cases alternate as they do in no name, or letters follow each other as in no word. */
export function isScrambled(part: string): boolean {
  if (part.length < MIN_SCRAMBLED) return false;
  const judged = part.slice(0, MAX_JUDGED);
  if (/[b-df-hj-np-tv-xz]{5}/.test(judged.replace(/ngths?|ghts|tches/g, 'a'))) return true;
  const steps = judged.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0;
  if (steps >= 3) return true;
  const cases = judged.match(/[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g)?.length ?? 0;
  return judged.length >= MIN_MIXED_CASES && /\d/.test(judged) && (cases + steps) * 5 >= judged.length;
}

/** Shorter values with dots are references: `user.password2`. */
const MIN_DOTTED = 20;

/** Whether the value refers to a secret stored elsewhere: `config.password`, `getSecret(…)`, `./keys/server.pem`. */
export function isReference(value: string): boolean {
  const judged = value.slice(0, MAX_JUDGED);
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+[!?)\]}]*$/.test(judged))
    return judged.length < MIN_DOTTED || !judged.split('.').some(isScrambled);
  if (/^[\w.$]*[([{]/.test(judged)) return true;
  if (/^(?:\.{0,2}|~)?\//.test(judged) || /^[a-z][a-z0-9+.-]*:\/\//i.test(judged)) return true;
  if (/^(?:!(?:secret|env_var|env|ref|sub|getatt|vault|include)\b|arn:|vault:|keychain:)/i.test(judged)) return true;
  return judged.indexOf('/') !== judged.lastIndexOf('/') && isWords(judged);
}

/**
 * `${TOKEN}`, `$TOKEN`, `<password>`, `%s`, `xxxxxxxx`, `********`: placeholders for secrets, including those of
 * `Redactor`.
 */
export function isPlaceholder(secret: string): boolean {
  return /^(?:\$(?:[{(]|[A-Za-z_]\w*[)}\]]*$|\d$)|[{<@#]\{|\{|<|%(?:[sdvw](?![A-Za-z0-9])|\(|\w+%$)|\[redacted:|\.{3}|…|(.)\1*[)}\]]*$|(?:your|example|dummy|fake|changeme|placeholder|replace|insert)(?:[_-]|$))/i.test(
    secret,
  );
}

/** Shannon entropy, in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}
