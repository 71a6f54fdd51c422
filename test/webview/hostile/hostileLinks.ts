import type { PanelAction } from '../../../src/protocol/channels/panel';
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

/** Links to targets that no link in a transcript may open. */
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

const file = (path: string, line?: number, endLine?: number): PanelAction => ({
  kind: 'openFile',
  path,
  ...(line !== undefined && { line }),
  ...(endLine !== undefined && { endLine }),
});

/**
 * What only looks as if it led somewhere else: it does lead there, and says where. Opened as links unless said
 * otherwise.
 */
export const honestLinks: Readonly<Record<string, { readonly href: string; readonly opens?: PanelAction }>> = {
  'the web': { href: 'https://example.com/a?b=c#d' },
  'the web without a lock': { href: 'http://example.com/' },
  mail: { href: 'mailto:somebody@example.com' },
  'a path of the project': { href: 'src/index.ts', opens: file('src/index.ts') },
  'a path with a line': { href: 'src/index.ts:12:3', opens: file('src/index.ts', 12) },
  'a path with lines': { href: 'src/index.ts:12-20', opens: file('src/index.ts', 12, 20) },
  'a path with lines as on the web': { href: 'src/index.ts#L10-L20', opens: file('src/index.ts', 10, 20) },
  'a path with a heading': { href: 'docs/a.md#usage', opens: file('docs/a.md') },
  'a path with spaces': { href: 'my%20notes/100%25.md', opens: file('my notes/100%.md') },
  'a name with a line': { href: 'index.ts:12', opens: file('index.ts', 12) },
  'an absolute path': { href: '/home/somebody/a.txt', opens: file('/home/somebody/a.txt') },
  'a path of Windows': { href: 'C:\\Users\\a.txt', opens: file('C:\\Users\\a.txt') },
  'a file address': { href: 'file:///home/somebody/a.txt', opens: file('/home/somebody/a.txt') },
  'a file address of Windows': { href: 'file:///C:/Users/a.txt#L3', opens: file('C:/Users/a.txt', 3) },
};
