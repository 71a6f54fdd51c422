import { assignedSecrets, isMixed, isPlaceholder, isRandom, isReference, NAME } from './assignedSecrets';

/** A token that is recognized by its form alone. */
export interface TokenForm {
  readonly kind: string;
  /** A text that every such token contains; empty if its alternatives have nothing in common. */
  readonly hint: string;
  readonly source: string;
  readonly isSecret?: (secret: string) => boolean;
}

function form(kind: string, hint: string, source: string, isSecret?: (secret: string) => boolean): TokenForm {
  return isSecret === undefined ? { kind, hint, source } : { kind, hint, source, isSecret };
}

/** Minimum lengths are slightly below those that the issuers use, so that longer and older tokens match, too. */
const TOKEN_FORMS: readonly TokenForm[] = [
  form('anthropic-key', 'sk-ant-', 'sk-ant-[A-Za-z0-9_-]{16,}'),
  form('openai-key', 'sk-', 'sk-(?!ant-)(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}', isMixed),
  form('github-token', '_', '(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})'),
  // Routable tokens have further parts after dots.
  form(
    'gitlab-token',
    'gl',
    String.raw`gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_-]{16,}(?:(?:\.[0-9a-z]{2})?\.[0-9a-z]{9})?`,
  ),
  form('aws-access-key', '', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  form('google-api-key', 'AIza', 'AIza[A-Za-z0-9_-]{35,}'),
  form('google-oauth-token', '', String.raw`(?:ya29\.|GOCSPX-|1//0)[A-Za-z0-9_-]{20,}`),
  form('slack-token', 'xox', 'xox[abceoprs](?:\\.xox[abp])?-[A-Za-z0-9-]{10,}'),
  form('slack-token', 'xapp-', 'xapp-[A-Za-z0-9-]{20,}'),
  form('stripe-key', '_', '(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}'),
  form('jwt', 'eyJ', String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{8,}`),
  form('npm-token', 'npm_', 'npm_[A-Za-z0-9]{30,}'),
  form('pypi-token', 'pypi-', 'pypi-[A-Za-z0-9_-]{40,}'),
  form('huggingface-token', 'hf_', 'hf_[A-Za-z0-9]{30,}'),
  form('sendgrid-key', 'SG.', String.raw`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  form('digitalocean-token', '_v1_', 'do[opr]_v1_[a-f0-9]{40,}'),
  form('databricks-token', 'dapi', 'dapi[a-f0-9]{32,}'),
  form('vault-token', 'hv', String.raw`hv[sbr]\.[A-Za-z0-9_-]{20,}`),
  form('docker-token', 'dckr_', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}'),
  form('shopify-token', 'shp', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}'),
  form('telegram-token', ':AA', '[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}'),
  form('age-key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[A-Z0-9]{50,}'),
  form('groq-key', 'gsk_', 'gsk_[A-Za-z0-9]{40,}'),
  form('xai-key', 'xai-', 'xai-[A-Za-z0-9]{60,}'),
  form('perplexity-key', 'pplx-', 'pplx-[A-Za-z0-9]{40,}'),
  form('replicate-token', 'r8_', 'r8_[A-Za-z0-9]{30,}'),
  form('linear-key', 'lin_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,}'),
  form('notion-token', 'ntn_', 'ntn_[A-Za-z0-9]{40,}'),
  form('figma-token', 'fig', 'fig[dour]{1,2}_[A-Za-z0-9_-]{36,}', isMixed),
  form('supabase-token', 'sb', '(?:sbp_[a-f0-9]{32,}|sb_secret_[A-Za-z0-9_-]{20,})'),
  form('planetscale-token', 'pscale_', String.raw`pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}`),
  form('doppler-token', 'dp.', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{38,}`),
  form('atlassian-token', 'AT', '(?:ATATT|ATCTT)3x[A-Za-z0-9_=-]{60,}'),
  form('newrelic-key', 'NRAK-', 'NRAK-[A-Za-z0-9]{24,}'),
  form('mailgun-key', 'key-', 'key-[a-f0-9]{32}(?![A-Za-z0-9-])'),
  form('terraform-token', '.atlasv1.', String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}`),
  form('grafana-token', 'gl', 'gl(?:sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|c_[A-Za-z0-9+/]{32,}={0,2})'),
  form('sentry-token', 'sntry', 'sntry[su]_[A-Za-z0-9+/=_-]{40,}'),
  form('postman-key', 'PMAK-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  form('pulumi-token', 'pul-', 'pul-[a-f0-9]{40}(?![A-Za-z0-9])'),
  form('rubygems-key', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  form('langsmith-key', 'lsv2_', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  form('nvidia-key', 'nvapi-', 'nvapi-[A-Za-z0-9_-]{50,}'),
  form('onepassword-token', 'ops_eyJ', 'ops_eyJ[A-Za-z0-9+/_-]{80,}={0,3}'),
  form('tailscale-key', 'tskey-', 'tskey-[a-z]{2,12}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}'),
  form('fly-token', 'fm2_', 'fm2_[A-Za-z0-9+/]{60,}={0,3}', isRandom),
  form('twilio-key', 'SK', 'SK[a-f0-9]{32}(?![A-Za-z0-9])'),
];

const BASE64 = /[A-Za-z0-9+/=]/;
/** White space, and the line prefixes of diffs and listings. */
const BETWEEN = /[\s|>→]/;
/** Shorter runs of characters before the last line of a key are words. */
const MIN_LINE = 16;

/**
 * Finds the start of a truncated private key that ends at `end`: an excerpt of a file may lack the beginning of the
 * key. Goes back over lines of base64, separated by line breaks, which may be escaped.
 */
function privateKeyStart(text: string, end: number): number {
  let start = end;
  for (let isLast = true; ; isLast = false) {
    const lineEnd = skipBetween(text, start);
    let from = lineEnd;
    while (from > 0 && BASE64.test(text.charAt(from - 1))) from--;
    // The `n` of an escaped line break was matched as base64.
    if (from > 0 && text[from - 1] === '\\') from++;
    const line = text.slice(from, lineEnd);
    const isLineNumber = line.length > 0 && line.length < 7 && /^\d+$/.test(line);
    if (line.length === 0 || (line.length < MIN_LINE && !isLast && !isLineNumber)) return start;
    start = from;
  }
}

function skipBetween(text: string, end: number): number {
  let at = end;
  for (;;) {
    if (at > 0 && BETWEEN.test(text.charAt(at - 1))) at--;
    else if (at > 1 && text[at - 2] === '\\' && /[nrt]/.test(text.charAt(at - 1))) at -= 2;
    else return at;
  }
}

/** How to find one kind of secret. */
export type SecretRule = MatchedRule | FoundRule;

interface NamedRule {
  /** As displayed to people: `[redacted: <kind>]`. */
  readonly kind: string;
  /** A text that must occur for the rule to match. It is checked first, because that is many times faster. */
  readonly hint?: string;
}

interface MatchedRule extends NamedRule {
  /**
   * Global. The first group is kept and the second one is the secret; without groups, the whole match is. Takes linear
   * time on any text: no run of characters is matched from more than a few positions, and unbounded repetition is only
   * of single characters, for which the engine keeps no stack.
   */
  readonly expression: RegExp;
  /** Finds the start of a secret if only its end, at `start`, is matched. */
  readonly startOf?: (text: string, start: number) => number;
  /** Checks a form that is not always a secret. The match is at `at` in `text`, and `before` is its first group. */
  readonly isSecret?: (secret: string, before: string, text: string, at: number) => boolean;
}

/** For secrets that one expression cannot find. */
interface FoundRule extends NamedRule {
  readonly find: (text: string) => Iterable<{ readonly start: number; readonly end: number }>;
}

/** A token must not start in the middle of a word, but may start after a colour code. */
const START = String.raw`(?:(?<![A-Za-z0-9_-])|(?<=\x1b\[[0-9;]{0,20}m))`;

const QUOTE = String.raw`(?:\\{0,3}["'${'`'}])?`;
const IS_SET = String.raw`${QUOTE}\s{0,5}(?:=>|:=|[:=])\s{0,5}${QUOTE}`;

const isNoPlaceholder = (secret: string): boolean => !isPlaceholder(secret);

/** By decreasing certainty: if two secrets overlap, the first rule determines the kind. */
export const SECRET_RULES: readonly SecretRule[] = [
  {
    kind: 'private-key',
    hint: '-----BEGIN ',
    // Also matches a key whose end is missing. The body may contain line prefixes of diffs and listings, and escaped
    // line breaks.
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
    // A token in place of a user name.
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
  {
    kind: 'password',
    expression: new RegExp(
      String.raw`(--(?:[a-z]{1,20}-)?${NAME}\s{1,5}(?:\\{0,3}["'])?)([^\s"'${'`'},;<>\\&\0-\x1f]{3,})`,
      'gi',
    ),
    isSecret: (secret, before) => isRandom(secret) || isOption(secret, before),
  },
];

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
