import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { scannerModulePath } from '../../../scripts/scannerModule.mjs';
import { Conversation, Conversations, FollowedTasks } from '../../rooms/conversation';
import { type Diagnostics, diagnosticsFor, liveVerdict } from '../../rooms/diagnose';
import { createEngine } from '../../../src/core/engine';
import {
  type LiveSubscription,
  type LiveTranscript,
  LiveTranscripts,
  loadScanner,
  nodeTranscriptFiles,
  type TranscriptChange,
  type TranscriptFiles,
} from '../../rooms/transcript';
import { UsageCounter } from '../../rooms/usage';
import { createPacer, type Pacer } from '../../rooms/util';
import type { ConversationHead } from '../../../src/protocol/conversation';
import type { TaskList } from '../../../src/protocol/task';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { CHAIN } from '../conversation/readView';
import { brief, todos, work } from '../conversation/tasks/taskRows';
import { FakeClock } from '../sessions/fakes';
import { sessionRefOf } from '../../rooms/format';
import { plainScanner } from '../../support/plainScanner';

const POLL_MS = 200;
const MIB = 1024 * 1024;
const fastScanner = loadScanner(scannerModulePath(), (warning) => assert.fail(warning));
const START = transcript([prompt('p1', null), reply('r1', 'p1')]);
const MORE = transcript([prompt('p2', 'r1'), reply('r2', 'p2')]);

/** The disk, which records each file that is checked and each byte that is read. */
class CountingFiles implements TranscriptFiles {
  looks = 0;
  reads: { readonly from: number; readonly to: number }[] = [];

  open(filePath: string): ReturnType<TranscriptFiles['open']> {
    this.looks++;
    return nodeTranscriptFiles.open(filePath);
  }

  read(file: number, into: Uint8Array, length: number, position: number): number {
    const bytesRead = nodeTranscriptFiles.read(file, into, length, position);
    this.reads.push({ from: position, to: position + bytesRead });
    return bytesRead;
  }

  close(file: number): void {
    nodeTranscriptFiles.close(file);
  }

  forget(): void {
    this.looks = 0;
    this.reads = [];
  }

  /** Maps how often a byte was read to how many bytes were read that often. */
  timesFrom(from: number, to: number): ReadonlyMap<number, number> {
    const times = new Map<number, number>();
    for (let at = from; at < to; at++) {
      const count = this.reads.filter((read) => read.from <= at && at < read.to).length;
      times.set(count, (times.get(count) ?? 0) + 1);
    }
    return times;
  }
}

/** Knows whether the next round is scheduled, which means that the last one is over. */
class RoundClock extends FakeClock {
  isRoundDue = false;

  override after(delayMs: number, callback: () => void): () => void {
    if (delayMs === POLL_MS) this.isRoundDue = true;
    return super.after(delayMs, () => {
      if (delayMs === POLL_MS) this.isRoundDue = false;
      callback();
    });
  }
}

class Setup {
  readonly files = new CountingFiles();
  readonly clock = new RoundClock();
  readonly path: string;
  readonly transcripts: LiveTranscripts;

  constructor(
    readonly folder: string,
    pacer: Pacer = createPacer(10),
  ) {
    const project = join(folder, 'projects', '-p');
    mkdirSync(project, { recursive: true });
    this.path = join(project, 's.jsonl');
    writeFileSync(this.path, START);
    const { clock, files } = this;
    this.transcripts = new LiveTranscripts({
      createScanner: plainScanner,
      pacer,
      clock,
      files,
      pollMs: () => POLL_MS,
    });
  }

  /** One round and its consequences. Pass `isHeldUp` for a round that a subscriber keeps from ending. */
  async round(isHeldUp = false): Promise<void> {
    this.clock.advance(POLL_MS);
    while (!isHeldUp && !this.clock.isRoundDue) await turn();
    for (let turns = 0; turns < 50; turns++) await turn();
  }

  /** A subscription and the changes that it reports, except 'unchanged'. */
  follow(path = this.path): { readonly open: LiveSubscription; readonly reported: TranscriptChange[] } {
    const reported: TranscriptChange[] = [];
    const open = this.transcripts.open(path);
    open.listen((change) => {
      if (change !== 'unchanged') reported.push(change);
    });
    return { open, reported };
  }
}

function withSetup(use: (setup: Setup) => Promise<void>, pacer?: Pacer): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const setup = new Setup(folder, pacer);
    try {
      await use(setup);
    } finally {
      setup.transcripts.close();
    }
  });
}

function loads(live: LiveTranscript): number | undefined {
  return live.get(liveVerdict)?.session.result.resume.loads;
}

