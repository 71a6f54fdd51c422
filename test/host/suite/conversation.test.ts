import assert from 'node:assert/strict';
import { appendFile, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { ConversationHead, ItemsPage } from '../../../src/protocol/conversation';
import { watchingMessages, choosing } from './answers';
import { closeEditors, type WatchedPanel, watchingPanels } from './conversationWindow';
import { eventually } from './eventually';
import { extension, fixture, scanAll } from './rethread';

const CHAIN = { kind: 'chain' };
const COPY_ID = '9e55104a-0000-4000-8000-00000000c0de';

describe('A conversation panel', () => {
  const { filePath, title } = fixture('Plan the next release');
  const copyPath = join(dirname(filePath), `${COPY_ID}.jsonl`);
  let panel: WatchedPanel;

  before(scanAll);

  afterEach(closeEditors);

  after(() => rm(copyPath, { force: true }));

  const open = (path: string, line?: number) =>
    watchingPanels(() => vscode.commands.executeCommand('rethread.openConversation', { filePath: path, line }));

  /** A copy of the session that no other test uses. */
  async function openCopy(): Promise<WatchedPanel> {
    await copyFile(filePath, copyPath);
    const opened = await open(copyPath);
    await opened.start();
    return opened;
  }

  it('opens for the session that the person chooses by its title, and comes to the front the next time', async () => {
    panel = await watchingPanels(() => choosing('rethread.openConversation', title));
    await eventually('its tab is there', () => conversationTabs().join() === title);
    const { head, texts } = await panel.start();
    assert.equal(head.title, title);
    assert.equal(head.problem, null);
    assert.ok(head.count > 3);
    assert.equal(texts['Copy'], 'Copy');
    await vscode.commands.executeCommand('workbench.action.files.newUntitledFile');
    await vscode.commands.executeCommand('rethread.openConversation', { filePath });
    await eventually('the panel is in front', () => panel.panel.active);
    assert.equal(conversationTabs().length, 1);
  });

  it('shows a row first if it was opened for that row', async () => {
    panel = await open(filePath, 5);
    assert.equal((await panel.start()).reveal, 5);
    await vscode.commands.executeCommand('rethread.openConversation', { filePath, line: 7 });
    await eventually('the row is revealed', () => panel.reported('reveal').includes(7));
  });

  it('opens at the last change of a file, for a session that changed it', async () => {
    const wind = fixture('Show the wind on a map');
    const rows = (await readFile(wind.filePath, 'utf8')).split('\n');
    const changed = /"filePath":"([^"]*windMap\.ts)","oldString"/;
    const file = rows.map((row) => changed.exec(row)?.[1]).find((path) => path !== undefined) ?? '';
    panel = await watchingPanels(() => choosing('rethread.sessionsOfFile', wind.title, vscode.Uri.file(file)));
    assert.equal((await panel.start()).reveal, 1 + rows.findLastIndex((row) => changed.test(row)));
  });

  it('shows all files that its session changed in one editor', async () => {
    const wind = fixture('Show the wind on a map');
    panel = await open(wind.filePath);
    await panel.start();
    await vscode.commands.executeCommand('rethread.showChanges');
    await eventually('the changes are shown', () =>
      vscode.window.tabGroups.activeTabGroup.activeTab?.label.startsWith(`${wind.title}: changes by Claude`),
    );
    const shown = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'rethread-changes');
    assert.ok(shown.some(({ uri }) => uri.path.endsWith('/src/windMap.ts')));
  });

  it('keeps nothing of its page behind another tab, and may load only its own bundle', async () => {
    panel = await open(filePath);
    const { options, html } = { options: panel.panel.webview.options, html: panel.panel.webview.html };
    assert.equal(panel.panel.options.retainContextWhenHidden, false);
    const roots = options.localResourceRoots?.map(({ fsPath }) => fsPath);
    assert.deepEqual(roots, [join(extension().extensionPath, 'dist', 'webview')]);
    assert.match(html, /default-src &#39;none&#39;|default-src 'none'/);
  });

  it('answers its page’s requests: items, the outline, texts, find', async () => {
    panel = await open(filePath);
    await panel.start();
    const head = (await panel.call('head', CHAIN)) as ConversationHead;
    const page = (await panel.call('items', filePath, CHAIN, 0, 500)) as ItemsPage;
    assert.equal(page.items.length, head.count);
    assert.ok(page.items.every(({ line }) => line >= 1));
    assert.ok(((await panel.call('outline', CHAIN)) as unknown[]).length > 0);
    const query = { text: 'e', isRegExp: false, isCaseSensitive: false, roles: [], tool: null };
    const found = (await panel.call('find', CHAIN, query)) as { hits: number };
    assert.ok(found.hits > 0);
    const first = page.items[0];
    assert.equal(await panel.call('indexOfLine', CHAIN, first?.line), 0);
  });

  it('refuses foreign transcripts, and calls outside its contract', async () => {
    panel = await open(filePath);
    await panel.start();
    const other = fixture('Explain the radio protocol').filePath;
    for (const path of [other, '/etc/passwd', `${filePath}/../x.jsonl`]) {
      await assert.rejects(panel.call('items', path, CHAIN, 0, 10), /Refused/);
      await assert.rejects(panel.call('act', { kind: 'revealLine', filePath: path, line: 1 }), /Refused/);
      await assert.rejects(panel.call('persisted', path), /Refused/);
    }
    await assert.rejects(panel.call('items', filePath, CHAIN, 0, 100_000), /Refused/);
    await assert.rejects(panel.call('act', { kind: 'openLink', href: 'command:workbench.action.quit' }), /Refused/);
    await assert.rejects(panel.call('act', { kind: 'openLink', href: 'file:///etc/passwd' }), /Refused/);
  });

  it('is notified when the transcript grows, is truncated or is deleted', async () => {
    panel = await openCopy();
    const rows = await readFile(copyPath, 'utf8');
    const last = heads(panel).at(-1);
    await appendFile(copyPath, `${JSON.stringify({ type: 'a-type-of-tomorrow', sessionId: COPY_ID })}\n`);
    const grown = await eventually('growth is told', () => heads(panel).at(-1) ?? null);
    assert.ok(grown.revision > (last?.revision ?? 0));
    assert.ok(grown.fileSize > Buffer.byteLength(rows));
    await writeFile(copyPath, rows.split('\n').slice(0, 4).join('\n') + '\n');
    await eventually('the cut is told', () => (heads(panel).at(-1)?.fileSize ?? Infinity) < grown.fileSize);
    await rm(copyPath);
    await eventually('the deletion is told', () => typeof heads(panel).at(-1)?.problem === 'string');
  });

  it('copies texts and links, and a link opens the conversation at its row', async () => {
    panel = await open(filePath);
    await panel.start();
    await panel.call('act', { kind: 'copy', text: 'rm -rf /; $(id)' });
    assert.equal(await vscode.env.clipboard.readText(), 'rm -rf /; $(id)');
    await panel.call('act', { kind: 'copyLink', line: 6 });
    const link = vscode.Uri.parse(await vscode.env.clipboard.readText(), true);
    assert.equal(link.authority, 'rethread.rethread');
    await closeEditors();
    panel = await watchingPanels(() => extension().exports.openLink(link));
    assert.equal((await panel.start()).reveal, 6);
  });

  it('is not opened by a link to another file, or to a missing transcript', async () => {
    const links = [
      ['file=/etc/passwd', 'does not name a session'],
      [`file=${filePath}/../../../../x.jsonl`, 'does not name a session'],
      [`file=${copyPath}.jsonl`, 'is gone'],
    ] as const;
    for (const [query, complaint] of links) {
      const uri = vscode.Uri.from({ scheme: 'vscode', authority: 'rethread.rethread', path: '/conversation', query });
      const { errors } = await watchingMessages(() => extension().exports.openLink(uri));
      assert.ok(
        errors.some((error) => error.includes(complaint)),
        `${query}: ${errors.join()}`,
      );
    }
    assert.deepEqual(conversationTabs(), []);
  });

  it('reveals the raw line in the transcript, in a read-only editor', async () => {
    panel = await open(filePath);
    await panel.start();
    await panel.call('act', { kind: 'revealLine', filePath, line: 4 });
    const editor = await eventually('the transcript is open', () => {
      const { activeTextEditor } = vscode.window;
      return activeTextEditor?.document.uri.fsPath === filePath && activeTextEditor;
    });
    await eventually('the line is selected', () => editor.selection.active.line === 3);
    const before = editor.document.getText();
    await vscode.commands.executeCommand('type', { text: 'x' });
    assert.equal(editor.document.getText(), before);
    assert.equal(editor.document.isDirty, false);
  });

  it('reveals only the row if the transcript is too large for an editor', async () => {
    const rows = (await readFile(filePath, 'utf8')).trimEnd();
    const padding = JSON.stringify({ type: 'a-type-of-tomorrow', padding: 'x'.repeat(1024 * 1024) });
    await writeFile(copyPath, `${rows}\n${`${padding}\n`.repeat(21)}`);
    panel = await open(copyPath);
    await panel.start();
    await panel.call('act', { kind: 'revealLine', filePath: copyPath, line: 3 });
    const editor = await eventually('the row is shown', () => {
      const { activeTextEditor } = vscode.window;
      return activeTextEditor?.document.uri.scheme === 'rethread-row' && activeTextEditor;
    });
    const row: unknown = JSON.parse(editor.document.getText());
    assert.deepEqual(row, JSON.parse(rows.split('\n')[2] ?? ''));
    assert.ok(editor.document.lineCount > 3, 'it is laid out');
  });

  it('opens existing files, also by their path in the working directory', async () => {
    panel = await open(filePath);
    await panel.start();
    const { cwd } = (await panel.call('head', CHAIN)) as ConversationHead;
    assert.ok(cwd !== null);
    await writeFile(join(cwd, 'notes for the release.md'), '# Notes');
    await panel.call('act', { kind: 'openFile', path: 'notes for the release.md' });
    await eventually('the file is open', () => vscode.window.activeTextEditor?.document.getText() === '# Notes');
    await writeFile(join(cwd, 'steps.txt'), 'one\ntwo\nthree\nfour\n');
    await panel.call('act', { kind: 'openFile', path: 'steps.txt', line: 2, endLine: 3 });
    await eventually('its lines are selected', () => {
      const { activeTextEditor: editor } = vscode.window;
      return editor?.document.getText(editor.selection) === 'two\nthree\n';
    });
    await panel.call('act', { kind: 'openFile', path: 'notes for the release.md' });
    await eventually('the first is open again', () => vscode.window.activeTextEditor?.document.lineCount === 1);
    await panel.call('act', { kind: 'openFile', path: '//host/share/x' });
    await panel.call('act', { kind: 'openFile', path: cwd });
    assert.equal(vscode.window.activeTextEditor?.document.getText(), '# Notes');
  });

  it('opens an edit in the diff editor, with the file before and after it', async () => {
    const { filePath: path } = fixture('Show the wind on a map');
    panel = await open(path);
    await panel.start();
    const { items } = (await panel.call('items', path, CHAIN, 0, 500)) as ItemsPage;
    const rows = items.flatMap((item) => (item.kind === 'steps' ? item.rows : item.kind === 'row' ? [item] : []));
    const blocks = rows.flatMap((item) => item.blocks.map((block) => ({ item, block })));
    const edit = blocks.find(({ block }) => block.kind === 'tool' && block.name === 'Edit');
    assert.ok(edit?.block.kind === 'tool');
    await panel.call('act', { kind: 'openDiff', filePath: path, line: edit.item.line, path: edit.block.path });
    const input = await eventually('the diff is open', () => {
      const shown: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return shown instanceof vscode.TabInputTextDiff && shown;
    });
    const texts = await Promise.all(
      [input.original, input.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
    );
    assert.match(texts[0] ?? '', /describeWind/);
    assert.match(texts[1] ?? '', /windArrows/);
    assert.ok(
      texts.every((text) => text.includes('strongest')),
      'all of the file',
    );
  });
});

function heads(panel: WatchedPanel): readonly ConversationHead[] {
  // SAFETY: the contract of `changed`.
  return panel.reported('changed') as ConversationHead[];
}

/** The titles of the conversation panels in all groups. */
function conversationTabs(): readonly string[] {
  return (
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputCustom && input.viewType === 'rethread.conversation')
      // Up to VS Code 1.105, the label is the last part of the address.
      .map(({ label }) => label.replace('\u2060', ''))
  );
}
