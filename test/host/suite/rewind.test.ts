import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { addDemoHistory, HISTORY_PROMPTS } from '../../../scripts/demoHistory.mjs';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { acceptingChecked, answering } from './answers';
import { closeEditors, type WatchedPanel, watchingPanels } from './conversationWindow';
import { eventually } from './eventually';
import { scanAll } from './rethread';

const { configDir } = readHostTestEnvironment();
const [, DRAW] = HISTORY_PROMPTS;
const FILES = ['docs/notes.md', 'src/format.ts', 'src/oldGauge.ts', 'src/rain.ts', 'src/rainChart.ts'] as const;

describe('Forks and rewinds', () => {
  let workspace = '';
  let session: Awaited<ReturnType<typeof addDemoHistory>>;
  let rows: readonly {
    readonly type: string;
    readonly uuid?: string;
    readonly message?: { readonly content: unknown };
  }[];
  let panel: WatchedPanel;
  /** The 1-based line of each row, by its content. */
  const lineOf = (text: string): number =>
    rows.findIndex((row) => JSON.stringify(row.message ?? {}).includes(text)) + 1;
  const readAll = () => Promise.all(FILES.map((path) => readFile(join(workspace, path), 'utf8').catch(() => null)));
  let original: Awaited<ReturnType<typeof readAll>>;

  before(async () => {
    workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    await scanAll();
    session = await addDemoHistory(dirname(workspace), { configDir, workspace });
    const text = await readFile(session.filePath, 'utf8');
    // SAFETY: created by the demo.
    rows = text
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as (typeof rows)[number]);
    original = await readAll();
    panel = await watchingPanels(() =>
      vscode.commands.executeCommand('rethread.openConversation', { filePath: session.filePath }),
    );
    await panel.start();
  });

  after(async () => {
    await closeEditors();
    const folder = dirname(session.filePath);
    const known = new Set(readHostTestEnvironment().sessions.map(({ filePath }) => filePath));
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (name.endsWith('.jsonl') && !known.has(path)) await rm(path);
    }
    await scanAll();
  });

  const rewindFromPanel = () => panel.call('act', { kind: 'rewind', line: lineOf(DRAW) });

  it('show what a rewind would change, side by side and in a report with links, and touch nothing', async () => {
    let listed: readonly string[] = [];
    const { questions } = await answering(null, async () => {
      ({ listed } = await acceptingChecked(rewindFromPanel));
    });
    assert.deepEqual(listed, [
      ...FILES.map((path) => join(path)),
      'Outside the open folders',
      join(dirname(workspace), 'station.conf'),
      'Left alone',
      join('docs/latest.md'),
    ]);
    assert.equal(questions[0]?.message.startsWith('Rewind 5 files to before “Draw it as bars'), true);
    assert.deepEqual(await readAll(), original);
    const labels = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    assert.ok(
      labels.some((label) => label.startsWith('Rewind to before “Draw it as bars')),
      labels.join(),
    );
    const report = vscode.workspace.textDocuments.find((document) =>
      document.getText().startsWith('# Rewind to before'),
    );
    assert.ok(report !== undefined);
    assert.match(report.getText(), /### Commands that ran since\n\n.+\n\n- Line \d+: npm run build -- --all\n/);
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', report.uri);
    const [first] = links;
    assert.equal(first?.target?.path, 'rethread.openConversation');
    // SAFETY: the arguments of the command, as the code creates them.
    const [{ line }] = JSON.parse(first.target.query) as [{ line: number }];
    assert.equal(rows[line - 1]?.type, 'assistant');
    assert.ok(links.some(({ target }) => target?.fsPath === join(workspace, 'src/format.ts')));
  });

  it('save unsaved files, check again, and rewind what is still checked', async () => {
    const document = await vscode.workspace.openTextDocument(join(workspace, 'src/rain.ts'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '// Not saved yet.\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.isDirty, true);
    const refused = await answering([null], rewindFromPanel);
    assert.equal(refused.questions[0]?.message, '1 of the files has changes that are not saved.');
    assert.deepEqual(await readAll(), original);
    assert.equal(document.isDirty, true);
    const { questions, reported } = await answering(['Save All', 'Rewind'], () => acceptingChecked(rewindFromPanel));
    assert.deepEqual(
      questions.map(({ buttons }) => buttons),
      [['Save All'], ['Rewind']],
    );
    assert.equal(document.isDirty, false);
    assert.equal(reported[0]?.startsWith('Rewound 5 files to before'), true);
    const [notes, , gauge, rain, chart] = await readAll();
    assert.equal(notes, '# Notes\n\n- The wind is drawn on a map.\n');
    assert.match(gauge ?? '', /funnelCm2/);
    assert.match(rain ?? '', /^import type/);
    assert.equal(chart, null);
    const labels = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    assert.ok(!labels.some((label) => label.startsWith('Rewind to before')), labels.join());
  });

  it('undo the rewind, including what was saved just before it', async () => {
    const { questions, errors } = await answering('Undo Rewind', () =>
      vscode.commands.executeCommand('rethread.undoRewind'),
    );
    assert.equal(questions.length, 1);
    assert.deepEqual(errors, []);
    const [notes, format, gauge, rain, chart] = await readAll();
    assert.deepEqual([notes, format, gauge, chart], [original[0], original[1], original[2], original[4]]);
    assert.equal(rain, `// Not saved yet.\n${original[3] ?? ''}`);
    const { reported } = await answering(null, () => vscode.commands.executeCommand('rethread.undoRewind'));
    assert.deepEqual(reported, ['There is no rewind of this session that could be undone.']);
  });

  it('fork from a row of the panel, and leave the session unchanged', async () => {
    const before = await readFile(session.filePath);
    const reply = lineOf('The hours are counted');
    const { reported, errors } = await answering(null, () => panel.call('act', { kind: 'fork', line: reply }));
    assert.deepEqual(errors, []);
    assert.deepEqual(reported, ['Forked “Draw the rain of a day”: Claude will load 4 of 4 messages.']);
    const fork = await eventually('the fork is there', async () => {
      const names = await readdir(dirname(session.filePath));
      const texts = await Promise.all(
        names
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => readFile(join(dirname(session.filePath), name), 'utf8')),
      );
      return texts.find((text) => text.includes('Draw the rain of a day (fork)')) ?? null;
    });
    assert.ok(fork.includes(rows[reply - 1]?.uuid ?? '-'));
    assert.ok(!fork.includes(DRAW));
    assert.ok(before.equals(await readFile(session.filePath)));
  });

  it('refuse lines that are not rows, and rows that are not prompts', async () => {
    for (const action of [
      { kind: 'fork', line: 0 },
      { kind: 'fork' },
      { kind: 'rewind', line: '7' },
      { kind: 'rewind', line: 1.5 },
    ]) {
      await assert.rejects(panel.call('act', action), /Refused/);
    }
    const fork = await answering(null, () => panel.call('act', { kind: 'fork', line: 100_000 }));
    assert.match(fork.errors[0] ?? '', /nothing can be forked from it/);
    const rewind = await answering(null, () =>
      panel.call('act', { kind: 'rewind', line: lineOf('The hours are counted') }),
    );
    assert.deepEqual(rewind.errors, ['Files are rewound to a prompt, and this row is none.']);
  });
});