describe('A transcript that the tree, a panel, the tasks and the token counter follow', () => {
  it('is checked once in each round, and each appended byte is read once', () =>
    withSetup(async (setup) => {
      const { path, transcripts, clock, files, folder } = setup;
      const live = new Set(['s']);
      const heads: ConversationHead[] = [];
      const lists: TaskList[] = [];
      const parts = {
        createScanner: plainScanner,
        transcripts,
        pacer: createPacer(10),
        clock,
        liveSessions: () => Promise.resolve(live),
        isClosing: () => false,
      };
      const diagnostics = (): Diagnostics => diagnosticsFor();
      const conversations = new Conversations({
        ...parts,
        diagnostics,
        planRepair: (session) => createEngine({ configDir: folder, ...parts }).planRepair(session.path),
        onChange: (head) => void heads.push(head),
      });
      const tasks = new FollowedTasks({ ...parts, diagnostics, onChange: (list) => void lists.push(list) });
      const counter = new UsageCounter({ ...parts, configDir: folder, cache: null, isBusy: () => false });
      const tree = createEngine({ configDir: folder, ...parts }).follow(path);
      const rows = work([todos(['a', 'pending']), todos(['a', 'completed'])]);
      writeFileSync(path, transcript(rows.slice(0, 2)));
      await counter.count();
      appendFileSync(path, transcript(rows.slice(2, 3)));
      await counter.countLive();
      await conversations.openConversation(path, CHAIN);
      assert.deepEqual(brief(await tasks.openTasks(sessionRefOf(path))), ['1 a: pending']);
      const before = (await tree.read()).result.messageCount;
      await setup.round();

      files.forget();
      for (let rounds = 0; rounds < 5; rounds++) await setup.round();
      assert.deepEqual([files.looks, files.reads], [5, []]);

      heads.length = 0;
      const size = statSync(path).size;
      appendFileSync(path, transcript(rows.slice(3)));
      files.forget();
      await setup.round();
      assert.equal(files.looks, 1);
      const grown = statSync(path).size;
      assert.deepEqual([...files.timesFrom(size, grown)], [[1, grown - size]]);
      // Each of them has the appended rows.
      assert.equal(heads.length, 1);
      assert.deepEqual(lists.map(brief), [['1 a: completed']]);
      assert.equal(counter.usage.files.get(path)?.stamp.size, grown);
      files.forget();
      assert.equal((await tree.read()).result.messageCount, before + rows.length - 3);
      assert.deepEqual([files.looks, files.reads], [1, []]);
      conversations.close();
      await tasks.closeTasks(sessionRefOf(path));
      counter.close();
      tree.close();
    }));
});

