/** Longest beginning of a value that is looked at to judge it. */
export const MAX_JUDGED = 512;

/** Bits a character, below which a value is more likely to be a word, or made up. */
const MIN_ENTROPY = 2.7;

/** Letters and digits with little order; words with signs between them are names, not tokens. */
export function isMixed(secret: string): boolean {
  const judged = secret.slice(0, MAX_JUDGED);
  return /\d/.test(judged) && /[A-Za-z]/.test(judged) && entropyOf(judged) >= 2.5 && !isPlaceholder(secret);
}

/** Told from names of variables and types, calls, paths, and what people write in a secret's place. */
export function isRandom(secret: string): boolean {
  if (isPlaceholder(secret) || isReference(secret)) return false;
  const judged = secret.slice(0, MAX_JUDGED);
  if (/^\d+(?:[.:_-]\d+)*$/.test(judged) || isWords(judged) || /^(?:my|test)[_-]/i.test(judged)) return false;
  const hasOther = /[A-Za-z]/.test(judged) && (/\d/.test(judged) || /[!@#$%^*~?+=|]/.test(judged));
  return hasOther && entropyOf(judged) >= MIN_ENTROPY;
}

/** `page-2-of-10`, `Token2Type`, `us-east-1`: words, with signs or short numbers between them. */
function isWords(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).every((part) => {
    if (/^(?:[A-Za-z]*|\d{1,4}|[A-Za-z]\d{1,3})$/.test(part)) return true;
    const words = part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/);
    return words.every((word) => /^(?:[A-Z]?[a-z]{2,}|\d{1,4})$/.test(word)) && words.some((word) => word.length > 3);
  });
}

/** Says where a value is to be found, and is none: `config.password`, `getSecret(…)`, `./keys/server.pem`. */
export function isReference(value: string): boolean {
  const judged = value.slice(0, MAX_JUDGED);
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+[!?)\]}]*$/.test(judged)) return true;
  if (/^[\w.$]*[([{]/.test(judged)) return true;
  if (/^(?:\.{0,2}|~)?\//.test(judged) || /^[a-z][a-z0-9+.-]*:\/\//i.test(judged)) return true;
  if (/^(?:!(?:secret|env_var|env|ref|sub|getatt|vault|include)\b|arn:|vault:|keychain:)/i.test(judged)) return true;
  return judged.indexOf('/') !== judged.lastIndexOf('/') && isWords(judged);
}

/** `${TOKEN}`, `$TOKEN`, `<password>`, `%s`, `xxxxxxxx`, `********`: what stands for a secret, and what we put there. */
export function isPlaceholder(secret: string): boolean {
  return /^(?:\$(?:[{(]|[A-Za-z_]\w*[)}\]]*$|\d$)|[{<@#]\{|\{|<|%(?:[sdvw(]|\w+%$)|\[redacted:|\.{3}|…|(.)\1*[)}\]]*$|(?:your|example|dummy|fake|changeme|placeholder|replace|insert)(?:[_-]|$))/i.test(
    secret,
  );
}

/** Shannon's, in bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}
