import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesChangedBy, sessionsThatChanged } from '../../../rooms/conversation';
import { sessionRefOf } from '../../../rooms/format';
import { readQuickMetadata } from '../../../rooms/sessions';
import { createPacer } from '../../../rooms/util';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { jsonl, messageRow } from './searchFiles';

const ONE = '11111111-1111-4111-8111-111111111111';
const TWO = '22222222-2222-4222-8222-222222222222';
const MAP = '/home/mo/station/src/map.ts';

/** The row that the client writes when an edit has succeeded. */
function edited(filePath: string, timestamp: string, fields: object = {}): object {
  const result = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'The file has been updated.' }];
  const toolUseResult = { filePath, oldString: 'a', newString: 'b', originalFile: 'a', structuredPatch: [] };
  return messageRow('user', result, { timestamp, cwd: '/home/mo/station', toolUseResult, ...fields });
}

describe('The sessions that changed a file', () => {
  async function ask(
    files: Readonly<Record<string, string>>,
    path = MAP,
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<typeof sessionsThatChanged>>> {
    return withTemporaryFolder(async (folder) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      const sessions = Object.keys(files).filter((name) => !name.includes('agent-'));
      const batch = sessions.map((name) => ({ ...sessionRefOf(join(folder, name)), projectFolder: folder }));
      async function* batches(): AsyncGenerator<typeof batch> {
        await Promise.resolve();
        yield batch;
      }
      return sessionsThatChanged(path, batches(), { pacer: createPacer(10), readQuickMetadata }, signal);
    });
  }

  it('are those with a successful edit, with their number and the line of the last, the latest first', async () => {
    const sessions = await ask({
      [`${ONE}.jsonl`]: jsonl(
        messageRow('user', 'Draw the map'),
        edited(MAP, '2026-03-02T10:00:00.000Z'),
        edited('/home/mo/station/src/other.ts', '2026-03-02T10:01:00.000Z'),
        edited(MAP, '2026-03-02T10:02:00.000Z'),
      ),
      [`${TWO}.jsonl`]: jsonl(messageRow('user', 'Colour it'), edited(MAP, '2026-03-03T10:00:00.000Z')),
    });
    assert.deepEqual(
      sessions.map(({ sessionId, title, changes, line, timeMs }) => [sessionId, title, changes, line, timeMs]),
      [
        [TWO, 'Colour it', 1, 2, Date.UTC(2026, 2, 3, 10)],
        [ONE, 'Draw the map', 2, 4, Date.UTC(2026, 2, 2, 10, 2)],
      ],
    );
  });

  it('are not those that only read it, mentioned it, or failed to change it', async () => {
    const call = [{ type: 'tool_use', id: 'toolu_1', name: 'Edit', input: { file_path: MAP } }];
    const sessions = await ask({
      [`${ONE}.jsonl`]: jsonl(
        messageRow('user', `What is in ${MAP}?`),
        messageRow('assistant', call),
        messageRow('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: MAP }], {
          toolUseResult: `Error: ${MAP} has not been read yet.`,
        }),
        messageRow('user', [{ type: 'tool_result', tool_use_id: 'toolu_2', content: '1 map' }], {
          toolUseResult: { type: 'text', file: { filePath: MAP, content: 'map' } },
        }),
        edited('/elsewhere/src/map.ts', '2026-03-02T10:00:00.000Z'),
      ),
    });
    assert.deepEqual(sessions, []);
  });

  it('include what their subagents changed, which is at no line of their own', async () => {
    const agent = jsonl(edited(MAP, '2026-03-02T10:00:00.000Z', { sessionId: ONE, isSidechain: true }));
    const sessions = await ask({
      [`${ONE}.jsonl`]: jsonl(messageRow('user', 'Draw the map', { sessionId: ONE })),
      [`${ONE}/subagents/agent-1a2b.jsonl`]: agent,
      [`${TWO}.jsonl`]: jsonl(messageRow('user', 'Older client', { sessionId: TWO })),
      // Clients 2.0.x wrote them beside the session.
      'agent-3c4d.jsonl': agent.replaceAll(ONE, TWO),
    });
    assert.deepEqual(sessions.map(({ sessionId, changes, line }) => [sessionId, changes, line]).sort(), [
      [ONE, 1, null],
      [TWO, 1, null],
    ]);
  });

  it('are found by relative paths, too, and by the calls that edit a notebook', async () => {
    const notebook = '/home/mo/station/rain.ipynb';
    const call = [{ type: 'tool_use', id: 'toolu_1', name: 'NotebookEdit', input: { notebook_path: notebook } }];
    const files = {
      [`${ONE}.jsonl`]: jsonl(edited('src/map.ts', '2026-03-02T10:00:00.000Z'), messageRow('assistant', call)),
    };
    assert.equal((await ask(files)).length, 1);
    assert.equal((await ask(files, notebook)).length, 1);
  });

  it('do not include a transcript that cannot be read, or whose lines are torn', async () => {
    const whole = jsonl(edited(MAP, '2026-03-02T10:00:00.000Z'));
    const sessions = await ask({ [`${ONE}.jsonl/x`]: '', [`${TWO}.jsonl`]: whole + whole.slice(0, -40) });
    assert.deepEqual(
      sessions.map(({ sessionId, changes }) => [sessionId, changes]),
      [[TWO, 1]],
    );
  });

  it('are no longer looked for once nobody waits', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(
      ask({ [`${ONE}.jsonl`]: jsonl(edited(MAP, '2026-03-02T10:00:00.000Z')) }, MAP, stopped),
      /stopped/,
    );
  });
});

