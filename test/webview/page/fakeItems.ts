import type { ContentBlock, ConversationItem, CutText, ForgottenAs, RowItem } from '../../../src/protocol/conversation';

const START_MS = Date.UTC(2026, 2, 3, 9, 12);
const MINUTE_MS = 60_000;

const REPLY = `I found it. \`parseRecipe\` splits the text on blank lines, so an ingredient list with a **blank line inside** ends early.

1. Read the header first
2. Keep lines that begin with a dash together

\`\`\`ts
export function splitSections(text: string): string[] {
  return text.split(/\\n{2,}(?=[A-Z])/);
}
\`\`\`

| case | before | after |
| --- | --- | --- |
| one list | 3 | 3 |
| blank line inside | 1 | **4** |

See [the notes](https://example.com/notes) for why.`;

const PROMPTS = [
  'Import recipes from plain text files, and keep the order of the ingredients.',
  'The tests fail on Windows. Why?',
  'Add a dry run.\n\nIt should print what would be imported, and change nothing.',
  'Now write the documentation for it.',
];

/** Beside the session of `fakeHost.ts`. */
export const SUBAGENT_PATH = '/home/someone/.claude/projects/-home-someone-recipes/1f0c/subagents/agent-a1.jsonl';

const uuidOf = (line: number): string => `00000000-0000-4000-8000-${String(line).padStart(12, '0')}`;
const cut = (text: string, more = 0): CutText => ({ text, more });

function row(line: number, role: RowItem['role'], blocks: readonly ContentBlock[], more?: Partial<RowItem>): RowItem {
  return {
    kind: 'row',
    line,
    uuid: uuidOf(line),
    role,
    timeMs: START_MS + line * MINUTE_MS,
    isLoaded: role === 'user' || role === 'assistant' ? true : null,
    isSidechain: false,
    continues: false,
    model: role === 'assistant' ? 'claude-opus-4-5' : null,
    blocks,
    branches: [],
    ...more,
  };
}

/** Every kind of block in turn; `variation` makes rows of the same kind differ in height. */
const KINDS: readonly ((line: number) => ConversationItem)[] = [
  (line) =>
    row(line, 'user', [{ kind: 'text', path: '0', body: cut(`${PROMPTS[line % PROMPTS.length] ?? ''} (${line})`) }]),
  (line) =>
    row(
      line,
      'assistant',
      [{ kind: 'thinking', path: '0', body: cut('The split is too eager.'), isRedacted: false }],
      line === 2 ? { isModelNew: true } : {},
    ),
  (line) =>
    row(
      line,
      'assistant',
      [{ kind: 'text', path: '0', body: cut(`Reply ${line}. ${REPLY.slice(0, 80 + ((line * 97) % REPLY.length))}`) }],
      { continues: true },
    ),
  (line) =>
    row(
      line,
      'assistant',
      [
        {
          kind: 'tool',
          path: '0',
          id: `toolu_${line}`,
          name: 'Bash',
          title: 'npm test',
          input: { kind: 'bash', command: cut('npm test -- --grep recipes'), description: 'Run the tests' },
          result: {
            line: line + 1,
            path: 'r',
            isError: false,
            text: cut('\u001b[32m✓\u001b[0m 41 passing\n\u001b[31m✗\u001b[0m 1 failing\n'),
            images: [],
            persisted: null,
          },
          subagent: null,
        },
      ],
      { continues: true },
    ),
  (line) =>
    row(
      line,
      'assistant',
      [
        {
          kind: 'tool',
          path: '0',
          id: `toolu_${line}`,
          name: 'Edit',
          title: 'src/parseRecipe.ts',
          input: {
            kind: 'diff',
            filePath: '/home/someone/recipes/src/parseRecipe.ts',
            hunks: [
              {
                oldStart: 12,
                newStart: 12,
                lines: [
                  { kind: 'context', text: 'export function splitSections(text: string): string[] {' },
                  { kind: 'removed', text: "  return text.split('\\n\\n');" },
                  { kind: 'added', text: '  return text.split(/\\n{2,}(?=[A-Z])/);' },
                  { kind: 'context', text: '}' },
                ],
              },
            ],
            more: 0,
          },
          result: null,
          subagent: null,
        },
      ],
      { continues: true },
    ),
  (line) =>
    row(
      line,
      'assistant',
      [
        {
          kind: 'tool',
          path: '0',
          id: `toolu_${line}`,
          name: 'Grep',
          title: 'splitSections',
          input: { kind: 'search', pattern: 'splitSections', where: 'src' },
          result: null,
          subagent: null,
        },
        {
          kind: 'tool',
          path: '1',
          id: `toolu_${line}b`,
          name: 'Read',
          title: 'README.md',
          input: { kind: 'read', filePath: '/home/someone/recipes/README.md', offset: 1, limit: 40 },
          result: null,
          subagent: null,
        },
      ],
      { continues: true },
    ),
  (line) =>
    row(
      line,
      'assistant',
      [{ kind: 'text', path: '0', body: cut(line % 3 === 0 ? REPLY : `Done in ${line} steps; all tests pass.`) }],
      { continues: true },
    ),
  (line) =>
    row(line, 'system', [
      { kind: 'note', title: 'Hook ran: PostToolUse', path: '0', body: cut('prettier --write src/parseRecipe.ts') },
    ]),
  (line) =>
    row(line, 'attachment', [
      { kind: 'note', title: 'Attached: recipes.txt', path: '0', body: cut('Pancakes\n- 2 eggs') },
    ]),
  (line) =>
    row(line, 'unknown', [{ kind: 'raw', title: 'marble-fold', path: '0', body: cut('{"type":"marble-fold","n":1}') }]),
];

