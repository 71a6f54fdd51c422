import assert from 'node:assert/strict';
import { appendFile, copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { ConversationHead, ItemsPage } from '../../../src/protocol/conversation';
import { closeEditors, type WatchedPanel, watchingPanels } from './conversationWindow';
import { eventually } from './eventually';
import { fixture, scanAll } from './rethread';
import { workerThreads } from './workerThreads';

const CHAIN = { kind: 'chain' };
const COPY_IDS = ['9e55104a-0000-4000-8000-0000000000a1', '9e55104a-0000-4000-8000-0000000000a2'];
/** The pauses before all consecutive restarts, and the starts themselves. */
const GIVES_UP_MS = 60_000;

describe('A conversation panel whose worker thread dies', () => {
  const { filePath } = fixture('Plan the next release');
  const copies = COPY_IDS.map((id) => join(dirname(filePath), `${id}.jsonl`));

  before(scanAll);

  afterEach(async () => {
    await closeEditors();
    for (const copy of copies) await rm(copy, { force: true });
  });

  async function openCopy(copy: string): Promise<WatchedPanel> {
    await copyFile(filePath, copy);
    const panel = await watchingPanels(() =>
      vscode.commands.executeCommand('rethread.openConversation', { filePath: copy }),
    );
    await panel.start();
    return panel;
  }

  it('continues with the next thread: its requests are answered, and new rows are reported', async () => {
    const [copy = ''] = copies;
    const panel = await openCopy(copy);
    const { count, revision } = (await panel.call('head', CHAIN)) as ConversationHead;
    const asked = panel.call('items', copy, CHAIN, 0, 10);
    await workerThreads.at(-1)?.terminate();
    assert.ok(((await asked) as ItemsPage).items.length > 0);
    assert.ok(((await panel.call('items', copy, CHAIN, 0, 10)) as ItemsPage).items.length > 0);
    await appendRow(copy);
    const head = await eventually('the row is told', () => headsOf(panel).find((each) => each.count > count) ?? null);
    assert.ok(head.revision > revision, 'revisions count on');
    assert.deepEqual(panel.reported('stopped'), []);
  });

  it('reports when the worker has given up, keeps its content, and continues on a retry', async function () {
    this.timeout(GIVES_UP_MS * 2);
    const panels: WatchedPanel[] = [];
    for (const copy of copies) panels.push(await openCopy(copy));
    const counts = panels.map((panel) => headsOf(panel).at(-1)?.count ?? 0);
    const [first] = panels;
    assert.ok(first !== undefined);
    await untilGivenUp(first);
    for (const panel of panels) assert.match(String(panel.reported('stopped')), /not followed any more/);
    await assert.rejects(first.call('items', copies[0], CHAIN, 0, 10), /not running/);
    const empty = panels.filter((panel) => headsOf(panel).some(({ problem }) => problem !== null));
    assert.deepEqual(empty, [], 'no page is told to show nothing');
    for (const copy of copies) await appendRow(copy);

    await first.call('tryAgain');

    for (const [at, panel] of panels.entries()) {
      await eventually('the row is told', () => headsOf(panel).some(({ count }) => count > (counts[at] ?? 0)));
    }
    assert.ok(((await first.call('items', copies[0], CHAIN, 0, 10)) as ItemsPage).items.length > 0);
    await scanAllWithCopies();
  });

  it('informs a page that is loaded after the worker gave up, and opens it on a full scan', async function () {
    this.timeout(GIVES_UP_MS * 2);
    const [copy = ''] = copies;
    const panel = await openCopy(copy);
    await untilGivenUp(panel);
    const start = (await panel.call('ready')) as { stopped: string | null };
    assert.match(start.stopped ?? '', /not followed any more/);
    const reported = headsOf(panel).length;
    await vscode.commands.executeCommand('rethread.refresh');
    await eventually('the panel is opened again', () => headsOf(panel).length > reported);
    assert.equal(((await panel.call('ready')) as { stopped: string | null }).stopped, null);
    await scanAllWithCopies();
  });

  /** The copies are also listed as sessions until they are removed. */
  async function scanAllWithCopies(): Promise<void> {
    for (const copy of copies) await rm(copy, { force: true });
    await scanAll();
  }
});

/** Ends one thread after the other, until no more are started. */
async function untilGivenUp(panel: WatchedPanel): Promise<void> {
  const reported = panel.reported('stopped').length;
  const hasGivenUp = (): boolean => panel.reported('stopped').length > reported;
  for (const end = Date.now() + GIVES_UP_MS; !hasGivenUp() && Date.now() < end;) {
    const thread = workerThreads.at(-1);
    // -1: it has ended.
    if (thread !== undefined && thread.threadId !== -1) await thread.terminate();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(hasGivenUp());
}

async function appendRow(path: string): Promise<void> {
  const row = { type: 'a-type-of-tomorrow', uuid: crypto.randomUUID(), timestamp: new Date().toISOString() };
  await appendFile(path, `${JSON.stringify(row)}\n`);
}

/** The heads that the page received: at its start, and since. */
function headsOf(panel: WatchedPanel): readonly ConversationHead[] {
  // SAFETY: the contract of the answer to `ready`, and of `changed`.
  const starts = panel.sent.flatMap(({ r }) => (r as { head?: ConversationHead } | null | undefined)?.head ?? []);
  // SAFETY: as above.
  return [...starts, ...(panel.reported('changed') as ConversationHead[])];
}
