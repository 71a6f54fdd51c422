import { assignedSecrets, NAME } from './assignedSecrets';
import { encodedKeys, manifestSecrets, privateKeys, puttyKeys } from './keyBlocks';
import { NAMED_FORMS } from './namedForms';
import type { SecretRule } from './secretRule';
import { isMixed, isPlaceholder, isRandom, isReference } from './secretValues';
import { TOKEN_FORMS } from './tokenForms';

/** What shows as nothing or as a line break, and its last letter is no part of a word. */
const BETWEEN = String.raw`\x1b\[[0-9;]{0,20}m|\\[nrt]`;
/**
 * A token must not start in the middle of a word. It may start after a colour code, an escaped line break, an encoded
 * character, and a few marks of a diff, of emphasis or of an option.
 */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=${BETWEEN}|%[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2}|(?:^|[^A-Za-z0-9_-]|${BETWEEN})[_-]{1,3}))`;

const QUOTE = String.raw`(?:\\{0,3}["'${'`'}])?`;
const IS_SET = String.raw`${QUOTE}\s{0,5}(?:=>|:=|[:=])\s{0,5}${QUOTE}`;

const isNoPlaceholder = (secret: string): boolean => !isPlaceholder(secret);

/** Tokens that are recognized by their form alone. */
export const TOKEN_RULES: readonly SecretRule[] = TOKEN_FORMS.map(({ source, ...rule }): SecretRule => ({
  ...rule,
  expression: new RegExp(START + source, 'g'),
}));

/** By decreasing certainty: if two secrets overlap, the first rule determines the kind. */
export const SECRET_RULES: readonly SecretRule[] = [
  { kind: 'private-key', hint: 'PRIVATE', find: privateKeys },
  { kind: 'private-key', hint: 'Private-Lines:', find: puttyKeys },
  { kind: 'private-key', hint: 'LS0tLS1CRUdJTi', find: encodedKeys },
  { kind: 'kubernetes-secret', hint: 'Secret', find: manifestSecrets },
  ...TOKEN_RULES,
  {
    kind: 'aws-secret-key',
    expression: new RegExp(`(secret_?access_?key${IS_SET})([A-Za-z0-9/+]{40,}={0,2})`, 'gi'),
  },
  {
    kind: 'slack-webhook',
    hint: 'hooks.slack',
    expression: /(hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9/_-]{16,})/g,
  },
  {
    kind: 'discord-webhook',
    hint: '/webhooks/',
    expression: /(discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)(\d{5,20}\/[\w-]{20,})/g,
  },
  {
    kind: 'azure-key',
    expression: /((?:AccountKey|SharedAccessKey|SharedSecret)=)([A-Za-z0-9+/]{32,}={0,2})/gi,
  },
  { kind: 'azure-key', hint: 'sig=', expression: /([?&]sig=)([A-Za-z0-9%+/_-]{24,}(?:=|%3D){0,2})/g },
  {
    kind: 'app-key',
    hint: 'base64:',
    expression: new RegExp(`(APP_(?:PREVIOUS_)?KEYS?${IS_SET})(base64:[A-Za-z0-9+/]{32,}={0,2})`, 'g'),
  },
  {
    kind: 'url-password',
    hint: '://',
    expression: new RegExp(String.raw`(:\/\/[^\s/:@"'<>${'`'}]{0,256}:)([^\s/"'<>${'`'}]{1,1024})(?=@)`, 'g'),
    isSecret: isNoPlaceholder,
  },
  {
    // With a slash, which is not encoded as it should be. A number before the slash is a port.
    kind: 'url-password',
    hint: '://',
    expression: new RegExp(
      String.raw`(:\/\/[^\s/:@"'<>${'`'}]{0,256}:)((?!\d{1,5}[/?#])[^\s/?#@"'<>${'`'}]{0,200}\/[^\s@"'<>${'`'}]{0,200})(?=@[\w.-]{1,200}(?:[:/?\s"'${'`'}]|$))`,
      'g',
    ),
    isSecret: (secret) => isNoPlaceholder(secret) && !/[/?]\w*[=?]/.test(secret),
  },
  {
    // A token in place of a user name.
    kind: 'url-password',
    hint: '://',
    expression: new RegExp(String.raw`(:\/\/)([^\s/:@"'<>${'`'}]{16,256})(?=@|:@|:x-oauth-basic@)`, 'g'),
    isSecret: isRandom,
  },
  {
    kind: 'authorization',
    expression:
      /(\bauthorization\\{0,3}["']?\s{0,5}[:=]\s{0,5}(?:\\{0,3}["'])?(?:basic|token|apikey)\s{1,5})([A-Za-z0-9+/=_.-]{8,})/gi,
    isSecret: isNoPlaceholder,
  },
  { kind: 'bearer-token', expression: /(\bbearer\s{1,5})([A-Za-z0-9._~+/=-]{16,})/gi, isSecret: isMixed },
  {
    // Sent by a browser: names and values, up to the end of the line.
    kind: 'cookie',
    expression:
      /((?<!set-)\bcookie\\{0,3}["']?\s{0,5}[:,][ \t]{0,5}(?:\\{0,3}["'])?)([\w.!#$%*+^|~-]{1,64}=(?!=)[^\s"'\\<>][^\r\n"'\\<>]*)/gi,
    isSecret: (secret) => isCookie(secret.slice(secret.indexOf('=') + 1)),
  },
  {
    // Set by a server: the attributes are kept because they are useful to readers.
    kind: 'cookie',
    expression:
      /(\bset-cookie\\{0,3}["']?\s{0,5}[:,]\s{0,5}(?:\\{0,3}["'])?[\w.!#$%*+^|~-]{1,64}=(?!=))([^\s"'\\<>;]{3,})/gi,
    isSecret: isCookie,
  },
  {
    kind: 'npm-auth',
    hint: '_auth',
    expression: new RegExp(`(\\b_auth${IS_SET})([A-Za-z0-9+/_-]{8,}={0,2})`, 'g'),
    isSecret: isNoPlaceholder,
  },
  {
    // Credentials of Docker and other registries.
    kind: 'registry-auth',
    hint: 'auth',
    expression: /(\\{0,3}"auth\\{0,3}"\s{0,5}:\s{0,5}\\{0,3}")([A-Za-z0-9+/]{6,}={0,2})(?=\\{0,3}")/g,
    isSecret: (secret) => /^[\x21-\x7e]{1,256}$/.test(decoded(secret)) && decoded(secret).includes(':'),
  },
  {
    kind: 'netrc-password',
    hint: 'login',
    expression:
      /(\bmachine\s{1,20}\S{1,200}\s{1,20}login\s{1,20}\S{1,200}\s{1,20}(?:account\s{1,20}\S{1,200}\s{1,20})?password\s{1,20})([^\s"'`\\]+)/g,
    isSecret: isNoPlaceholder,
  },
  {
    kind: 'password',
    expression: new RegExp(
      String.raw`(<(?:\w{1,20}[.:_-])?(?:password|passwd|passphrase|secret|apikey|token)>\s{0,5})([^\s<>]{3,1000})(?=\s{0,5}<\/)`,
      'gi',
    ),
    isSecret: (secret) => !isPlaceholder(secret) && !isReference(secret) && !/^[A-Za-z]{1,10}$/.test(secret),
  },
  {
    kind: 'password',
    hint: 'sshpass',
    expression: /(\bsshpass\s{1,5}-p\s{0,5}(?:\\{0,3}["'])?)([^\s"'`\\]+)/g,
    isSecret: isNoPlaceholder,
  },
  {
    kind: 'password',
    hint: '-u',
    expression: /((?<=\s)(?:-u|--user|--proxy-user)(?:=|\s{0,5})(?:\\{0,3}["'])?[^\s:"'`\\]{1,100}:)([^\s"'`\\]+)/g,
    isSecret: (secret, _before, text, at) =>
      !isPlaceholder(secret) && !/^\d+$/.test(secret) && /\bcurl(?:\.exe)?\b/.test(commandBefore(text, at)),
  },
  {
    kind: 'password',
    hint: '-p',
    expression: /((?<=\s)-p(?:\\{0,3}["'])?)([^\s"'`\\=-][^\s"'`\\]*)/g,
    isSecret: (secret, _before, text, at) =>
      !isPlaceholder(secret) && /\b(?:mysql|mariadb)[\w-]*\s/.test(commandBefore(text, at)),
  },
  { kind: 'password', find: assignedSecrets },
  ...NAMED_FORMS,
  {
    kind: 'password',
    expression: new RegExp(
      String.raw`(--(?:[a-z0-9]{1,20}-){0,4}${NAME}\s{1,5}(?:\\{0,3}["'])?)([^\s"'${'`'},;<>\\&\0-\x1f]{3,})`,
      'gi',
    ),
    isSecret: (secret, before) =>
      (isRandom(secret) && (secret.length >= MIN_KEY || !/(?<!(?:api|access|auth|secret)-)keys?\W*$/i.test(before))) ||
      isOption(secret, before),
  },
];

/** Shorter values of an option for a key are more likely to be names. */
const MIN_KEY = 15;

/**
 * Only a password may be an ordinary word, and only in quotes: anything else is hard to distinguish from a word of a
 * sentence.
 */
function isOption(secret: string, before: string): boolean {
  if (!/pass|pwd|secret\b/i.test(before) || isPlaceholder(secret) || isReference(secret)) return false;
  return /["']$/.test(before) || (/\d|[!@#$%^*~?+=|]/.test(secret) && !/^-|^\d{1,3}$/.test(secret));
}

function isCookie(value: string): boolean {
  return !isPlaceholder(value) && !isReference(value);
}

function decoded(base64: string): string {
  return Buffer.from(base64.slice(0, 1000), 'base64').toString('latin1');
}

const MAX_COMMAND = 200;

/** The text before `at` on the line, from the last character that separates commands. */
function commandBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && at - start < MAX_COMMAND) {
    const sign = text.charAt(start - 1);
    if (sign === ';' || sign === '|' || sign === '&' || (sign === '\n' && text.charAt(start - 2) !== '\\')) break;
    start--;
  }
  return text.slice(start, at);
}
