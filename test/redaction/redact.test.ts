import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Redactor } from '../rooms/conversation';
import { FIXTURES, listRecordings } from '../support/fixtures';
import { FAKE_SECRETS } from './fakeSecrets';

const redacted = (text: string): string => new Redactor().text(text);

describe('Redaction', () => {
  for (const { kind, text, secret } of FAKE_SECRETS) {
    it(`removes ${kind} in ${text.replace(secret, '…').slice(0, 40)}`, () => {
      const redactor = new Redactor();
      assert.equal(
        redactor.text(`before ${text} after`),
        `before ${text.replace(secret, `[redacted: ${kind}]`)} after`,
      );
      assert.deepEqual(redactor.findings, [{ kind, count: 1, sample: `${secret.slice(0, 4)}…` }]);
    });
  }

  for (const text of [
    '',
    'The password is wrong, and the secret of the token stays one.',
    'const password = process.env.DB_PASSWORD;',
    'let token: string; secret = getSecret("x1"); apiKey: settings.apiKey,',
    'password: ${DB_PASSWORD1}  token: <your-token-1>  secret=********  api_key=xxxxxxxxxxxx',
    'max_tokens=4096000000, input_tokens: 12345678, token_count: 88888888',
    'tokenizer = "cl100k_base-v2"',
    'passwordField.value1 = passwordInput2.text3',
    'https://example.com:8080/a@b  git@github.com:owner/name.git  user@host:22',
    'task-list-with-a-long-name-1234567890 disk-usage-of-everything-2024',
    'key: /home/user/.ssh/id_rsa2 private_key=./keys/server1.pem',
    'bearer of good news and so on; Bearer authentication-schemes',
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= 5d41402abc4b2a76b9719d911017c592',
    '00000000-0000-4000-8000-000000000001 toolu_00000000mwqv3hxy0015 msg_01XFDUDYJgAACzvnptvVoYEL',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '[redacted: github-token] password=[redacted: password]',
  ]) {
    it(`does not change ${JSON.stringify(text.slice(0, 50))}`, () => {
      const redactor = new Redactor();
      assert.equal(redactor.text(text), text);
      assert.deepEqual(redactor.findings, []);
    });
  }

  it('does not change the texts of the recordings', () => {
    for (const file of listRecordings()) {
      const text = readFileSync(join(FIXTURES, file), 'utf8');
      assert.equal(redacted(text), text, file);
    }
  });

  it('finds a token after a colour code, and a key without an end or a beginning', () => {
    const token = FAKE_SECRETS.find(({ kind }) => kind === 'github-token')?.text ?? '';
    assert.equal(redacted(`\u001b[1;32m${token}\u001b[0m`), '\u001b[1;32m[redacted: github-token]\u001b[0m');
    const key = FAKE_SECRETS.find(({ kind }) => kind === 'private-key')?.text ?? '';
    assert.equal(redacted(key.slice(0, 200)), '[redacted: private-key]');
    const lines = key.split('\n').slice(2);
    assert.equal(redacted(`before\n${lines.join('\n')}`), 'before\n[redacted: private-key]');
    assert.equal(redacted(`"x": "${lines.join('\\n')}"`), '"x": "[redacted: private-key]"');
    const listed = lines.map((line, at) => `${String(at + 98).padStart(6)}\t${line}\n`).join('');
    assert.equal(redacted(`last word\n${listed}`), 'last word\n    [redacted: private-key]\n');
  });

  it('counts by kind, most frequent first', () => {
    const [first, second] = FAKE_SECRETS;
    const redactor = new Redactor();
    redactor.text(`${first?.text ?? ''} ${second?.text ?? ''}`);
    redactor.text(second?.text ?? '');
    assert.deepEqual(
      redactor.findings.map(({ kind, count }) => [kind, count]),
      [
        ['openai-key', 2],
        ['anthropic-key', 1],
      ],
    );
  });

  it('drops the end of a cut label, which may be the beginning of a secret', () => {
    const token = FAKE_SECRETS.find(({ kind }) => kind === 'github-token')?.text ?? '';
    const label = new Redactor().label(`git clone with ${token.slice(0, 12)}…`);
    assert.equal(label, 'git clone with …');
  });

  it('removes a key and keeps the line structure', () => {
    const key = FAKE_SECRETS.find(({ kind }) => kind === 'private-key')?.text.split('\n') ?? [];
    const redactor = new Redactor();
    const lines = redactor.lines(['a', ...key, 'b']);
    assert.deepEqual(lines, ['a', ...key.map(() => '[redacted: private-key]'), 'b']);
    assert.deepEqual(
      redactor.findings.map(({ count }) => count),
      [1],
    );
  });

  const noise = fc.constantFrom(
    ' ',
    '\n',
    ', ',
    '"',
    "'",
    '; ',
    '\\n',
    '(',
    '=',
    ':',
    '/',
    'word',
    '日本',
    '-',
    '\u001b[0m',
  );
  const secret = fc.constantFrom(...FAKE_SECRETS.map(({ text }) => text));
  const mixed = fc
    .array(fc.oneof(noise, secret, fc.string({ maxLength: 8 })), { maxLength: 12 })
    .map((parts) => parts.join(''));

  it('leaves nothing for a second pass, whatever secrets are next to each other', () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const once = redacted(text);
        const again = new Redactor();
        assert.equal(again.text(once), once);
        assert.deepEqual(again.findings, []);
      }),
      { numRuns: 1500 },
    );
  });

  it('leaves no secret between punctuation', () => {
    const sign = fc.constantFrom(' ', '\n', ' "', "' ", '; ', ' (', '\t');
    fc.assert(
      fc.property(fc.array(fc.tuple(sign, fc.constantFrom(...FAKE_SECRETS)), { maxLength: 8 }), (parts) => {
        const text = redacted(parts.map(([before, { text: each }]) => before + each).join(''));
        for (const [, each] of parts) assert.ok(!text.includes(each.secret), `${each.kind} in ${text}`);
      }),
      { numRuns: 500 },
    );
  });

  it('changes no plain words', () => {
    const word = fc
      .string({
        unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'.split('')),
        minLength: 1,
        maxLength: 12,
      })
      // Text after a password label on its own line is redacted on purpose: `pwd = a-b`.
      .filter((each) => !/pass|pwd|secret|token|key|credential/.test(each));
    const words = fc.array(fc.tuple(word, fc.constantFrom(' ', '. ', '\n', ', ', ': ', ' = ', '/', '-', '_')));
    fc.assert(
      fc.property(words, (all) => {
        const text = all.flat().join('');
        assert.equal(redacted(text), text);
      }),
      { numRuns: 1000 },
    );
  });

  describe('takes linear time for texts of millions of characters, whatever they contain', function () {
    this.timeout(60_000);
    const LENGTH = 1_000_000;
    // Quadratic time would take hours, and a stack that grows with the text would crash the program.
    for (const part of [
      ...[
        'a',
        ' ',
        '-',
        '"',
        '\\"',
        '=',
        ':',
        '\u001b[0;',
        'ey',
        '://',
        '://a:',
        'pass',
        'password=',
        'password="',
        '日本',
      ],
      ...[
        'sk-',
        'xoxb-',
        'bearer ',
        'token_',
        'key: ',
        '--a-',
        'sig=',
        'A1b2',
        '[redacted: x]',
        '-----BEGIN PRIVATE KEY-----',
      ],
      ...[
        '-----BEGIN ',
        '-----END PRIVATE KEY-----',
        'aaaaaaaaaaaaaaaa\n',
        'SG.aaaaaaaaaaaaaaaa.',
        '-a',
        'AccountKey=',
      ],
      ...[
        'PASSWORD=xyz\n',
        'password="a b',
        '(password=))))',
        'secret=a/',
        'Cookie: a=',
        'set-cookie: a=',
        'machine a login b password ',
        'mysql -px',
        'curl -u a:b ',
        '<password>a',
        '://aaaaaaaaaaaaaaaa',
        'glpat-aaaaaaaaaaaaaaaa.',
        'a.atlasv1.',
      ],
      ...['\u001b]', '\u001b[0m', '\u009d', '\u200b', 'a\b'],
      ...[
        'Private-Lines: 1\naaaa\n',
        'kind: Secret\ndata:\n',
        'kind: Secret data: a: bcd\n',
        'LS0tLS1CRUdJTi',
        '%2Ba',
        'token is ',
        '| token | aaaaaaaa1',
        'name="password" value="',
        'identified by ',
        'localhost:1234:b:c:',
        'BUNDLE__',
        '://a:b/c',
        'scauth_aaaaa.aaaa.acc-',
        'Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1\n',
        '-----BEGIN PRIVATE KEY-----a b',
        'pk.aaaaaaaa',
        '_key=',
        'password=&',
        '["token"] = "',
        'ENV token ',
        'variable "token" { default = ',
        '<token',
        '<a.',
        '--a-key ',
      ],
    ]) {
      it(JSON.stringify(part), () => {
        const text = part.repeat(LENGTH / part.length);
        for (const start of ['', 'password=', 'https://a:', '-----BEGIN PRIVATE KEY-----', 'eyJaaaaaaaa.']) {
          const once = redacted(start + text);
          assert.equal(redacted(once), once);
        }
      });
    }
  });
});
