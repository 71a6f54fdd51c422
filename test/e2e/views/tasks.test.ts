import assert from 'node:assert/strict';
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FIXTURES } from '../../support/fixtures';
import { ConversationWindow } from '../conversationWindow';

const RECORDING = join(FIXTURES, 'recordings/tasks-and-todos/dot-claude');
const RECORDED = 'a1a1a1a1-a1a1-4a1a-8a1a-a1a1a1a1a1a1';
const PLANNED = 'Build the parser step by step';

/**
 * The prompts as a person writes them. In the recording, the replies that its API should give follow them after `@@`.
 */
function withoutMockReplies(rows: string): string {
  const prompt = (value: unknown): unknown => (typeof value === 'string' ? value.replace(/ @@[^]*$/, '') : value);
  const lines = rows.trimEnd().split('\n');
  return lines.map((line) => `${JSON.stringify(JSON.parse(line, (_, value: unknown) => prompt(value)))}\n`).join('');
}

describe('The Tasks view in a window', () => {
  let demo: ConversationWindow;
  let planned: string;

  before(async function () {
    demo = await ConversationWindow.open(this);
    planned = await addRecording();
  });

  after(() => demo.close());

  afterEach(async function () {
    await demo.shootFailure(this.currentTest);
  });

  /** A recorded session with tasks that wait for each other, among the sessions of the window's folder. */
  async function addRecording(): Promise<string> {
    const folder = dirname(demo.session('Plan the next release').filePath);
    const path = join(folder, `${RECORDED}.jsonl`);
    const rows = await readFile(join(RECORDING, 'projects/-home-user-project', `${RECORDED}.jsonl`), 'utf8');
    const title = { type: 'custom-title', customTitle: PLANNED, sessionId: RECORDED };
    await mkdir(folder, { recursive: true });
    await writeFile(path, `${withoutMockReplies(rows)}${JSON.stringify(title)}\n`);
    const tasks = join(dirname(dirname(folder)), 'tasks', RECORDED);
    await cp(join(RECORDING, 'tasks', RECORDED), tasks, { recursive: true });
    return path;
  }

  const heading = () => demo.window.page.locator('.pane-header', { hasText: 'Tasks' });
  const pane = () => demo.window.page.locator('.pane', { has: heading() });
  const task = (name: string | RegExp) => pane().getByRole('treeitem', { name });

  it('asks for a session if none is chosen', async () => {
    await demo.window.activity('Rethread').click();
    await demo.window.treeItem('Explain the radio protocol').waitFor();
    await demo.window.runCommand('Rethread: Focus on Tasks View');
    await pane().getByText('Select a session, or open its conversation').waitFor();
    await demo.shoot('tasks-no-session');
  });

  it('reports that a session has none', async () => {
    await demo.openFromTree('Explain the radio protocol');
    await pane().getByText('This session has no tasks, and started no subagents.').waitFor();
    await demo.shoot('tasks-empty');
  });

  it('shows the progress of the session, the current task and the waiting ones', async () => {
    await demo.openFromTree(PLANNED);
    await task('Testing the parser, in progress, claude').waitFor();
    await task('Write the parser, done').waitFor();
    await task('Release it, to do, blocked by #2').waitFor();
    assert.match((await heading().textContent()) ?? '', /1 of 3 done · Build the parser step by step/);
    await demo.shoot('tasks');
  });

  it('expands the history of a task, and opens the row of a change', async () => {
    await task('Release it, to do, blocked by #2').locator('.monaco-tl-twistie').click();
    await task(/^Renamed from “Ship it”/).click();
    await demo.articles().filter({ hasText: 'TaskUpdate' }).first().waitFor();
    await demo.shoot('tasks-history');
  });

  it('follows the file, and reports that it was deleted', async () => {
    const kept = `${planned}.kept`;
    await copyFile(planned, kept);
    await rm(planned);
    await pane().getByText(`${RECORDED}.jsonl is gone: it was deleted or moved.`).waitFor();
    await demo.shoot('tasks-gone');
    await copyFile(kept, planned);
    await task('Write the parser, done').waitFor();
    assert.deepEqual(demo.complaints, []);
  });
});