describe('A live transcript', () => {
  it('reports appended rows, a truncation, and a replacement by a file of the same size', () =>
    withSetup(async (setup) => {
      const { open, reported } = setup.follow();
      const { transcript: live } = open;
      await setup.round();
      assert.deepEqual([reported.splice(0), loads(live)], [['appeared'], 2]);
      appendFileSync(setup.path, MORE);
      await setup.round();
      assert.deepEqual([reported.splice(0), loads(live), live.replacements], [['appended'], 4, 0]);
      truncateSync(setup.path, START.length);
      await setup.round();
      assert.deepEqual([reported.splice(0), loads(live), live.replacements], [['truncated'], 2, 1]);
      const { atime, mtime } = statSync(setup.path);
      const other = START.toString().replace('"parentUuid":null', '"parentUuid":true');
      writeFileSync(`${setup.path}.new`, other);
      utimesSync(`${setup.path}.new`, atime, mtime);
      renameSync(`${setup.path}.new`, setup.path);
      await setup.round();
      assert.deepEqual([reported.splice(0), live.replacements], [['replaced'], 2]);
      await setup.round();
      assert.deepEqual(reported, []);
    }));

  it('counts as replaced when it is overwritten in place and has grown', () =>
    withSetup(async (setup) => {
      const { open, reported } = setup.follow();
      await setup.round();
      writeFileSync(setup.path, Buffer.concat([Buffer.from('{"type":"summary","summary":"x"}\n'), START, MORE]));
      await setup.round();
      assert.deepEqual([reported, loads(open.transcript)], [['appeared', 'replaced'], 4]);
    }));

  for (const atMiB of [1, 3, 5, 7, 9]) {
    it(`has all of a file in which a row is written twice at ${atMiB} MiB, which is then read again`, () =>
      withSetup(async ({ path, clock }) => {
        const ids = Array.from({ length: 22 }, (_, at) => `p${at}`);
        const rows = transcript(ids.map((id, at) => prompt(id, ids[at - 1] ?? null, { note: 'x'.repeat(MIB / 2) })));
        const lines = rows.toString().trimEnd().split('\n');
        const twice = lines[atMiB * 2 - 1] ?? '';
        for (const again of [twice, twice.replace('{', '{ '), twice.replaceAll('xx', 'xy')]) {
          writeFileSync(path, `${lines.toSpliced(atMiB * 2, 0, again).join('\n')}\n`);
          for (const createScanner of [plainScanner, fastScanner]) {
            const transcripts = new LiveTranscripts({
              createScanner,
              pacer: createPacer(10),
              clock,
              pollMs: () => POLL_MS,
            });
            const { transcript: live } = transcripts.open(path);
            await live.refresh();
            const { index } = live.reading ?? {};
            assert.deepEqual([index?.fileSize, index?.rows.count], [statSync(path).size, 23]);
            transcripts.close();
          }
        }
      }));
  }

  it('adds a row once it is complete, even if the writes split a line or a character', () =>
    withSetup(async (setup) => {
      const { open } = setup.follow();
      await setup.round();
      const row = transcript([prompt('p2', 'r1', { cwd: '/häuser/☃' })]);
      const snow = row.indexOf('☃');
      const { transcript: live } = open;
      let at = 0;
      for (const to of [10, snow + 1, snow + 2, row.length - 1]) {
        appendFileSync(setup.path, row.subarray(at, to));
        at = to;
        await setup.round();
        assert.equal(loads(live), 2);
      }
      appendFileSync(setup.path, row.subarray(at));
      await setup.round();
      assert.deepEqual([loads(live), live.get(liveVerdict)?.session.metadata.cwd], [3, '/häuser/☃']);
    }));

  it('reports that its file was deleted, and starts again with the file that replaces it', () =>
    withSetup(async (setup) => {
      const { open, reported } = setup.follow();
      await setup.round();
      copyFileSync(setup.path, `${setup.path}.copy`);
      rmSync(setup.path);
      await setup.round();
      await setup.round();
      assert.deepEqual(reported.splice(0), ['appeared', 'vanished']);
      assert.match(open.transcript.problem ?? '', /is gone: it was deleted/);
      assert.equal(open.transcript.reading, null);
      renameSync(`${setup.path}.copy`, setup.path);
      appendFileSync(setup.path, MORE);
      await setup.round();
      assert.deepEqual([reported, open.transcript.problem, loads(open.transcript)], [['appeared'], null, 4]);
    }));

  it('reads nothing after it is closed, even during a reading', () => {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    return withSetup(
      async (setup) => {
        writeFileSync(setup.path, Buffer.alloc(10 * 1024 * 1024, '\n'));
        const { open, reported } = setup.follow();
        const reading = open.transcript.refresh();
        await turn();
        const before = setup.files.reads.length;
        open.close();
        open.close();
        goOn();
        await reading;
        await setup.round();
        assert.deepEqual([setup.files.reads.length, reported], [before, []]);
        assert.deepEqual([open.transcript.reading, open.transcript.failure], [null, null]);
      },
      { yieldIfDue: () => held },
    );
  });

  it('releases callers that wait for it when it is closed', () =>
    withSetup(async ({ path, transcripts }) => {
      const parts = { filePath: path, createScanner: plainScanner, pacer: createPacer(10) };
      const conversation = new Conversation({ ...parts, open: transcripts.open(path), isLive: () => false });
      transcripts.close();
      assert.equal((await conversation.head()).count, 0);
      conversation.close();
    }));

  it('is kept while it has a subscriber, and checked while one listens', () =>
    withSetup(async (setup) => {
      const [one, two] = [setup.follow(), setup.follow()];
      assert.equal(one.open.transcript, two.open.transcript);
      one.open.close();
      await setup.round();
      assert.deepEqual([one.reported, two.reported], [[], ['appeared']]);
      two.open.listen(null);
      setup.files.forget();
      await setup.round();
      assert.equal(setup.files.looks, 0);
      two.open.close();
      assert.notEqual(setup.transcripts.open(setup.path).transcript, two.open.transcript);
    }));

  it('isolates its subscribers from one that fails or is slow', () =>
    withSetup(async (setup) => {
      const failing = setup.transcripts.open(setup.path);
      failing.listen(() => {
        throw new Error('It fails');
      });
      const slow = setup.transcripts.open(setup.path);
      const seen: TranscriptChange[] = [];
      let answer: () => void = () => undefined;
      slow.listen((change) => {
        seen.push(change);
        return new Promise((resolve) => (answer = resolve));
      });
      const { reported } = setup.follow();
      await setup.round(true);
      for (let rounds = 0; rounds < 3; rounds++) {
        appendFileSync(setup.path, MORE);
        // A round is over after a second, however slow a subscriber is.
        setup.clock.advance(1_000);
        await turn();
        await setup.round();
      }
      assert.deepEqual(reported, ['appeared', 'appended', 'appended', 'appended']);
      assert.deepEqual(seen, ['appeared']);
      truncateSync(setup.path, START.length);
      await setup.round();
      appendFileSync(setup.path, MORE);
      answer();
      await turn();
      await setup.round(true);
      assert.deepEqual(seen, ['appeared', 'truncated']);
      answer();
    }));

  it('closes with all others, for good', () =>
    withSetup(async (setup) => {
      const { reported } = setup.follow();
      setup.transcripts.close();
      setup.transcripts.close();
      await setup.round();
      const late = setup.follow();
      await setup.round();
      assert.deepEqual([reported, late.reported, setup.files.looks], [[], [], 0]);
    }));
});
