import assert from 'node:assert/strict';
import { Redactor } from '../rooms/conversation';
import { madeUp } from './fakeSecrets';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const HEX = '0123456789abcdef';

const redacted = (text: string): string => new Redactor().text(text);

/** The lines of a made-up private key. The last one is short, as they are. */
function keyLines(name: string, headers: readonly string[] = []): readonly string[] {
  const body = Array.from({ length: 12 }, (_, at) => madeUp(64, 500 + at, BASE64));
  const begin = ['-----BEGIN', `${name}-----`].join(' ');
  return [begin, ...headers, ...body, `${madeUp(22, 600, BASE64)}==`, ['-----END', `${name}-----`].join(' ')];
}

/** No line of the body, and no half of one, may remain. */
function assertGone(text: string, lines: readonly string[], about: string): void {
  for (const line of lines.slice(1, -1)) {
    for (let at = 0; at + 6 <= line.length; at += 6)
      assert.ok(!text.includes(line.slice(at, at + 6)), `${about}: ${JSON.stringify(text)}`);
  }
}

/** How the lines of a key may be joined, with what is before and after each. */
const QUOTINGS: Readonly<Record<string, (lines: readonly string[]) => string>> = {
  'a file': (lines) => lines.join('\n'),
  'a Windows file': (lines) => lines.join('\r\n'),
  'one line with escaped breaks': (lines) => `KEY="${lines.join('\\n')}"`,
  'one line with twice escaped breaks': (lines) => `{"env":"{\\"KEY\\":\\"${lines.join('\\\\n')}\\"}"}`,
  'escaped Windows breaks': (lines) => `{"key": "${lines.join('\\r\\n')}"}`,
  'one line with spaces': (lines) => `KEY='${lines.join(' ')}'`,
  'one line without anything between': (lines) => lines.join(''),
  'joined strings of JavaScript': (lines) =>
    `const key =\n${lines.map((line) => `  '${line}\\n' +`).join('\n')}\n  '';`,
  'joined strings of Java': (lines) => `String key = ${lines.map((line) => `"${line}\\n"`).join('\n    + ')};`,
  'adjacent strings of Python': (lines) => `KEY = (\n${lines.map((line) => `    b"${line}\\n"`).join('\n')}\n)`,
  'an array of strings': (lines) => `[${lines.map((line) => `"${line}"`).join(', ')}].join("\\n")`,
  'a shell with continued lines': (lines) => `echo "${lines.join('\\\n')}"`,
  'a block of YAML': (lines) => `tls:\n  key: |\n${lines.map((line) => `    ${line}`).join('\n')}\n`,
  'a here document': (lines) => `cat > key.pem <<EOF\n${lines.join('\n')}\nEOF`,
  'a diff': (lines) => lines.map((line) => `+${line}`).join('\n'),
  'a numbered listing': (lines) => lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join('\n'),
  'a search': (lines) => lines.map((line, at) => `${at + 1}:${line}`).join('\n'),
  'an answered mail': (lines) => lines.map((line) => `> ${line}`).join('\n'),
  HTML: (lines) => `<pre>${lines.join('<br>')}</pre>`,
  'a cell of a table': (lines) => `| key | ${lines.join('<br/>')} | x |`,
  CSV: (lines) => `name,key\nweb,"${lines.join('\n')}"\n`,
  'an address': (lines) => `?key=${encodeURIComponent(lines.join('\n'))}`,
  'a comment': (lines) => lines.map((line) => ` * ${line}`).join('\n'),
  'a comment of a shell': (lines) => lines.map((line) => `# ${line}`).join('\n'),
  colours: (lines) => lines.map((line) => `\u001b[32m${line}\u001b[0m`).join('\n'),
};

