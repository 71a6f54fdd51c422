import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { addDemoHistory, HISTORY_PROMPTS } from '../../../scripts/demoHistory.mjs';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import type { ChosenFiles, RewindStart, ShownPlan } from '../../../src/protocol/channels/rewindView';
import { watchingMessages } from './answers';
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
  let page: WatchedPanel;
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

  /** Opens the page of the rewind from the prompt in the panel. Nothing may ask or say anything meanwhile. */
  const openPage = async (): Promise<void> => {
    const messages = await watchingMessages(async () => {
      page = await watchingPanels(() => panel.call('act', { kind: 'rewind', line: lineOf(DRAW) }));
    });
    assert.deepEqual(messages, { modals: [], errors: [], reported: [] });
  };
  // SAFETY: what the page gets.
  const view = async () => ((await page.call('ready')) as RewindStart).view;
  const plan = async () => {
    const { stage } = await view();
    if (stage.kind !== 'plan') throw new Error(`The page is at ${stage.kind}`);
    return stage.plan;
  };
  /** What the page asks for if nobody changes a box. */
  const chosen = ({ token, files }: ShownPlan): ChosenFiles => ({
    token,
    paths: files.flatMap(({ path, group }) => (group === 'changing' ? [path] : [])),
  });

  it('show on a page what a rewind would change, with links, and touch nothing', async () => {
    await openPage();
    const { files, notRestored } = await plan();
    assert.deepEqual(
      files.map(({ name, group }) => [name, group]),
      [
        ...FILES.map((path) => [join(path), 'changing']),
        [join(dirname(workspace), 'station.conf'), 'outside'],
        [join('docs/latest.md'), 'left'],
      ],
    );
    const build = notRestored.flatMap(({ notes }) => notes).find(({ words }) => words === 'npm run build -- --all');
    assert.ok(build?.target?.kind === 'message');
    assert.equal(rows[build.target.line - 1]?.type, 'assistant');
    await eventually(
      'the page is in the editor in front',
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === `Rewind: ${session.title}`,
    );
    assert.deepEqual(await readAll(), original);
  });

  it('compare a file with what it was, on the page and in an editor', async () => {
    const path = join(workspace, 'src/rain.ts');
    const comparison = await page.call('compare', path);
    assert.match(JSON.stringify(comparison), /"removed","text":"export const TIP_MILLIMETRES/);
    page.say({ t: 'q', m: 'rewindView.act', a: [{ kind: 'openDiff', path }] });
    const input = await eventually('the diff is open', () => {
      const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
      return tab?.input instanceof vscode.TabInputTextDiff ? tab.input : null;
    });
    assert.equal(input.original.fsPath, path);
    const after = await vscode.workspace.openTextDocument(input.modified);
    assert.match(after.getText(), /const TIP_MM = 0\.2/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await assert.rejects(page.call('compare', join(workspace, 'package.json')), /Refused/);
  });

  it('save unsaved files, show what changes then, and rewind it', async () => {
    // The page is still open, and shows the prompt anew.
    await panel.call('act', { kind: 'rewind', line: lineOf(DRAW) });
    const document = await vscode.workspace.openTextDocument(join(workspace, 'src/rain.ts'));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), '// Not saved yet.\n');
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.isDirty, true);
    await eventually('the page names the file', async () => (await view()).unsaved.includes(document.uri.fsPath));
    assert.deepEqual(await readAll(), original);
    const messages = await watchingMessages(async () => {
      const seen = chosen(await plan());
      await page.call('rewind', 'first', seen);
      assert.equal(document.isDirty, false);
      const again = await plan();
      assert.notEqual(again.token, seen.token);
      assert.match((await view()).notices[0]?.message ?? '', /^The files were saved/);
      assert.equal(await readFile(document.uri.fsPath, 'utf8'), `// Not saved yet.\n${original[3] ?? ''}`);
      await page.call('rewind', 'second', chosen(again));
    });
    assert.deepEqual(messages, { modals: [], errors: [], reported: [] });
    const { stage } = await view();
    assert.ok(stage.kind === 'done' && stage.message.startsWith('Rewound 5 files to before'));
    const [notes, , gauge, rain, chart] = await readAll();
    assert.equal(notes, '# Notes\n\n- The wind is drawn on a map.\n');
    assert.match(gauge ?? '', /funnelCm2/);
    assert.match(rain ?? '', /^import type/);
    assert.equal(chart, null);
  });

  it('undo the rewind on the page, including what was saved just before it', async () => {
    const messages = await watchingMessages(async () => {
      // Of the session whose page has the focus.
      await vscode.commands.executeCommand('rethread.undoRewind');
    });
    assert.deepEqual(messages, { modals: [], errors: [], reported: [] });
    const { stage } = await view();
    assert.ok(stage.kind === 'undo');
    await page.call('undo', 'third', { token: stage.undo.token, paths: stage.undo.files.map(({ path }) => path) });
    const [notes, format, gauge, rain, chart] = await readAll();
    assert.deepEqual([notes, format, gauge, chart], [original[0], original[1], original[2], original[4]]);
    assert.equal(rain, `// Not saved yet.\n${original[3] ?? ''}`);
    const { reported } = await watchingMessages(() => vscode.commands.executeCommand('rethread.undoRewind'));
    assert.deepEqual(reported, ['There is no rewind of this session that could be undone.']);
  });

  it('fork from a row of the panel, and leave the session unchanged', async () => {
    const before = await readFile(session.filePath);
    const reply = lineOf('The hours are counted');
    const { reported, errors } = await watchingMessages(
      () => panel.call('act', { kind: 'fork', line: reply }),
      (seen) => seen.reported.length > 0,
    );
    assert.deepEqual(errors, []);
    assert.deepEqual(reported, ['Forked “Draw the rain of a day”: Claude remembers all 3 messages.']);
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
    const fork = await watchingMessages(() => panel.call('act', { kind: 'fork', line: 100_000 }));
    assert.match(fork.errors[0] ?? '', /nothing can be forked from it/);
    const rewind = await watchingMessages(() =>
      panel.call('act', { kind: 'rewind', line: lineOf('The hours are counted') }),
    );
    assert.deepEqual(rewind.errors, ['Files can be rewound only to a prompt, and this message is none.']);
  });
});
