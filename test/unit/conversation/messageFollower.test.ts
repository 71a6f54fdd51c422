import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageFollower, SessionReader } from '../../rooms/conversation';
import type { ActivityAnswer } from '../../rooms/providers';
import { LiveTranscripts } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import type { SessionMessage } from '../../../src/protocol/message';
import { NOT_RUNNING } from '../../support/fakeProvider';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, nameOf, prompt, reply, result, transcript, type RowFields } from '../../support/transcriptBuilder';
import { FakeClock } from '../sessions/fakes';
import { plainScanner } from '../../support/plainScanner';

const createScanner = wasmScanners();
const pacer = createPacer(1_000);
const ALL = (): number => 0;

interface Followed {
  readonly filePath: string;
  readonly follower: MessageFollower;
  readonly append: (...rows: readonly RowFields[]) => void;
  /** Reads the file, and returns all messages that are news. */
  readonly news: () => Promise<SessionMessage[]>;
}

async function withFollower(
  content: Uint8Array | string,
  start: (count: number) => number,
  check: (followed: Followed) => Promise<void>,
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'session.jsonl');
    writeFileSync(filePath, content);
    const transcripts = new LiveTranscripts({ createScanner, pacer, clock: new FakeClock(), pollMs: () => 200 });
    const open = transcripts.open(filePath);
    const follower = new MessageFollower({ filePath, createScanner, pacer, open, start });
    const news = async (): Promise<SessionMessage[]> => {
      const all: SessionMessage[] = [];
      await open.transcript.refresh();
      for (;;) {
        const page = await follower.next();
        if (page.length === 0) return all;
        assert.ok(page.length <= 64);
        all.push(...page);
      }
    };
    try {
      await check({
        filePath,
        follower,
        append: (...rows) => {
          appendFileSync(filePath, transcript(rows));
        },
        news,
      });
    } finally {
      follower.close();
    }
  });
}

async function shown(filePath: string): Promise<SessionMessage[]> {
  const activityOf = (): Promise<ActivityAnswer> => Promise.resolve({ live: 'not-live', activity: NOT_RUNNING });
  const reader = new SessionReader({
    filePath,
    createScanner: plainScanner,
    pacer,
    activityOf,
  });
  const all: SessionMessage[] = [];
  for await (const message of reader.messages()) all.push(message);
  reader.close();
  return all;
}

function names(messages: readonly SessionMessage[]): (string | number | null)[] {
  return messages.map((message) => ('uuid' in message && message.uuid !== null ? nameOf(message.uuid) : message.line));
}

function keyOf(message: SessionMessage): string {
  return `${message.kind} ${message.line} ${'uuid' in message ? (message.uuid ?? '') : ''}`;
}

/** Without what may change although the message gets no rows. */
function content(message: SessionMessage): unknown {
  if (message.kind !== 'message') return { kind: message.kind, line: message.line };
  return { ...message, index: 0, isLoaded: null, branches: [] };
}

function prompts(count: number, from = 0): RowFields[] {
  return Array.from({ length: count }, (_, at) =>
    prompt(`p${from + at}`, from + at === 0 ? null : `p${from + at - 1}`),
  );
}

