import type {
  ContentBlock,
  CutText,
  PanelItem,
  RowItem,
  ToolBlock,
  ToolInput,
} from '../../../src/protocol/conversation';

const START_MS = Date.UTC(2026, 2, 3, 9, 12);
const FOLDER = '/home/someone/recipes';

let line = 0;
const cut = (text: string): CutText => ({ text, more: 0 });

function row(role: RowItem['role'], blocks: readonly ContentBlock[], more: Partial<RowItem> = {}): RowItem {
  line++;
  return {
    ...{ kind: 'row', line, uuid: null, role, timeMs: START_MS + line * 60_000, isLoaded: true },
    ...{ isSidechain: false, continues: role === 'assistant', model: role === 'assistant' ? 'claude-one' : null },
    ...{ blocks, branches: [] },
    ...more,
  };
}

const text = (words: string): ContentBlock => ({ kind: 'text', path: '0', body: cut(words) });
const note = (title: string, body: string): ContentBlock => ({ kind: 'note', title, path: '0', body: cut(body) });

function call(name: string, title: string, input: ToolInput, isError = false): ToolBlock {
  const result = {
    line: 1000 + line,
    path: 'r',
    isError,
    text: cut(`what ${title} gave`),
    images: [],
    persisted: null,
  };
  return { kind: 'tool', path: '0', id: `toolu_${line}`, name, title, input, result, subagent: null };
}

const read = (file: string): ToolBlock =>
  call('Read', file, { kind: 'read', filePath: `${FOLDER}/${file}`, offset: null, limit: null });
const grep = (pattern: string): ToolBlock => call('Grep', pattern, { kind: 'search', pattern, where: null });

const bash = (command: string, isError: boolean): ToolBlock =>
  call('Bash', command, { kind: 'bash', command: cut(command), description: null }, isError);

const edit = (file: string): ToolBlock =>
  call('Edit', file, {
    kind: 'diff',
    filePath: `${FOLDER}/${file}`,
    hunks: [{ oldStart: 4, newStart: 4, lines: [{ kind: 'added', text: 'const needle = 1;' }] }],
    counts: { added: 1, removed: 0 },
    more: 0,
  });

const COMMAND = { kind: 'note' as const, title: 'Command output', path: '0', body: cut('Set model to two') };

const steps = (rows: readonly RowItem[]): PanelItem => ({ kind: 'steps', line: rows[0]?.line ?? 0, rows });

/** Turns with everything that folds, and prompts after them, so that the list scrolls. */
export function turnItems(): readonly PanelItem[] {
  line = 0;
  const items: PanelItem[] = [
    row('user', [text('Import recipes from text files.')]),
    steps([
      row('attachment', [note('Environment', 'linux')]),
      row('attachment', [note('Deferred tools', 'a hidden thimble')]),
      row('attachment', [note('Skills', 'none')]),
    ]),
    row('assistant', [text('I will look.')], { continues: false, isModelNew: true }),
    steps([
      row('assistant', [grep('splitSections')]),
      row('attachment', [note('Reminder', 'todos')]),
      row('assistant', [read('src/one.ts')]),
      row('assistant', [read('src/two.ts')]),
      row('assistant', [read('src/three.ts')]),
      row('assistant', [bash('npm test', true)]),
      row('assistant', [edit('src/one.ts')]),
    ]),
    row('system', [{ ...COMMAND, isForPerson: true }]),
    row('assistant', [text('The parser is done.')]),
    row('user', [text('Good. And now?')]),
    row('assistant', [{ kind: 'thinking', path: '0', body: cut('A quiet thought.'), isRedacted: false }], {
      continues: false,
    }),
    row('assistant', [text('Now the importer.')]),
  ];
  for (let more = 0; more < 30; more++) items.push(row('user', [text(`A further prompt ${more}`)]));
  return items;
}
