import assert from 'node:assert/strict';
import { Redactor } from '../rooms/conversation';
import { FAKE_SECRETS, madeUp } from './fakeSecrets';

const TOKEN = ['ghp', madeUp(36, 1)].join('_');
const ACCESS_KEY = ['AK', 'IA', madeUp(16, 70, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')].join('');
const HEX = '0123456789abcdef';
const hex = (length: number, seed: number): string => madeUp(length, seed, HEX);

/** The text between « and » is the secret; the rest of the line stays. */
const SECRETS: readonly string[] = [
  // Files with variables, and their readers.
  'DB_PASSWORD=«hunter2»',
  'DB_PASSWORD=«abc123»',
  'PASSWORD=«84629173»',
  'POSTGRES_PASSWORD=«postgressecret»',
  'POSTGRES_PASSWORD=«password»',
  'JWT_SECRET=«my-super-secret-key»',
  'DB_PASS=«letmein123»',
  'DB_PASS=«letmein»',
  'PASS=«letmein»',
  'SMTP_PASSWD=«Tr0ub4dor&3;x,y»\nPORT=25',
  'export REDIS_PASSWORD=«foobared» # local',
  'FOO=1 DB_PASSWORD="«hunter2»" node app.js',
  "DJANGO_SECRET_KEY = '«django-insecure-abc»'",
  'docker run -e MYSQL_ROOT_PASSWORD=«root» mysql',
  '     3→DB_PASSWORD=«hunter2»\n     4→PORT=80',
  '.env:3:DB_PASSWORD=«hunter2»',
  '+DB_PASSWORD=«hunter2»\n-DB_PASSWORD=«hunter1»',
  String.raw`"PORT=80\nDB_PASSWORD=«hunter2»\nHOST=x"`,
  'password=«letmein»\nuser=bob',
  'spring.datasource.password=«letmein»',
  'password = «hunter2»',
  // A token right after what is no part of it: the mark of a diff, emphasis, an option, an encoded quotation mark.
  `@@ -1 +1 @@\n-«${TOKEN}»\n+changed`,
  String.raw`"@@ -1 +1 @@\n-«${TOKEN}»\n"`,
  `\x1b[31m-«${ACCESS_KEY}»\x1b[m`,
  `It is _«${ACCESS_KEY}»_ now.`,
  `login --«${TOKEN}»`,
  `?q=%22«${TOKEN}»%22`,
  String.raw`{"q":"\u0022«${TOKEN}»\u0022"}`,
  // JSON, YAML and code.
  '{"password": "«hunter2»", "user": "bob"}',
  '{"password":"«letmein»"}',
  '{"password": «84629173»}',
  String.raw`{\"password\": \"«hunter2»\"}`,
  '{"JWT_SECRET": "«my-super-secret-key»"}',
  '  POSTGRES_PASSWORD: «postgressecret»',
  '  password: «letmein»\n  user: bob',
  'environment:\n  - DB_PASS=«letmein»',
  'password="«my dog has 3 fleas»"',
  'password: "«correct horse battery staple»"',
  "const password = '«hunter2»';",
  "auth: { user: 'bob', pass: '«letmein»' }",
  "session({ secret: '«keyboard cat»' })",
  '$password = "«hunter2»";',
  "dbPass: '«letmein»',",
  "if (password === '«hunter2»') return;",
  'log in as bob, password: «hunter2» works',
  'Server=db;User Id=sa;Password=«letmein»;Encrypt=true',
  'GET /login?user=bob&password=«letmein»&x=1',
  '<password>«hunter2»</password>',
  // Commands.
  'psql --password=«letmein» -h x',
  'psql --password «hunter2» -h x',
  'curl -u bob:«hunter2» https://example.com',
  "curl -s --user 'bob:«hunter2»' https://example.com",
  'sshpass -p «hunter2» ssh bob@example.com',
  "sshpass -p '«hunter2»' ssh bob@example.com",
  'mysql -u root -p«hunter2» shop',
  'mysqldump -uroot -p«letmein» shop > a.sql',
  // Configuration files of tools.
  'machine example.com login bob password «hunter2»',
  'machine example.com\n  login bob\n  password «hunter2»',
  `//registry.npmjs.org/:_auth=«${madeUp(24, 1)}==»`,
  `_auth = "«${madeUp(24, 2)}»"`,
  `{"auths": {"https://index.docker.io/v1/": {"auth": "«${Buffer.from('bob:hunter2').toString('base64')}»"}}}`,
  `APP_KEY=«base64:${madeUp(43, 3)}=»`,
  // Addresses and headers.
  `git clone https://«${hex(40, 4)}»@github.com/owner/name.git`,
  `https://discord.com/api/webhooks/«123456789012345678/${madeUp(68, 5)}»`,
  `https://hooks.slack.com/services/«T${madeUp(8, 6)}/B${madeUp(8, 7)}/${madeUp(24, 8)}»`,
  'Cookie: «sid=abc123; theme=dark»',
  "curl -H 'Cookie: «session=abc123»' https://example.com",
  'Set-Cookie: sid=«abc123»; Path=/; HttpOnly',
  '"set-cookie": "sid=«abc123»; Path=/"',
  // Tokens by their prefixes.
  ...[
    ['gsk', `_${madeUp(52, 10)}`],
    ['xai', `-${madeUp(80, 11)}`],
    ['pplx', `-${madeUp(48, 12)}`],
    ['r8', `_${madeUp(37, 13)}`],
    ['lin_api', `_${madeUp(40, 14)}`],
    ['ntn', `_${madeUp(46, 15)}`],
    ['figd', `_${madeUp(40, 16)}`],
    ['sbp', `_${hex(40, 17)}`],
    ['pscale', `_tkn_${madeUp(43, 18)}`],
    ['dp', `.pt.${madeUp(43, 19)}`],
    ['ATATT', `3xFfGF0${madeUp(170, 20)}`],
    ['NRAK', `-${madeUp(27, 21)}`],
    ['key', `-${hex(32, 22)}`],
    [madeUp(14, 23), `.atlasv1.${madeUp(67, 24)}`],
    ['glpat', `-${madeUp(27, 25)}.01.${madeUp(9, 26, `${HEX}ghijk`)}`],
    ['glsa', `_${madeUp(32, 27)}_${hex(8, 28)}`],
    ['PMAK', `-${hex(24, 29)}-${hex(34, 30)}`],
  ].map((parts) => `use «${parts.join('')}» for it`),
  // Prompts, tables, databases and lists of variables.
  `AWS Access Key ID [None]: «${ACCESS_KEY}»\nAWS Secret Access Key [None]: «${madeUp(40, 50)}»\nDefault region name:`,
  `User name,Access key ID,Secret access key\nbob,«${ACCESS_KEY}»,«${madeUp(40, 51)}»\n`,
  `Access key ID;Secret access key\n«${ACCESS_KEY}»;«${madeUp(40, 52)}»`,
  'db.example.com:5432:shop:bob:«hunter2»\n*:*:*:bob:«hunter3»',
  "CREATE USER 'bob'@'%' IDENTIFIED BY '«hunter2»';",
  "ALTER USER bob IDENTIFIED WITH caching_sha2_password BY '«hunter2»'",
  'alter user bob identified by «tiger»;',
  "CREATE ROLE bob WITH LOGIN PASSWORD '«hunter2»';",
  '<add key="DbPassword" value="«hunter2»" />',
  '<property name="db.password" value="«letmein1»"/>',
  `{"name": "API_TOKEN", "value": "«${madeUp(24, 53)}»"}`,
  '- name: DB_PASSWORD\n  value: "«hunter2»"',
  `| STRIPE_KEY | «${madeUp(32, 54)}» | production |`,
  `| \`API_TOKEN\` | \`«${madeUp(32, 55)}»\` |`,
  `The api key is «${madeUp(32, 56)}», as before.`,
  'postgres://app:«p/ss/w0rd»@db.example.com:5432/shop',
  'amqp://app:«a/b»@mq.example.com/',
  // Names in brackets, calls, elements and declarations.
  `os.environ["API_TOKEN"] = "«${madeUp(32, 71)}»"`,
  "config['db_password'] = '«hunter2»'",
  "define( 'DB_PASSWORD', '«hunter2»' );",
  `define('AUTH_KEY', '«${madeUp(20, 72)} ${madeUp(20, 73)}»');`,
  `setEnvironment("ACME_KEY", "«${madeUp(32, 74)}»")`,
  `<config><apiKey>«${madeUp(32, 75)}»</apiKey></config>`,
  `ENV ACME_TOKEN «${madeUp(32, 76)}»\nRUN x`,
  'ENV DB_PASSWORD «hunter2»\nRUN x',
  `variable "acme_key" {\n  type = string\n  default = "«${madeUp(32, 77)}»"\n}`,
  `acme --acme-api-secret-key «${madeUp(32, 78)}» run`,
  // Tokens that are assigned: with dots, prefixes and slashes.
  `SESSION_TOKEN=«${madeUp(24, 57)}.${madeUp(30, 58)}»`,
  `"serviceKey": "«v2.local.${madeUp(60, 59)}»"`,
  `ACME_KEY=«acme_${madeUp(30, 60)}»`,
  // Tokens that a line break splits.
  `remote: Use the token «${TOKEN.slice(0, 20)}\n${TOKEN.slice(20)}» to push.`,
  `curl -H "X: y" https://api.example.com «${TOKEN.slice(0, 8)}\r\n${TOKEN.slice(8)}»`,
];

/** Text that looks like a secret and is none. */
const NO_SECRETS: readonly string[] = [
  'next_token: page-2-of-10',
  'secret_name = projects/p1/secrets/x',
  'token: Token2Type;',
  'token_count=4096, max_tokens: 8192, "input_tokens": 123456, total_tokens=99999999',
  '00000000-0000-4000-8000-000000000001 toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  '/home/user/.ssh/id_rsa /etc/passwd C:\\Users\\bob\\secrets.json src/auth/password.ts',
  // Prose.
  'The password: never tell it. Passwords are secrets, and a pass is none.',
  'Password: required. The secret is that there is none: password = strength.',
  'Please enter your password. The token has expired; the secret was rotated in 2024.',
  'key-value stores, key-down events, a cookie: small file, login page password reset',
  'Use `--password` to set it, or --password-file /run/secrets/db; --token is not needed.',
  '--- PASS: TestPassword2 (0.00s)\nPASS: 12\n# pass 345\nPASS=120 FAIL=0',
  // Code and types.
  'password: string;',
  'password: string',
  'password?: string | null, secret: Buffer, pass: boolean',
  'interface Login { user: string; password: string }',
  'const password = getPassword()',
  'const password = await prompt("Password:")',
  'if (secret === other) return; if (token == null) throw x; password !== confirm',
  'password = request.form["password"]; secret = config.secret2; pass = args[1]',
  'login(user, password=password, secret=secret_value)',
  'const { password: hashed, token: t2 } = user',
  '  password: hashedPassword,\n  secret: secretKey,\n',
  'password: z.string().min(8), token: z.string()',
  'password: PasswordSchema, secret: SecretStr',
  'Password *string; Secret []byte; password: Optional[str] = None; secret: Option<String>',
  '<input type="password" name="password" placeholder="Your password" autocomplete="current-password">',
  '{"password": "Password", "forgot_password": "Forgot your password?", "password_hint": "At least 8 characters"}',
  '{"password": "Your password must have 8 characters", "secret": null, "pass": true}',
  'errors.password = "Password is required"',
  "icon: isOk ? 'pass' : 'history', ephemeral_1h_input_tokens: writes1h }",
  'bypass=true, compass: north2, first_pass: shadow1, by_pass = "all3"',
  'secrets: inherit\n  secretName: my-secret\n  passwords: 1234',
  // References and placeholders.
  'DB_PASSWORD=$DB_PASSWORD DB_PASS=${DB_PASS:-} JWT_SECRET=$(cat secret) X_SECRET=%SECRET%',
  'DB_PASSWORD=<password> DB_PASS=xxxxxxxx API_SECRET=*** PASSWORD=... MY_SECRET=your-secret-here',
  'PASSWORD=\nFOO=bar2bar PASSWORD= USE_PASSWORD=true NO_PASSWORD=yes HAS_SECRET=1 SECRET=null PASSWORD="" DB_PASS=',
  'password: process.env.DB_PASSWORD, secret: os.environ["X"], pass: env("PASS")',
  'password: ${{ secrets.DB_PASSWORD }}\n  secret: {{ .Values.secret }}\n  password: !secret wifi',
  'password=/run/secrets/db PWD=/home/user/project OLDPWD=~/x secret: op://vault/item/field',
  'curl -u $USER:$PASS https://example.com; docker run -u 1000:1000 x; mkdir -p a/b; ssh -p2222 x; mysql -u root -p shop',
  'sshpass -p "$PASS" ssh x; machine learning login page',
  'https://user@example.com/ https://example.com/@scope/name ssh://git@github.com/owner/name',
  '"auth": "required", "auth": "oauth2token" _auth=${NPM_AUTH}',
  'Cookie: the name of a file; Set-Cookie: sid=${sid}; cookie: string',
  // Tables, addresses and sentences.
  'Rows are identified by their index, and "identified by `id`" is no command. Log in with password "required".',
  '| token | string | The token of the request |\n| api_key | your-api-key | required |\n| key | Enter |',
  'The token is invalid. The key is a-b-c-d-e-f. The secret is that the password was changed.',
  'http://localhost:8080/a/b@c https://example.com/x:y/z@w https://registry.npmjs.org/@scope/name',
  'cache_key: 3f786850e387550fdab836ed7e6dc881de23001b, publicKey: 3f786850e387550fdab836ed7e6dc881de23001b',
  "const NAMES = ['password', 'token', 'secret', 'api_key', 'tulip']; t('password', 'Password'); get('key', 'a1b2c3d4');",
  "expect(form.get('password'), 'required'); labels['password'] = 'Password'; errors['token'] = 'is too short';",
  'acme --sort-key name2024 --cache-key build-abc123de --key server1.pem <key>a1b2c3d4</key> ENV PASSWORD_FILE /run/secrets/db',
  'src/a.ts:1024:name:value:other, 12:34:56:78:90, a.b:8080:c',
  `A line that is longer than thirty characters ends with ${'e'.repeat(9)}\nreadability2024 is a word of the next one.`,
  '<add key="PasswordFormat" value="Hashed" /> <input name="password" value="" /> {"name": "token_count", "value": "12"}',
  'gsk_short xai-grok-4 pplx-api r8_x lin_api_key ntn_x figd_x dp.pt.x key-0123 x.atlasv1.y NRAK-x',
];

describe('The detection of secrets', () => {
  for (const line of SECRETS) {
    it(`finds the secret in ${JSON.stringify(line.slice(0, 70))}`, () => {
      const redactor = new Redactor();
      const count = line.split('«').length - 1;
      const redacted = redactor.text(line.replace(/[«»]/g, ''));
      assert.equal(redacted.replace(/\[redacted: [a-z-]+\]/g, '□'), line.replace(/«[^»]*»/g, '□'));
      assert.equal(
        redactor.findings.reduce((sum, finding) => sum + finding.count, 0),
        count,
      );
    });
  }

  for (const line of NO_SECRETS) {
    it(`does not change ${JSON.stringify(line.slice(0, 70))}`, () => {
      assert.equal(new Redactor().text(line), line);
    });
  }
});

describe('Redaction and invisible characters', () => {
  const parted: Readonly<Record<string, (secret: string) => string>> = {
    'the colours of a search': (secret) =>
      `\u001b[01;31m\u001b[K${secret.slice(0, 4)}\u001b[m\u001b[K${secret.slice(4)}`,
    'a colour for each character': (secret) => secret.replace(/./g, '\u001b[32m$&\u001b[0m'),
    'links of a terminal': (secret) =>
      `\u001b]8;;https://example.com\u0007${secret.slice(0, 6)}\u001b]8;;\u0007${secret.slice(6)}`,
    'colours in JSON': (secret) =>
      String.raw`\u001b[01;31m\u001b[K${secret.slice(0, 4)}\u001b[m\u001b[K${secret.slice(4)}`,
    'signs without a width': (secret) => secret.replace(/(?<=.)(?=.)/g, '\u200b'),
    'a soft hyphen': (secret) => `${secret.slice(0, 9)}\u00ad${secret.slice(9)}`,
    'control characters': (secret) => `${secret.slice(0, 5)}\u0000\u000e${secret.slice(5)}`,
  };
  for (const [name, part] of Object.entries(parted)) {
    it(`finds secrets that are split by ${name}`, () => {
      for (const { kind, text, secret } of FAKE_SECRETS.filter((each) => !/\n|\\n/.test(each.secret))) {
        const redactor = new Redactor();
        const redacted = redactor.text(`before \u001b[1mbold\u001b[0m ${text.replace(secret, part(secret))} after`);
        // Invisible characters before the first and after the last character belong to the surrounding text.
        assert.match(
          redacted,
          new RegExp(String.raw`^before \x1b\[1mbold\x1b\[0m [^]*\[redacted: [a-z-]+\][^]* after$`),
          kind,
        );
        for (let at = 6; at + 6 <= secret.length; at += 6)
          assert.ok(!visible(redacted).includes(secret.slice(at, at + 6)), `${kind}: ${JSON.stringify(redacted)}`);
        const { findings } = redactor;
        assert.deepEqual([findings[0]?.kind, findings[0]?.count], [kind, 1]);
        assert.equal(findings[0]?.sample, `${secret.slice(0, 4)}…`);
      }
    });
  }

  it('keeps everything around a secret', () => {
    const before = '\u001b[35m.env\u001b[0m:\u001b[32m1\u001b[0m:GH_PAT=\u001b[01;31m\u001b[K';
    const text = `${before}ghp_\u001b[m\u001b[K${TOKEN.slice(4)}\u001b[0m 👩‍💻\ufe0f \u001b[1mX\u001b[0m`;
    assert.equal(new Redactor().text(text), `${before}[redacted: github-token]\u001b[0m 👩‍💻\ufe0f \u001b[1mX\u001b[0m`);
  });

  it('separates a token from the text before an invisible character', () => {
    assert.equal(new Redactor().text(`ok\u001b[0m${TOKEN}`), 'ok\u001b[0m[redacted: github-token]');
    assert.equal(new Redactor().text(`ok\u200b${TOKEN}`), 'ok\u200b[redacted: github-token]');
  });

  it('handles characters that are overprinted with backspaces', () => {
    const bold = TOKEN.replace(/./g, '$&\b$&');
    const redacted = new Redactor().text(`x ${bold} y`);
    assert.equal(redacted, 'x g\b[redacted: github-token] y');
  });
});

const UNSEEN = new RegExp(
  String.raw`\x1b\][^\x07]*\x07|\x1b\[[0-9;]*[A-Za-z]|\\u001b\[[0-9;]*[A-Za-z]|[\0-\x1f\xad\u200b]`,
  'g',
);

/** The text as it is read: without escapes and zero-width characters. */
function visible(text: string): string {
  return text.replace(UNSEEN, '');
}
