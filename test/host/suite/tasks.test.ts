import assert from 'node:assert/strict';
import { appendFile, copyFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { TaskList } from '../../../src/protocol/task';
import { closeEditors, watchingPanels } from './conversationWindow';
import { eventually } from './eventually';
import { extension, fixture, manifest, scanAll } from './rethread';

const COPY_ID = '9e55104a-0000-4000-8000-0000000007a5';

describe('the Tasks view', () => {
  const { filePath } = fixture('Show the wind on a map');
  const copyPath = join(dirname(filePath), `${COPY_ID}.jsonl`);

  before(async () => {
    await scanAll();
    await vscode.commands.executeCommand('rethread.tasks.focus');
  });

  afterEach(closeEditors);

  after(async () => {
    await rm(copyPath, { force: true });
    await vscode.commands.executeCommand('workbench.view.explorer');
  });

  const shown = (path: string): TaskList | null => {
    const state = extension().exports.getTasks();
    return state.kind === 'list' && state.session.path === path ? state.list : null;
  };

  async function openCopy(): Promise<void> {
    await copyFile(filePath, copyPath);
    await watchingPanels(() => vscode.commands.executeCommand('rethread.openConversation', { filePath: copyPath }));
    await eventually('its tasks are shown', () => shown(copyPath));
  }

  /** Writes the list as a running client would. */
  async function writeTodos(...todos: readonly (readonly [string, string])[]): Promise<void> {
    const row = {
      type: 'assistant',
      uuid: crypto.randomUUID(),
      parentUuid: null as string | null,
      isSidechain: false,
      sessionId: COPY_ID,
      timestamp: new Date().toISOString(),
      message: {
        id: `msg_${crypto.randomUUID()}`,
        role: 'assistant',
        model: 'claude-test',
        content: [
          {
            type: 'tool_use',
            id: `toolu_${crypto.randomUUID()}`,
            name: 'TodoWrite',
            input: { todos: todos.map(([content, status]) => ({ content, status, activeForm: content })) },
          },
        ],
      },
    };
    await appendFile(copyPath, `${JSON.stringify(row)}\n`);
  }

  it('is declared between the search and the tokens', () => {
    // SAFETY: a part of package.json, which has its own test.
    const { views } = manifest()['contributes'] as { views: { rethread: { id: string }[] } };
    const ids = views.rethread.map(({ id }) => id);
    assert.deepEqual(ids, ['rethread.sessions', 'rethread.search', 'rethread.tasks', 'rethread.tokens']);
  });

  it('shows the tasks of the active conversation', async () => {
    await vscode.commands.executeCommand('rethread.openConversation', { filePath });
    const list = await eventually('its tasks are shown', () => shown(filePath));
    assert.equal(list.source, 'todos');
    assert.ok(list.tasks.length > 0);
    assert.ok(list.history.every(({ at }) => at.line > 0));
  });

  it('follows a growing session, and reports when it is deleted', async () => {
    await openCopy();
    await writeTodos(['Sweep the deck', 'completed'], ['Set the sail', 'in_progress']);
    const grown = await eventually('the new list is shown', () => {
      const list = shown(copyPath);
      return list?.tasks[0]?.subject === 'Sweep the deck' ? list : null;
    });
    assert.deepEqual(grown.progress, { total: 2, completed: 1, inProgress: 1, failed: 0 });
    await rm(copyPath);
    const gone = await eventually('it is gone', () => {
      const list = shown(copyPath);
      return typeof list?.problem === 'string' ? list : null;
    });
    assert.deepEqual(gone.tasks, []);
  });
});