describe('The files that a session changed', () => {
  const PATH = '/home/mo/station/src/map.ts';

  function edit(path: string, before: string | undefined, [from, to]: readonly [string, string], at: number): object {
    const toolUseResult = {
      ...{ filePath: path, oldString: from, newString: to },
      ...(before === undefined ? {} : { originalFile: before }),
    };
    const timestamp = new Date(Date.UTC(2026, 2, 2, 10, at)).toISOString();
    return messageRow('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }], {
      timestamp,
      toolUseResult,
    });
  }

  const ask = (main: string, agent = ''): ReturnType<typeof filesChangedBy> =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, `${ONE}.jsonl`);
      await writeFile(filePath, main);
      await mkdir(join(folder, ONE, 'subagents'), { recursive: true });
      await writeFile(join(folder, ONE, 'subagents/agent-1a2b.jsonl'), agent);
      return filesChangedBy(filePath, createPacer(10));
    });

  it('are each as before the first change and as after the last, also by a subagent, in the order of the times', async () => {
    const main = jsonl(edit(PATH, 'one', ['one', 'two'], 1), edit(PATH, 'three', ['three', 'four'], 3));
    const { compared, unknown } = await ask(main, jsonl(edit(PATH, 'two', ['two', 'three'], 2)));
    assert.deepEqual(compared, [{ path: PATH, before: 'one', after: 'four' }]);
    assert.deepEqual(unknown, []);
  });

  it('may be new, and are not listed if the last change took back the first', async () => {
    const created = messageRow('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }], {
      toolUseResult: { type: 'create', filePath: '/home/mo/station/new.ts', content: 'new' },
    });
    const { compared } = await ask(jsonl(created, edit(PATH, 'a', ['a', 'b'], 1), edit(PATH, 'b', ['b', 'a'], 2)));
    assert.deepEqual(compared, [{ path: '/home/mo/station/new.ts', before: null, after: 'new' }]);
  });

  it('are only named if the transcript does not hold their contents', async () => {
    assert.deepEqual(await ask(jsonl(edit(PATH, undefined, ['a', 'b'], 1))), { compared: [], unknown: [PATH] });
  });
});
