import { isPassword, NAME } from './assignedSecrets';
import type { MatchedRule } from './secretRule';
import { isPlaceholder, isRandom, isReference } from './secretValues';

const QUOTE = String.raw`(?:\\{0,3}["'${'`'}])?`;
const IS_SET = String.raw`${QUOTE}\s{0,5}(?:=>|:=|[:=])\s{0,5}${QUOTE}`;
/** The value of a cell or of a word in a sentence. */
const VALUE = String.raw`[^\s"'${'`'},;<>|\\]{7,511}[^\s"'${'`'},;<>|*\\.!?:)\]}]`;

/** A name, with what may be around its last word. */
const NAMED = String.raw`[\w.:-]{0,60}?${NAME}[\w-]{0,30}`;
/** In bare quotes, a value may contain spaces. */
const QUOTED = String.raw`[^"'${'`'}\\\r\n]{3,512}`;

/** The last name is "key" alone, which many names of no secrets end with. */
const BARE_KEY =
  /(?<![A-Za-z0-9_-])keys?(?![A-Za-z0-9])[^A-Za-z]{0,20}(?:(?:is|was|to|are|of|value):?[^A-Za-z]{0,8}){0,2}$/i;
const MIN_TOKEN = 8;
const MIN_BESIDE_KEY = 15;

const isToken = (secret: string, before: string): boolean =>
  secret.length >= (BARE_KEY.test(before) ? MIN_BESIDE_KEY : MIN_TOKEN) && isRandom(secret);
const isGiven = (secret: string): boolean => !isPlaceholder(secret) && !isReference(secret);

/** Secrets that are recognized by what is beside them, but are not assigned to it. */
export const NAMED_FORMS: readonly MatchedRule[] = [
  {
    // A cell of a table beside the cell with the name.
    kind: 'password',
    hint: '|',
    expression: new RegExp(
      String.raw`(${NAME}[\w-]{0,30}[*${'`'}]{0,2}[ \t]{0,40}[|│][ \t]{0,40}[*${'`'}]{0,2})(${VALUE})(?=[*${'`'}]{0,2}[ \t]{0,40}[|│])`,
      'gi',
    ),
    isSecret: isToken,
  },
  {
    // A sentence: the name, "is", the value.
    kind: 'password',
    hint: ' ',
    expression: new RegExp(
      String.raw`(\b${NAME}(?: value)?[*_"'${'`'}]{0,2} (?:is|was|to|are|of):? {1,3}[*_"'${'`'}]{0,3})(${VALUE})`,
      'gi',
    ),
    isSecret: (secret, before) => isToken(secret, before) && (/ (?:is|was):? *\W*$/.test(before) || /\d/.test(secret)),
  },
  {
    // The name is the value of one attribute or field, and the secret that of the next: in XML, in lists of variables.
    kind: 'password',
    hint: 'alue',
    expression: new RegExp(
      String.raw`(\b(?:name|key|id)${IS_SET}[\w.:-]{0,60}${NAME}[\w.-]{0,30}${QUOTE}(?:[\s,]|\\[nrt]){1,20}${QUOTE}value${IS_SET})([^\s"'<>\\]{3,512})`,
      'gi',
    ),
    isSecret: (secret, before) =>
      isGiven(secret) && (isToken(secret, before) || (IS_PASSWORD_FIELD.test(before) && isPassword(secret))),
  },
  {
    // The name in brackets, or as the first argument of a call.
    kind: 'password',
    expression: new RegExp(
      String.raw`([[(]\s{0,3}\\{0,3}["'${'`'}]${NAMED}\\{0,3}["'${'`'}]\s{0,3}(?:\]\s{0,3}(?:=>|:=|[:=])(?!=)|,)\s{0,5}\\{0,3}["'${'`'}])(${QUOTED})(?=\\{0,3}["'${'`'}])`,
      'gi',
    ),
    isSecret: isNamedSecret,
  },
  {
    // An element of XML.
    kind: 'password',
    hint: '</',
    expression: new RegExp(String.raw`(<${NAMED}>\s{0,5})([^\s<>]{8,1000})(?=\s{0,5}<\/)`, 'gi'),
    isSecret: (secret, before) => isGiven(secret) && isToken(secret, before),
  },
  {
    // A variable of a Dockerfile, without a sign.
    kind: 'password',
    hint: 'ENV',
    expression: new RegExp(String.raw`(\bENV[ \t]{1,3}${NAMED}[ \t]{1,3}${QUOTE})(?!=)([^\s"'\\]{3,512})`, 'gi'),
    isSecret: isNamedSecret,
  },
  {
    // A variable of Terraform.
    kind: 'password',
    hint: 'default',
    expression: new RegExp(
      String.raw`(\bvariable\s{1,3}"${NAMED}"\s{0,3}\{[^}]{0,300}?default\s{0,20}=\s{0,3}")(${QUOTED})(?=")`,
      'gi',
    ),
    isSecret: isNamedSecret,
  },
  {
    // What "aws configure" asks for, and the file that the console offers.
    kind: 'aws-secret-key',
    expression:
      /(secret[ _-]?access[ _-]?key(?:\s{0,3}\[[^\]\n]{0,40}\])?\\{0,3}["'`]?\s{0,5}[:=|]\s{0,5}\\{0,3}["'`]?)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
  },
  {
    kind: 'aws-secret-key',
    expression:
      /((?:(?:AKIA|ASIA)[A-Z0-9]{16}|\[redacted: aws-access-key\])\\{0,3}["']?[ \t]{0,10}[,;|\t :/][ \t]{0,10}\\{0,3}["']?)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/g,
  },
  {
    kind: 'password',
    expression:
      /(\bidentified\s{1,5}(?:with\s{1,5}\S{1,40}\s{1,5})?(?:by|as)\s{1,5}(?:password\s{1,5})?\\{0,3}["'])([^\s"'`;\\]{3,200})(?=\\{0,3}["'])/gi,
    isSecret: isGiven,
  },
  {
    kind: 'password',
    expression:
      /(\b(?:create|alter)\s{1,5}user\s{1,5}\S{1,100}\s{1,5}identified\s{1,5}by\s{1,5})([^\s"'`;\\,()]{3,200})/gi,
    isSecret: isGiven,
  },
  {
    kind: 'password',
    expression:
      /(\b(?:with|encrypted|set|login)\s{1,5}password\s{1,5}(?:=\s{0,3})?\\{0,3}["'])([^\s"'\\]{3,200})(?=\\{0,3}["'])/gi,
    isSecret: (secret) => isGiven(secret) && isPassword(secret),
  },
  {
    // A line of .pgpass: host, port, database, user, password.
    kind: 'pgpass-password',
    expression:
      /(^(?:\*|localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):(?:\*|\d{4,5}):[^\s:/]{1,63}:[^\s:/]{1,63}:)([^\s:]{3,200})$/gm,
    isSecret: isGiven,
  },
  {
    // Bundler's credentials of a source of gems.
    kind: 'password',
    hint: 'BUNDLE',
    expression: new RegExp(
      String.raw`(\b(?:BUNDLE[_A-Z0-9-]{1,80}[_-]{2}[A-Z]{2,10}|BUNDLE\w{0,20}CONTRIBSYSCOM)${IS_SET})([^\s:"'\\|]{1,100}(?::|%3A)[^\s"'\\|&]{3,100})`,
      'gi',
    ),
    isSecret: isGiven,
  },
  {
    kind: 'password',
    hint: 'contribsys.com',
    expression: /(:\/\/)([^\s/:@"'<>`]{4,64}:[^\s/:@"'<>`]{4,64})(?=@(?:gems|enterprise)\.contribsys\.com)/gi,
    isSecret: isGiven,
  },
  {
    // A cookie without the header's name.
    kind: 'cookie',
    expression: /((?:\b|_)(?:session|sess|sid)(?:_?id)?=)([A-Za-z0-9%._~+/-]{20,1000})/gi,
    isSecret: isToken,
  },
  {
    kind: 'teams-webhook',
    hint: 'webhook.office.com',
    expression: /(webhook\.office\.com\/webhookb2\/)([\w@/-]{20,400})/g,
  },
];

/** The name before the word "value" is that of a password, which may be an ordinary word. */
const IS_PASSWORD_FIELD = /pass(?:word|wd|phrase)?[\w.-]{0,30}\\{0,3}["'`]?(?:[\s,]|\\[nrt]){1,20}\\{0,3}["'`]?value/i;
/** The name is that of a password, and not in a list of words: it is in brackets, in capitals, or declared. */
const IS_PASSWORD_NAME =
  /(?:pass(?:word|wd|phrase)?\w{0,10}\\{0,3}["'`]\s{0,3}\]|[A-Z0-9]_(?:PASS(?:WORD|WD|PHRASE)?|SECRET)\w{0,10}\\{0,3}["'`]?\s{0,3},|\bENV\s{1,3}\w{0,60}PASS(?:WORD|WD|PHRASE)?\s|variable\s{1,3}"\w{0,60}(?:password|passwd|passphrase)")/;

/** Whether a value beside a name is a token, or the name allows for an ordinary word. */
function isNamedSecret(secret: string, before: string): boolean {
  if (!isGiven(secret)) return false;
  return isToken(secret, before) || (IS_PASSWORD_NAME.test(before) && !/\s/.test(secret) && isPassword(secret));
}
