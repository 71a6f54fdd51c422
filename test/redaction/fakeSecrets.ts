import { createRandom } from '../support/random';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHANUMERIC = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}`;

export function madeUp(length: number, seed: number, from = ALPHANUMERIC): string {
  const random = createRandom(seed);
  return Array.from({ length }, () => from[random.below(from.length)] ?? 'x').join('');
}

export interface FakeSecret {
  readonly kind: string;
  /** The secret in its context. */
  readonly text: string;
  /** The part that must not remain. */
  readonly secret: string;
}

/** A secret without context; assembled here, so that secret scanners find none in this file. */
function bare(kind: string, ...parts: readonly string[]): FakeSecret {
  const text = parts.join('');
  return { kind, text, secret: text };
}

function within(kind: string, before: string, secret: string, after = ''): FakeSecret {
  return { kind, text: `${before}${secret}${after}`, secret };
}

/** Fake secrets of every kind, in the forms in which they occur in transcripts. */
export const FAKE_SECRETS: readonly FakeSecret[] = [
  bare('anthropic-key', 'sk-', 'ant-', 'api03-', madeUp(80, 1)),
  bare('openai-key', 'sk-', 'proj-', madeUp(48, 2)),
  bare('openai-key', 'sk-', madeUp(48, 3)),
  bare('github-token', 'gh', 'p_', madeUp(36, 4)),
  bare('github-token', 'gh', 's_', madeUp(36, 5)),
  bare('github-token', 'github_', 'pat_', madeUp(22, 6), '_', madeUp(59, 7)),
  bare('gitlab-token', 'gl', 'pat-', madeUp(20, 8)),
  bare('aws-access-key', 'AK', 'IA', madeUp(16, 9, LETTERS.toUpperCase() + DIGITS)),
  bare('aws-access-key', 'AS', 'IA', madeUp(16, 10, LETTERS.toUpperCase() + DIGITS)),
  within('aws-secret-key', 'aws_secret_access_key = ', madeUp(40, 11, `${ALPHANUMERIC}/+`)),
  within('aws-secret-key', '"SecretAccessKey": "', madeUp(40, 12, `${ALPHANUMERIC}/+`), '"'),
  bare('google-api-key', 'AI', 'za', madeUp(35, 13)),
  bare('google-oauth-token', 'ya', '29.', madeUp(60, 14)),
  bare('slack-token', 'xo', 'xb-', madeUp(12, 15, DIGITS), '-', madeUp(24, 16)),
  within('slack-webhook', 'https://hooks.slack.com/services/', `T${madeUp(8, 17)}/B${madeUp(8, 18)}/${madeUp(24, 19)}`),
  bare('stripe-key', 'sk', '_live_', madeUp(24, 20)),
  bare('stripe-key', 'rk', '_test_', madeUp(24, 21)),
  bare('jwt', 'ey', 'J', madeUp(20, 22), '.ey', 'J', madeUp(40, 23), '.', madeUp(43, 24)),
  bare('npm-token', 'np', 'm_', madeUp(36, 25)),
  bare('pypi-token', 'py', 'pi-', madeUp(120, 26)),
  bare('huggingface-token', 'h', 'f_', madeUp(34, 27)),
  bare('sendgrid-key', 'S', 'G.', madeUp(22, 28), '.', madeUp(43, 29)),
  bare('digitalocean-token', 'dop', '_v1_', madeUp(64, 30, '0123456789abcdef')),
  bare('databricks-token', 'da', 'pi', madeUp(32, 31, '0123456789abcdef')),
  bare('vault-token', 'hv', 's.', madeUp(24, 32)),
  bare('docker-token', 'dckr', '_pat_', madeUp(27, 33)),
  bare('shopify-token', 'shp', 'at_', madeUp(32, 34, '0123456789abcdef')),
  bare('telegram-token', madeUp(10, 35, DIGITS), ':A', 'A', madeUp(33, 36)),
  bare('age-key', 'AGE-SECRET-', 'KEY-1', madeUp(58, 37, LETTERS.toUpperCase() + DIGITS)),
  within('azure-key', 'DefaultEndpointsProtocol=https;AccountName=x;AccountKey=', `${madeUp(86, 38)}==`, ';Suffix=y'),
  within('azure-key', 'https://x.blob.core.windows.net/c?sv=2022&sig=', `${madeUp(43, 39)}%3D`),
  within('url-password', 'postgres://user:', madeUp(12, 40), '@localhost:5432/db'),
  within('url-password', 'redis://:', 'p@ss1', '@localhost'),
  within('authorization', 'Authorization: Basic ', madeUp(24, 41)),
  within('bearer-token', 'curl -H "X-Auth: Bearer ', madeUp(40, 42), '"'),
  within('password', 'password=', madeUp(16, 43)),
  within('password', '"dbPassword": "', madeUp(16, 44), '"'),
  within('password', String.raw`{\"client_secret\": \"`, madeUp(32, 45), String.raw`\"}`),
  within('password', 'export MY_API_KEY=', madeUp(32, 46)),
  within('password', 'secret_key_base: ', madeUp(64, 47)),
  within('password', 'mysql --password ', madeUp(16, 48)),
  within('password', "token := '", madeUp(24, 49), "'"),
  privateKey('RSA PRIVATE KEY', '\n'),
  privateKey('OPENSSH PRIVATE KEY', '\\n'),
  privateKey('PGP PRIVATE KEY BLOCK', '\n'),
];

function privateKey(name: string, lineBreak: string): FakeSecret {
  const body = Array.from({ length: 4 }, (_, at) => madeUp(64, 60 + at, `${ALPHANUMERIC}+/`)).join(lineBreak);
  return bare('private-key', '-----BEGIN ', `${name}-----`, lineBreak, body, lineBreak, '-----END ', `${name}-----`);
}