describe('The messages of a session that is followed', () => {
  it('begin where the caller says, by their number', async () => {
    await withFollower(
      transcript(prompts(30)),
      (count) => count - 3,
      async ({ news, follower }) => {
        assert.deepEqual(names(await news()), ['p27', 'p28', 'p29']);
        assert.deepEqual(await news(), []);
        assert.equal(follower.hasNews, false);
      },
    );
    await withFollower(transcript(prompts(200)), ALL, async ({ news, filePath }) => {
      assert.deepEqual(await news(), await shown(filePath));
    });
  });

  it('begin with one that comes later', () =>
    withFollower(
      transcript(prompts(2)),
      () => 4,
      async ({ news, append }) => {
        assert.deepEqual(await news(), []);
        append(...prompts(2, 2));
        assert.deepEqual(await news(), []);
        append(...prompts(2, 4));
        assert.deepEqual(names(await news()), ['p4', 'p5']);
      },
    ));

  it('come when they are written, and a call comes again when it gets its result', () =>
    withFollower(transcript([prompt('p', null)]), ALL, async ({ news, append }) => {
      assert.deepEqual(names(await news()), ['p']);
      append(call('c', 'p', 't1'));
      const [before] = await news();
      append(result('a', 'c', 't1'), reply('r', 'a'));
      const after = await news();
      assert.deepEqual(names(after), ['c', 'r']);
      assert.ok(before?.kind === 'message' && after[0]?.kind === 'message');
      assert.deepEqual([before.line, before.uuid, before.index], [after[0].line, after[0].uuid, after[0].index]);
      const results = [before, after[0]].map(({ parts: [part] }) => (part?.kind === 'tool' ? part.result : undefined));
      assert.ok(results[0] === null && typeof results[1] === 'object' && results[1] !== null);
    }));

  it('come again if the call is before the first message', () =>
    withFollower(
      transcript([prompt('p', null), call('c', 'p', 't1')]),
      (count) => count,
      async ({ news, append }) => {
        assert.deepEqual(await news(), []);
        append(result('a', 'c', 't1'));
        assert.deepEqual(names(await news()), ['c']);
      },
    ));

  it('go on after an earlier message, and on a branch that was left', () =>
    withFollower(transcript([prompt('p', null), reply('r', 'p'), prompt('q', 'r')]), ALL, async ({ news, append }) => {
      await news();
      append(prompt('other', 'r'), reply('s', 'other'));
      assert.deepEqual(names(await news()), ['other', 's']);
      append(reply('t', 'q'));
      assert.deepEqual(names(await news()), ['t']);
    }));

  it('include lines that are no rows, once, and a last line without a newline, again when it is whole', () =>
    withFollower(transcript([prompt('p', null)]), ALL, async ({ news, append, filePath }) => {
      await news();
      appendFileSync(filePath, '{"type":"user\n');
      append(prompt('q', 'p'));
      assert.deepEqual(names(await news()), [2, 'q']);
      const row = transcript([reply('r', 'q')]);
      appendFileSync(filePath, row.subarray(0, 20));
      const halves: SessionMessage[] = [];
      for (let round = 0; round < 8; round++) halves.push(...(await news()));
      assert.deepEqual(names(halves), [4]);
      appendFileSync(filePath, row.subarray(20));
      assert.deepEqual(names(await news()), ['r']);
      append(reply('s', 'r'));
      assert.deepEqual(names(await news()), ['s']);
    }));

  it('of ten thousand rows that are appended at once come page by page, in their order', () =>
    withFollower(transcript(prompts(1)), ALL, async ({ news, append }) => {
      await news();
      append(...prompts(10_000, 1));
      const all = await news();
      assert.deepEqual(
        all.map(({ index }) => index),
        Array.from({ length: 10_000 }, (_, at) => at + 1),
      );
    }));

  for (const [what, change] of [
    [
      'truncated',
      (path: string) => {
        truncateSync(path, transcript(prompts(6)).length);
      },
    ],
    [
      'replaced by another one',
      (path: string) => {
        writeFileSync(`${path}.x`, transcript(prompts(6)));
        renameSync(`${path}.x`, path);
      },
    ],
  ] as const) {
    it(`begin anew when the file is ${what}`, () =>
      withFollower(
        transcript(prompts(20)),
        (count) => count - 2,
        async ({ news, filePath, follower, append }) => {
          assert.deepEqual(names(await news()), ['p18', 'p19']);
          change(filePath);
          assert.deepEqual(names(await news()), ['p4', 'p5']);
          assert.equal(follower.restarts, 1);
          append(...prompts(1, 6));
          assert.deepEqual(names(await news()), ['p6']);
        },
      ));
  }

  it('go on when the file was away and is the same', () =>
    withFollower(
      transcript(prompts(20)),
      (count) => count - 2,
      async ({ news, filePath, follower, append }) => {
        await news();
        renameSync(filePath, `${filePath}.x`);
        assert.deepEqual(await news(), []);
        assert.match(follower.problem ?? '', /is gone/u);
        assert.equal(follower.hasNews, false);
        renameSync(`${filePath}.x`, filePath);
        append(...prompts(1, 20));
        assert.deepEqual(names(await news()), ['p20']);
        assert.deepEqual([follower.problem, follower.restarts], [null, 0]);
      },
    ));

  it('begin anew when the file was away and is another one', () =>
    withFollower(
      transcript(prompts(20)),
      (count) => count - 2,
      async ({ news, filePath, follower }) => {
        await news();
        rmSync(filePath);
        await news();
        writeFileSync(filePath, transcript([prompt('x', null)]));
        assert.deepEqual(names(await news()), ['x']);
        assert.equal(follower.restarts, 1);
      },
    ));

  it('add up to what show prints, for recordings and damaged transcripts, in pieces of any size', async function () {
    this.timeout(120_000);
    const files = [
      ...listRecordings().map((file) => readFileSync(join(FIXTURES, file))),
      ...listCorruptCases()
        .filter(({ spacing, name }) => spacing === 'near' && /^(b6|c1|e3|e9|e11|g2|n4|o3|q9)-/.test(name))
        .map(({ bytes }) => bytes),
    ];
    for (const bytes of files) {
      const lines = bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/gu) ?? [];
      await withFollower('', ALL, async ({ news, filePath }) => {
        const known = new Map<string, unknown>();
        for (let at = 0; at < lines.length; at += 1 + (at % 4)) {
          appendFileSync(filePath, lines.slice(at, at + 1 + (at % 4)).join(''), 'latin1');
          for (const message of await news()) known.set(keyOf(message), content(message));
        }
        for (let round = 0; round < 6; round++) {
          for (const message of await news()) known.set(keyOf(message), content(message));
        }
        for (const message of await shown(filePath)) {
          assert.deepEqual(known.get(keyOf(message)), content(message), `${lines.length} lines, line ${message.line}`);
        }
      });
    }
  });
});
