import { markdown, tool, type HostileRow } from './hostileRow';

const ADDRESSES: readonly string[] = [
  'javascript:pwned()',
  'JaVaScRiPt:pwned()',
  ' javascript:pwned()',
  'java\tscript:pwned()',
  'java&Tab;script:pwned()',
  'java&#10;script:pwned()',
  '&#x6A;avascript:pwned()',
  'javascript&colon;pwned()',
  '\u0001javascript:pwned()',
  '\u200bjavascript:pwned()',
  '%6Aavascript:pwned()',
  'javascript://example.com/%0apwned()',
  'vbscript:pwned()',
  'data:text/html,<script>parent.pwned()</script>',
  'data:text/html;base64,PHNjcmlwdD5wYXJlbnQucHduZWQoKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg onload=pwned()>',
  'blob:https://evil.test/1',
  'filesystem:https://evil.test/temporary/x',
  'command:workbench.action.terminal.new',
  'vscode:extension/evil.evil',
  'vscode-insiders://evil.evil/x',
  'vscode-resource://x/etc/passwd',
  'ssh://evil.test -oProxyCommand=x',
  'ms-msdt:/id PCWDiagnostic',
  'about:blank',
  'view-source:https://evil.test',
  '//evil.test/x',
  '\\\\evil.test\\share\\x',
  '/\\evil.test/x',
  'file://evil.test/share/x',
  'file:////evil.test/share',
  'http://',
  'https:evil.test',
  '#root',
  `https://evil.test/${'a'.repeat(5000)}`,
];

/** Links that lead where no link of a transcript may lead. */
export const hostileLinks: readonly HostileRow[] = ADDRESSES.map((address) => ({
  name: `a link to ${JSON.stringify(address.slice(0, 50))}`,
  blocks: () => [
    markdown(
      [
        `[click](${address})`,
        `[click](<${address}>)`,
        `![click](<${address}>)`,
        `<${address}>`,
        address,
        '[click][1]',
        `\n[1]: <${address}>`,
        `\n<a href="${address}">click</a>`,
      ].join('\n\n'),
    ),
    tool({ kind: 'web', url: address, query: null, prompt: null }),
  ],
}));

/** What only looks as if it led somewhere else: it does lead there, and says where. */
export const honestLinks: Readonly<Record<string, string>> = {
  'the web': 'https://example.com/a?b=c#d',
  'the web without a lock': 'http://example.com/',
  mail: 'mailto:somebody@example.com',
  'a path of the project': 'src/index.ts',
  'a path with a line': 'src/index.ts:12:3',
  'a name with a line': 'index.ts:12',
  'an absolute path': '/home/somebody/a.txt',
  'a path of Windows': 'C:\\Users\\a.txt',
  'a file address': 'file:///home/somebody/a.txt',
};
