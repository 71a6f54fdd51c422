import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SessionReader } from '../../rooms/conversation';
import { createPacer } from '../../rooms/util';
import type { MessageRow, SessionMessage } from '../../../src/protocol/message';
import type { TranscriptEnd } from '../../../src/protocol/sessionInfo';
import type { ActivityAnswer } from '../../rooms/providers';
import { NOT_RUNNING } from '../../support/fakeProvider';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import {
  assistant,
  boundary,
  call,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

const ID = '44444444-4444-4444-8444-444444444444';
const LONG = 'long text '.repeat(10_000);

const NOT_LIVE: ActivityAnswer = { live: 'not-live', activity: NOT_RUNNING };

function open(filePath: string, answer = NOT_LIVE): SessionReader {
  return new SessionReader({
    filePath,
    createScanner: plainScanner,
    pacer: createPacer(10),
    activityOf: () => Promise.resolve(answer),
  });
}

function withReader(
  rows: readonly RowFields[],
  check: (reader: SessionReader, filePath: string) => Promise<void>,
  answer?: ActivityAnswer,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, `${ID}.jsonl`);
    writeFileSync(filePath, transcript(rows));
    const reader = open(filePath, answer);
    try {
      await check(reader, filePath);
    } finally {
      reader.close();
    }
  });
}

async function all(messages: AsyncIterable<SessionMessage>): Promise<SessionMessage[]> {
  const found: SessionMessage[] = [];
  for await (const message of messages) found.push(message);
  return found;
}

function rowsOf(messages: readonly SessionMessage[]): MessageRow[] {
  return messages.filter((message) => message.kind === 'message');
}