describe('The redaction of private keys', () => {
  for (const [quoting, quote] of Object.entries(QUOTINGS)) {
    for (const [name, headers] of [
      ['RSA PRIVATE KEY', []],
      ['OPENSSH PRIVATE KEY', []],
      ['RSA PRIVATE KEY', ['Proc-Type: 4,ENCRYPTED', `DEK-Info: AES-128-CBC,${madeUp(32, 700, HEX)}`]],
    ] as const) {
      it(`finds a whole ${name} in ${quoting}${headers.length > 0 ? ', with headers' : ''}`, () => {
        const lines = keyLines(name, headers);
        const text = redacted(`before\n${quote(lines)}\nafter`);
        assertGone(text, lines, quoting);
        assert.match(text, /^before\n[^]*\[redacted: private-key\][^]*\nafter$/);
      });
    }
  }

  for (const quoting of [
    'a file',
    'one line with escaped breaks',
    'a numbered listing',
    'a diff',
    'an answered mail',
  ]) {
    it(`finds a key without its end in ${quoting}`, () => {
      const lines = keyLines('RSA PRIVATE KEY');
      const text = redacted(`${QUOTINGS[quoting]?.(lines.slice(0, 8)) ?? ''}\n\nThe next paragraph stays as it is.`);
      assertGone(text, lines.slice(0, 9), quoting);
      assert.ok(text.endsWith('The next paragraph stays as it is.'), text);
    });
  }

  it('keeps the text between two keys, and certificates', () => {
    const key = keyLines('EC PRIVATE KEY').join('\n');
    const certificate = keyLines('CERTIFICATE').join('\n');
    assert.equal(
      redacted(`${key}\nbetween\n${certificate}\n${key}`),
      `[redacted: private-key]\nbetween\n${certificate}\n[redacted: private-key]`,
    );
  });

  it('does not change a sentence or code about keys', () => {
    for (const text of [
      'A file that starts with -----BEGIN CERTIFICATE----- holds no private key.',
      "if (text.includes('-----END CERTIFICATE-----')) return;",
    ])
      assert.equal(redacted(text), text);
  });

  it('finds the private half of a PuTTY key', () => {
    const lines = Array.from({ length: 4 }, (_, at) => madeUp(64, 800 + at, BASE64));
    const mac = madeUp(64, 810, HEX);
    for (const lineBreak of ['\n', '\r\n', '\\n', '\\r\\n']) {
      const start = [
        'PuTTY-User-Key-File-3: ssh-rsa',
        'Encryption: none',
        'Comment: web',
        'Public-Lines: 1',
        'AAAAB3Nz',
      ];
      const text = redacted([...start, 'Private-Lines: 4', ...lines, `Private-MAC: ${mac}`, 'after'].join(lineBreak));
      assertGone(text, ['', ...lines, mac, ''], lineBreak);
      assert.ok(text.startsWith(start.join(lineBreak)) && text.endsWith('after'), text);
    }
  });

  it('finds keys and tokens in the configuration of a client of Kubernetes', () => {
    const key = Buffer.from(keyLines('RSA PRIVATE KEY').join('\n')).toString('base64');
    const certificate = Buffer.from(keyLines('CERTIFICATE').join('\n')).toString('base64');
    const token = madeUp(64, 820);
    const text = `users:\n- name: me\n  user:\n    client-certificate-data: ${certificate}\n    client-key-data: KEY\n    token: TOKEN\n`;
    const shown = redacted(text.replace('KEY', key).replace('TOKEN', token));
    assert.equal(shown, text.replace('KEY', '[redacted: private-key]').replace('TOKEN', '[redacted: password]'));
    assert.equal(redacted(`"x": "${key}"`), '"x": "[redacted: private-key]"');
  });

  it('finds the values of a secret of Kubernetes, whatever their names are', () => {
    const values = [830, 831].map((seed) => madeUp(28, seed, BASE64));
    const manifest = (shown: readonly string[]): string =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\n  labels: {app: shop}\ntype: Opaque\ndata:\n  user: ${shown[0] ?? ''}\n  config.json: ${shown[1] ?? ''}\n---\nkind: Service\nmetadata:\n  name: web-frontend\n`;
    const marks = ['[redacted: kubernetes-secret]', '[redacted: kubernetes-secret]'];
    assert.equal(redacted(manifest(values)), manifest(marks));
    const json = (shown: readonly string[]): string =>
      `{"apiVersion":"v1","data":{"user":"${shown[0] ?? ''}","x":"${shown[1] ?? ''}"},"kind":"Secret","metadata":{"name":"shop"}}`;
    assert.equal(redacted(json(values)), json(marks));
  });
});
