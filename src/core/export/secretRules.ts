import { assignedSecrets, NAME } from './assignedSecrets';
import { privateKeyStart } from './privateKeyStart';
import { isMixed, isPlaceholder, isRandom, isReference } from './secretLooks';
import { TOKEN_FORMS } from './tokenForms';

/** How one kind of secret looks. */
export type SecretRule = MatchedRule | FoundRule;

interface NamedRule {
  /** As people read it: `[redacted: <kind>]`. */
  readonly kind: string;
  /** What a text with such a secret holds: looked for first, because that is many times faster. */
  readonly hint?: string;
}

interface MatchedRule extends NamedRule {
  /**
   * Global. A first group stays, the second one is the secret; without groups all of the match is. Takes time in
   * proportion to the text, whatever that is: no run of characters is gone through from more than a few places, and
   * what is repeated without bound is a single character, for which the engine keeps no stack.
   */
  readonly expression: RegExp;
  /** Where a secret begins whose end alone is matched, at `start`. */
  readonly startOf?: (text: string, start: number) => number;
  /** For forms that other things have, too. `text` holds the match from `at` on, whose first group is `before`. */
  readonly isSecret?: (secret: string, before: string, text: string, at: number) => boolean;
}

/** For what an expression cannot tell. */
interface FoundRule extends NamedRule {
  readonly find: (text: string) => Iterable<{ readonly start: number; readonly end: number }>;
}

/** Where a token may start: not in the middle of a word, but behind the code of a colour. */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\x1b\[[0-9;]{0,20}m))`;

const QUOTE = String.raw`(?:\\{0,3}["'${'`'}])?`;
const IS_SET = String.raw`${QUOTE}\s{0,5}(?:=>|:=|[:=])\s{0,5}${QUOTE}`;

const isNoPlaceholder = (secret: string): boolean => !isPlaceholder(secret);

/** In the order of their certainty: where two overlap, the first one names what is redacted. */
export const SECRET_RULES: readonly SecretRule[] = [
  {
    kind: 'private-key',
    hint: '-----BEGIN ',
    // Also one that is cut at its end; the body holds the marks of diffs, listings and escaped line breaks.
    expression:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()|>→]*-(?!----)){0,2000}[A-Za-z0-9+/=\s\\:,.()|>→]*(?:-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    kind: 'private-key',
    hint: '-----END ',
    expression: /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g,
    startOf: privateKeyStart,
  },
  ...TOKEN_FORMS.map(({ source, ...rule }): SecretRule => ({ ...rule, expression: new RegExp(START + source, 'g') })),
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
    // A token in the place of a name.
    kind: 'url-password',
    hint: '://',
    expression: new RegExp(String.raw`(:\/\/)([^\s/:@"'<>${'`'}]{16,256})(?=@)`, 'g'),
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
    // What a browser sends: names and values, up to the end of the line.
    kind: 'cookie',
    expression:
      /((?<!set-)\bcookie\\{0,3}["']?\s{0,5}[:,][ \t]{0,5}(?:\\{0,3}["'])?)([\w.!#$%*+^|~-]{1,64}=(?!=)[^\s"'\\<>][^\r\n"'\\<>]*)/gi,
    isSecret: (secret) => isCookie(secret.slice(secret.indexOf('=') + 1)),
  },
  {
    // What a server sets: its attributes are of use to readers.
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
    // Of Docker's and other registries.
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
  {
    kind: 'password',
    expression: new RegExp(
      String.raw`(--(?:[a-z]{1,20}-)?${NAME}\s{1,5}(?:\\{0,3}["'])?)([^\s"'${'`'},;<>\\&\0-\x1f]{3,})`,
      'gi',
    ),
    isSecret: (secret, before) => isRandom(secret) || isOption(secret, before),
  },
];

/** Passwords may be words; what is none of them, or bare, is hard to tell from a word of a sentence. */
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

/** What stands before on the line, from the last sign on that parts commands. */
function commandBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && at - start < MAX_COMMAND) {
    const sign = text.charAt(start - 1);
    if (sign === ';' || sign === '|' || sign === '&' || (sign === '\n' && text.charAt(start - 2) !== '\\')) break;
    start--;
  }
  return text.slice(start, at);
}