/** A call that started a subagent. */
export function subagentItem(index: number): RowItem {
  const input = { kind: 'agent' as const, agentType: 'Explore', prompt: cut('Find out how recipes are parsed.') };
  return row(index + 1, 'assistant', [
    {
      kind: 'tool',
      path: '0',
      id: 'toolu_agent',
      name: 'Agent',
      title: 'Find the parser',
      input,
      result: null,
      subagent: SUBAGENT_PATH,
    },
  ]);
}

export function fakeItem(index: number): ConversationItem {
  return (KINDS[index % KINDS.length] ?? KINDS[0]!)(index + 1);
}

function forgotten(item: ConversationItem, as: ForgottenAs): ConversationItem {
  if (item.kind !== 'row') return item;
  return { ...item, isLoaded: item.isLoaded === true ? false : item.isLoaded, forgottenAs: as };
}

/** The message below the break of `brokenItems`. */
export const BROKEN_LINE = 20;

/** A break before the row at `line`. */
export function breakItem(line: number): ConversationItem {
  return { kind: 'break', line, isHealed: false, findings: [] };
}

/** A conversation that was compacted after its first `before` rows. */
export function compactedItems(before: number): readonly ConversationItem[] {
  const summarised = Array.from({ length: before }, (_, index) => forgotten(fakeItem(index), 'summarised'));
  return [
    ...summarised,
    row(1001, 'system', [{ kind: 'compaction', trigger: 'auto', tokensBefore: 155_000, earlierRows: before }]),
    row(1002, 'user', [
      { kind: 'summary', path: '0', body: cut('The person imports recipes from text files. **Done:** the parser.') },
    ]),
    row(1003, 'user', [{ kind: 'text', path: '0', body: cut('Go on with the importer.') }]),
    row(1004, 'assistant', [{ kind: 'text', path: '0', body: cut('The importer reads one file at a time.') }]),
  ];
}

/**
 * A short conversation with every kind of damage.
 *
 * @param otherBreaks lines of further messages that the finding names
 */
export function brokenItems(otherBreaks: readonly number[] = []): readonly ConversationItem[] {
  const before = Array.from({ length: 8 }, (_, index) => forgotten(fakeItem(index), 'lost'));
  const after = Array.from({ length: 9 }, (_, index) => fakeItem(index + 20));
  const finding = {
    code: 'dangling-parent',
    severity: 'error',
    action: 'auto',
    lines: [...otherBreaks, 20],
    uuids: [],
    message: 'Row 20 continues a row that is not in the file: Claude loads nothing from before it.',
  } as const;
  const branching = row(20, 'user', [{ kind: 'text', path: '0', body: cut('Use the second approach instead.') }], {
    branches: [
      { leafLine: 90, rows: 12, messages: 5, label: 'Try it with a regular expression', timeMs: START_MS },
      { leafLine: 120, rows: 1, messages: 1, label: 'Stop, look at the log first', timeMs: START_MS },
    ],
  });
  return [
    ...before,
    {
      kind: 'fault',
      line: 10,
      findings: [
        { ...finding, code: 'torn-line', severity: 'warning', message: 'Line 10 ends in the middle of a row.' },
      ],
    },
    { kind: 'break', line: BROKEN_LINE, isHealed: false, findings: [finding] },
    branching,
    ...after,
    row(60, 'system', [{ kind: 'compaction', trigger: 'auto', tokensBefore: 155_000, earlierRows: 212 }]),
    row(61, 'user', [
      { kind: 'summary', path: '0', body: cut('The person imports recipes from text files. **Done:** the parser.') },
    ]),
    row(62, 'user', [{ kind: 'text', path: '0', body: cut('Go on with the importer.') }]),
    row(63, 'assistant', [{ kind: 'error', path: '0', body: cut('API Error: 529 overloaded_error') }]),
    row(64, 'user', [{ kind: 'interruption', duringTool: true }]),
    row(65, 'assistant', [{ kind: 'text', path: '0', body: cut('The importer reads one file at a time.') }]),
  ];
}

/** A short conversation that is broken at a line with two messages. */
export function gluedItems(): readonly ConversationItem[] {
  const finding = {
    code: 'glued-lines',
    severity: 'error',
    action: 'auto',
    lines: [BROKEN_LINE],
    uuids: [],
    message: '1 line holds more than a message: Claude reads at most what is at its start.',
  } as const;
  return [
    ...Array.from({ length: 8 }, (_, index) => forgotten(fakeItem(index), 'lost')),
    { kind: 'fault', line: BROKEN_LINE, findings: [finding] },
    row(BROKEN_LINE, 'user', [{ kind: 'text', path: '0', body: cut('Use the second approach instead.') }]),
    ...Array.from({ length: 9 }, (_, index) => fakeItem(index + 20)),
  ];
}
