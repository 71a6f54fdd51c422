import { privateKeyStart } from './privateKeyStart';

/** How one kind of secret looks. */
export interface SecretRule {
  /** As people read it: `[redacted: <kind>]`. */
  readonly kind: string;
  /**
   * Global. A first group stays, the second one is the secret; without groups all of the match is. Takes time in
   * proportion to the text, whatever that is: no run of characters is gone through from more than a few places, and
   * what is repeated without bound is a single character, for which the engine keeps no stack.
   */
  readonly expression: RegExp;
  /** What a text with such a secret holds: looked for first, because that is many times faster. */
  readonly hint?: string;
  /** Where a secret begins whose end alone is matched, at `start`. */
  readonly startOf?: (text: string, start: number) => number;
  /** For forms that other things have, too. */
  readonly isSecret?: (secret: string) => boolean;
}

/** Where a token may start: not in the middle of a word, but behind the code of a colour. */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\x1b\[[0-9;]{0,20}m))`;

function token(kind: string, hint: string, source: string, isSecret?: (secret: string) => boolean): SecretRule {
  const rule = { kind, hint, expression: new RegExp(START + source, 'g') };
  return isSecret === undefined ? rule : { ...rule, isSecret };
}

/** Names that are given to secrets, and what stands between name and value: JSON, YAML, shells, code, options. */
const NAME = String.raw`(?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|auth[_-]?keys?|private[_-]?keys?|signing[_-]?keys?|encryption[_-]?keys?|credentials?)`;
const QUOTE = String.raw`(?:\\{0,3}["'${'`'}])?`;
const ASSIGNED = String.raw`(?:[_-][\w-]{0,30}|key(?:_?base)?|value|base)?${QUOTE}\s{0,5}(?:=>|:=|[:=])\s{0,5}(?:\\{0,3}["'${'`'}])?`;

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
  token('anthropic-key', 'sk-ant-', 'sk-ant-[A-Za-z0-9_-]{16,}'),
  token('openai-key', 'sk-', 'sk-(?!ant-)(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}', isMixed),
  token('github-token', '_', '(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})'),
  token('gitlab-token', 'gl', 'gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt)-[A-Za-z0-9_-]{16,}'),
  token('aws-access-key', '', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  {
    kind: 'aws-secret-key',
    expression: new RegExp(
      String.raw`(secret_?access_?key${QUOTE}\s{0,5}(?:=>|:=|[:=])\s{0,5}${QUOTE})([A-Za-z0-9/+]{40,}={0,2})`,
      'gi',
    ),
  },
  token('google-api-key', 'AIza', 'AIza[A-Za-z0-9_-]{35,}'),
  token('google-oauth-token', '', String.raw`(?:ya29\.|GOCSPX-|1//0)[A-Za-z0-9_-]{20,}`),
  token('slack-token', 'xox', 'xox[abceoprs](?:\\.xox[abp])?-[A-Za-z0-9-]{10,}'),
  token('slack-token', 'xapp-', 'xapp-[A-Za-z0-9-]{20,}'),
  {
    kind: 'slack-webhook',
    hint: 'hooks.slack.com/',
    expression: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)([A-Za-z0-9/_-]{16,})/g,
  },
  token('stripe-key', '_', '(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}'),
  token('jwt', 'eyJ', String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}`),
  token('npm-token', 'npm_', 'npm_[A-Za-z0-9]{30,}'),
  token('pypi-token', 'pypi-', 'pypi-[A-Za-z0-9_-]{40,}'),
  token('huggingface-token', 'hf_', 'hf_[A-Za-z0-9]{30,}'),
  token('sendgrid-key', 'SG.', String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  token('digitalocean-token', '_v1_', 'do[opr]_v1_[a-f0-9]{40,}'),
  token('databricks-token', 'dapi', 'dapi[a-f0-9]{32,}'),
  token('vault-token', 'hv', String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,}`),
  token('docker-token', 'dckr_pat_', 'dckr_pat_[A-Za-z0-9_-]{20,}'),
  token('shopify-token', 'shp', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}'),
  token('telegram-token', ':AA', '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}'),
  token('age-key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[A-Z0-9]{50,}'),
  {
    kind: 'azure-key',
    expression: /((?:AccountKey|SharedAccessKey|SharedSecret)=)([A-Za-z0-9+/]{32,}={0,2})/gi,
  },
  { kind: 'azure-key', hint: 'sig=', expression: /([?&]sig=)([A-Za-z0-9%+/_-]{24,}(?:=|%3D){0,2})/g },
  {
    kind: 'url-password',
    hint: '://',
    expression: new RegExp(String.raw`(:\/\/[^\s/:@"'<>${'`'}]{0,256}:)([^\s/"'<>${'`'}]{1,1024})(?=@)`, 'g'),
    isSecret: (secret) => !isPlaceholder(secret),
  },
  {
    kind: 'authorization',
    expression:
      /(\bauthorization\\{0,3}["']?\s{0,5}[:=]\s{0,5}(?:\\{0,3}["'])?(?:basic|token|apikey)\s{1,5})([A-Za-z0-9+/=_.-]{8,})/gi,
    isSecret: (secret) => !isPlaceholder(secret),
  },
  { kind: 'bearer-token', expression: /(\bbearer\s{1,5})([A-Za-z0-9._~+/=-]{16,})/gi, isSecret: isMixed },
  {
    kind: 'password',
    expression: new RegExp(String.raw`(${NAME}${ASSIGNED})([^\s"'${'`'},;<>\\&]{8,})`, 'gi'),
    isSecret: isRandom,
  },
  {
    kind: 'password',
    expression: new RegExp(
      String.raw`(--(?:[a-z]{1,20}-)?${NAME}\s{1,5}(?:\\{0,3}["'])?)([^\s"'${'`'},;<>\\&]{8,})`,
      'gi',
    ),
    isSecret: isRandom,
  },
];

/** Longest beginning of a value that is looked at to judge it. */
const MAX_JUDGED = 512;

/** Words of one alphabet with signs between them are names, not tokens. */
function isMixed(secret: string): boolean {
  const judged = secret.slice(0, MAX_JUDGED);
  return /\d/.test(judged) && /[A-Za-z]/.test(judged) && entropyOf(judged) >= 2.5 && !isPlaceholder(secret);
}

/** Bits a character, below which a value is more likely to be a word, or made up. */
const MIN_ENTROPY = 2.7;

/** Told from names of variables and types, calls, paths, and what people write in a secret's place. */
function isRandom(secret: string): boolean {
  if (isPlaceholder(secret)) return false;
  const judged = secret.slice(0, MAX_JUDGED);
  if (/^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+[!?)]*$/.test(judged)) return false;
  if (/[([{]/.test(judged) && /^[\w.$]*[([{]/.test(judged)) return false;
  if (/^(?:\.{0,2}|~)?\//.test(judged) || /^[a-z]+:\/\//i.test(judged)) return false;
  if (/^\d+(?:[.:_-]\d+)*$/.test(judged)) return false;
  const hasOther = /[A-Za-z]/.test(judged) && (/\d/.test(judged) || /[!@#$%^*~?+=|]/.test(judged));
  return hasOther && entropyOf(judged) >= MIN_ENTROPY;
}

/** `${TOKEN}`, `<password>`, `%s`, `xxxxxxxx`, `********`: what stands for a secret, and what we put there. */
function isPlaceholder(secret: string): boolean {
  return /^(?:\$|\{|<|%[sdvw(]|\[redacted:|(.)\1*$|(?:your|my|example|test|dummy|fake|changeme|placeholder)[_-])/i.test(
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