describe('SessionReader', () => {
  it('returns messages with their complete text, however long', () =>
    withReader([prompt('p', null, { message: { role: 'user', content: LONG } }), reply('r', 'p')], async (reader) => {
      const [first] = rowsOf(await all(reader.messages()));
      assert.deepEqual(first?.parts, [{ kind: 'text', text: LONG }]);
    }));

  it('returns calls with their raw inputs, and their results', () =>
    withReader(
      [
        prompt('p', null, { cwd: '/src/app', gitBranch: 'main' }),
        assistant('c', 'p', [{ type: 'tool_use', id: 't1', name: 'Write', input: { file_path: '/a', content: LONG } }]),
        result('a', 'c', 't1'),
      ],
      async (reader) => {
        const [first, second] = rowsOf(await all(reader.messages()));
        assert.deepEqual([first?.cwd, first?.gitBranch], ['/src/app', 'main']);
        assert.deepEqual(second?.messageId, 'msg_c');
        const [tool] = second.parts;
        assert.equal(tool?.kind, 'tool');
        assert.deepEqual(tool.input, { file_path: '/a', content: LONG });
        assert.deepEqual(tool.result, { isError: false, text: 'result a', images: 0, persisted: null, line: 3 });
      },
    ));

  it('returns pages that add up to the whole', () =>
    withReader(
      Array.from({ length: 300 }, (_, at) => prompt(`m${at}`, at === 0 ? null : `m${at - 1}`)),
      async (reader) => {
        assert.equal(await reader.count(), 300);
        const whole = await all(reader.messages());
        assert.deepEqual(
          whole.map(({ index }) => index),
          [...Array(300).keys()],
        );
        assert.deepEqual(await all(reader.messages({ kind: 'chain' }, 100, 150)), whole.slice(100, 250));
        assert.deepEqual(await all(reader.messages({ kind: 'chain' }, 400, 5)), []);
      },
    ));

  it('marks compactions and breaks', () =>
    withReader(
      [
        prompt('p', null),
        reply('r', 'p'),
        boundary('b', null, { trigger: 'manual', preTokens: 5000 }),
        prompt('q', 'b'),
        reply('s', 'nowhere'),
      ],
      async (reader) => {
        const kinds = (await all(reader.messages())).map((each) => each.kind);
        assert.deepEqual(kinds, ['message', 'message', 'compaction', 'message', 'break', 'message']);
      },
    ));

  it('shows another branch by the uuid or the line of its last row', () =>
    withReader([prompt('p', null), reply('old', 'p'), reply('new', 'p')], async (reader) => {
      assert.equal(await reader.leafLine(uuidOf('old')), 2);
      assert.equal(await reader.leafLine('2'), 2);
      assert.equal(await reader.leafLine('nobody'), null);
      const texts = rowsOf(await all(reader.messages({ kind: 'branch', leafLine: 2 }))).map(({ line }) => line);
      assert.deepEqual(texts, [1, 2]);
      const [first] = rowsOf(await all(reader.messages()));
      assert.deepEqual(first?.branches, [{ leafLine: 2, rows: 1, messages: 1, label: 'reply old' }]);
    }));

  it('dates the session from its first to its last message', () =>
    withReader(
      [
        prompt('p', null, { timestamp: '2026-01-02T00:00:00Z' }),
        reply('r', 'p', { timestamp: '2026-01-01T00:00:00Z' }),
        reply('s', 'r', { timestamp: 'soon' }),
      ],
      async (reader) => {
        const session = await reader.overview();
        assert.deepEqual([session?.createdMs, session?.updatedMs], [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]);
        assert.deepEqual(session?.end, { kind: 'ended' });
      },
    ));

  it('dates a fork to which nothing was added from when it was made, and not from the messages that it copied', () => {
    const startMs = Date.now();
    const forkedFrom = { sessionId: 'parent', messageUuid: uuidOf('p') };
    return withReader([prompt('p', null, { forkedFrom, timestamp: '2026-01-02T00:00:00Z' })], async (reader) => {
      const session = await reader.overview();
      // The clock of a file system can lag behind.
      assert.ok((session?.createdMs ?? 0) >= startMs - 2000);
      assert.equal(session?.updatedMs, session?.createdMs);
    });
  });

  it('names the open call of a session that runs, and of no other', async () => {
    const rows = [prompt('p', null), call('c', 'p', 't1')];
    const live: ActivityAnswer = { live: 'live', activity: { ...NOT_RUNNING, state: 'busy', pid: 1 } };
    await withReader(
      rows,
      async (reader) => {
        const session = await reader.overview();
        assert.deepEqual([session?.activity.state, session?.call], ['busy', 'Bash']);
      },
      live,
    );
    await withReader(rows, async (reader) => {
      const session = await reader.overview();
      assert.deepEqual([session?.end.kind, session?.call], ['waitingOnTool', null]);
    });
  });

  it('counts prompts and replies, not rows, results, interruptions or sidechains', () =>
    withReader(
      [
        prompt('p1', null),
        assistant('r1', 'p1', [{ type: 'text', text: 'I look.' }], {}, 'm1'),
        call('c1', 'r1', 't1', { message: 'm1' }),
        result('u1', 'c1', 't1'),
        reply('r2', 'u1'),
        prompt('stop', 'r2', {
          message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
        }),
        prompt('side', 'stop', { isSidechain: true }),
        prompt('p2', 'stop'),
      ],
      async (reader) => {
        const session = await reader.overview();
        assert.deepEqual([session?.messages, session?.turns], [4, 2]);
      },
    ));

  it('tells how the transcript ends to whoever says what the session is doing', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, `${ID}.jsonl`);
      const rows = transcript([prompt('p', null), reply('r', 'p', { entrypoint: 'sdk-cli' })]);
      const closingRow = '{"type":"cost-state"}\n';
      const lateResult = transcript([result('late', 'r', 't1')]).toString();
      const nextPrompt = transcript([prompt('next', 'r')]).toString();
      for (const [closing, isClosed] of [
        ['', false],
        [closingRow, true],
        [closingRow + lateResult, true],
        [closingRow + nextPrompt, false],
      ] as const) {
        writeFileSync(filePath, Buffer.concat([rows, Buffer.from(closing)]));
        let seen: TranscriptEnd | null = null;
        const reader = new SessionReader({
          filePath,
          createScanner: plainScanner,
          pacer: createPacer(10),
          activityOf: (_path, end) => {
            seen = end;
            return Promise.resolve(NOT_LIVE);
          },
        });
        const session = await reader.overview();
        reader.close();
        assert.deepEqual(seen, {
          end: session?.end,
          isClosed,
          entrypoint: 'sdk-cli',
          lastMessageMs: session?.updatedMs,
        });
      }
    }));

  it('lists the subagents in the session’s folder, and those beside it whose rows name it', () =>
    withReader([prompt('p', null)], async (reader, filePath) => {
      const folder = join(dirname(filePath), ID, 'subagents');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'agent-a1.jsonl'), '{}\n');
      writeFileSync(
        join(folder, 'agent-a1.meta.json'),
        JSON.stringify({ agentType: 'Explore', description: 'Look', toolUseId: 't1' }),
      );
      const own = JSON.stringify({ type: 'user', sessionId: ID, message: { content: LONG } });
      writeFileSync(join(dirname(filePath), 'agent-b2.jsonl'), `${own}\n`);
      writeFileSync(join(dirname(filePath), 'agent-c3.jsonl'), `${JSON.stringify({ type: 'user', sessionId: 'x' })}\n`);
      const session = await reader.overview();
      assert.deepEqual(
        session?.subagents.map(({ agentId, agentType, toolUseId }) => [agentId, agentType, toolUseId]),
        [
          ['a1', 'Explore', 't1'],
          ['b2', null, null],
        ],
      );
    }));

  it('links a subagent without a link file to the call whose result names it', () =>
    withReader(
      [
        prompt('p', null),
        call('c', 'p', 't1'),
        result('a', 'c', 't1', { toolUseResult: { status: 'completed', agentId: 'a1' } }),
        result('b', 'c', 't2', { toolUseResult: { stdout: '"agentId":"b2"' } }),
      ],
      async (reader, filePath) => {
        const folder = join(dirname(filePath), ID, 'subagents');
        mkdirSync(folder, { recursive: true });
        for (const agent of ['a1', 'b2']) writeFileSync(join(folder, `agent-${agent}.jsonl`), '{}\n');
        const session = await reader.overview();
        assert.deepEqual(
          session?.subagents.map(({ agentId, toolUseId }) => [agentId, toolUseId]),
          [
            ['a1', 't1'],
            ['b2', null],
          ],
        );
      },
    ));

  for (const session of ['77777773-7777-4777-8777-777777777777', '88888888-8888-4888-8888-888888888888']) {
    it(`links the subagents of the recorded client 2.1.50 to the calls that show them: ${session}`, async () => {
      const project = join(FIXTURES, 'recordings/legacy-2.1.50-progress/dot-claude/projects/-home-user-project');
      const reader = open(join(project, `${session}.jsonl`));
      try {
        const parts = rowsOf(await all(reader.messages())).flatMap((message) => message.parts);
        const shown = parts.flatMap((part) => (part.kind === 'tool' && part.subagent !== null ? [part] : []));
        assert.equal(shown.length, 1);
        assert.deepEqual(
          (await reader.overview())?.subagents.map(({ filePath, toolUseId }) => [filePath, toolUseId]),
          shown.map(({ subagent, id }) => [subagent, id]),
        );
      } finally {
        reader.close();
      }
    });
  }

  it('reports why a session cannot be read', async () => {
    const reader = open('/nowhere/x.jsonl');
    assert.equal(await reader.overview(), null);
    assert.equal(reader.problem, '/nowhere/x.jsonl does not exist.');
    assert.deepEqual(await all(reader.messages()), []);
  });

  for (const path of listRecordings()) {
    it(`can read all of ${path}`, async () => {
      const reader = open(join(FIXTURES, path));
      try {
        const messages = await all(reader.messages());
        assert.equal(messages.length, await reader.count());
        assert.notEqual((await reader.overview())?.end.kind, undefined);
      } finally {
        reader.close();
      }
    });
  }
});
