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
import { Conversation, Conversations, FollowedTasks } from '../../rooms/conversation';
import { liveVerdict } from '../../rooms/diagnose';
import { createEngine } from '../../../src/core/engine';
import {
  type LiveSubscription,
  type LiveTranscript,
  LiveTranscripts,
  nodeTranscriptFiles,
  ReferenceScanner,
  type TranscriptChange,
  type TranscriptFiles,
} from '../../rooms/transcript';
import { UsageCounter } from '../../rooms/usage';
import { createPacer, type Pacer } from '../../rooms/util';
import type { ConversationHead } from '../../../src/protocol/conversation';
import type { LiveStatus } from '../../../src/protocol/session';
import type { TaskList } from '../../../src/protocol/task';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { CHAIN } from '../conversation/readView';
import { brief, todos, work } from '../conversation/tasks/taskRows';
import { FakeClock } from '../sessions/fakes';
import { sessionRefOf } from '../../rooms/format';

const POLL_MS = 200;
const START = transcript([prompt('p1', null), reply('r1', 'p1')]);
const MORE = transcript([prompt('p2', 'r1'), reply('r2', 'p2')]);

/** The disk, with a note of each file that is looked at and of each byte that is read. */
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

  /** Times that each byte from `from` on was read, and how many bytes were read so often. */
  timesFrom(from: number, to: number): ReadonlyMap<number, number> {
    const times = new Map<number, number>();
    for (let at = from; at < to; at++) {
      const count = this.reads.filter((read) => read.from <= at && at < read.to).length;
      times.set(count, (times.get(count) ?? 0) + 1);
    }
    return times;
  }
}

/** One that tells whether the next round is waited for: the last one is over then. */
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

class Desk {
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
      createScanner: (options) => new ReferenceScanner(options),
      pacer,
      clock,
      files,
      pollMs: () => POLL_MS,
    });
  }

  /** One round, and what it leads to. One that a subscriber holds up does not come to its end. */
  async round(isHeldUp = false): Promise<void> {
    this.clock.advance(POLL_MS);
    while (!isHeldUp && !this.clock.isRoundDue) await turn();
    for (let turns = 0; turns < 50; turns++) await turn();
  }

  /** A subscription, and what it is told; a look that finds nothing is left out. */
  follow(path = this.path): { readonly open: LiveSubscription; readonly told: TranscriptChange[] } {
    const told: TranscriptChange[] = [];
    const open = this.transcripts.open(path);
    open.listen((change) => {
      if (change !== 'unchanged') told.push(change);
    });
    return { open, told };
  }
}

function withDesk(use: (desk: Desk) => Promise<void>, pacer?: Pacer): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const desk = new Desk(folder, pacer);
    try {
      await use(desk);
    } finally {
      desk.transcripts.close();
    }
  });
}

function loads(live: LiveTranscript): number | undefined {
  return live.get(liveVerdict)?.session.result.resume.loads;
}

describe('A transcript that the tree, a panel, the tasks and the tokens follow', () => {
  it('is looked at once in each round, and each appended byte is read once', () =>
    withDesk(async (desk) => {
      const { path, transcripts, clock, files, folder } = desk;
      const live = new Map<string, LiveStatus>([['s', 'busy']]);
      const heads: ConversationHead[] = [];
      const lists: TaskList[] = [];
      const parts = {
        createScanner: (options?: object) => new ReferenceScanner(options),
        transcripts,
        pacer: createPacer(10),
        clock,
        liveSessions: () => Promise.resolve(live),
        isClosing: () => false,
      };
      const conversations = new Conversations({ ...parts, onChange: (head) => void heads.push(head) });
      const tasks = new FollowedTasks({ ...parts, onChange: (list) => void lists.push(list) });
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
      await desk.round();

      files.forget();
      for (let rounds = 0; rounds < 5; rounds++) await desk.round();
      assert.deepEqual([files.looks, files.reads], [5, []]);

      heads.length = 0;
      const size = statSync(path).size;
      appendFileSync(path, transcript(rows.slice(3)));
      files.forget();
      await desk.round();
      assert.equal(files.looks, 1);
      const grown = statSync(path).size;
      assert.deepEqual([...files.timesFrom(size, grown)], [[1, grown - size]]);
      // Each of them has what was appended.
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

describe('An open transcript', () => {
  it('tells its subscribers of what is appended, cut off, and replaced by a file of the same size', () =>
    withDesk(async (desk) => {
      const { open, told } = desk.follow();
      const { transcript: live } = open;
      await desk.round();
      assert.deepEqual([told.splice(0), loads(live)], [['appeared'], 2]);
      appendFileSync(desk.path, MORE);
      await desk.round();
      assert.deepEqual([told.splice(0), loads(live), live.replacements], [['appended'], 4, 0]);
      truncateSync(desk.path, START.length);
      await desk.round();
      assert.deepEqual([told.splice(0), loads(live), live.replacements], [['truncated'], 2, 1]);
      const { atime, mtime } = statSync(desk.path);
      const other = START.toString().replace('"parentUuid":null', '"parentUuid":true');
      writeFileSync(`${desk.path}.new`, other);
      utimesSync(`${desk.path}.new`, atime, mtime);
      renameSync(`${desk.path}.new`, desk.path);
      await desk.round();
      assert.deepEqual([told.splice(0), live.replacements], [['replaced'], 2]);
      await desk.round();
      assert.deepEqual(told, []);
    }));

  it('is another one when it is written over in place and has grown', () =>
    withDesk(async (desk) => {
      const { open, told } = desk.follow();
      await desk.round();
      writeFileSync(desk.path, Buffer.concat([Buffer.from('{"type":"summary","summary":"x"}\n'), START, MORE]));
      await desk.round();
      assert.deepEqual([told, loads(open.transcript)], [['appeared', 'replaced'], 4]);
    }));

  it('takes rows that are cut within a character, and within a line, when they are whole', () =>
    withDesk(async (desk) => {
      const { open } = desk.follow();
      await desk.round();
      const row = transcript([prompt('p2', 'r1', { cwd: '/häuser/☃' })]);
      const snow = row.indexOf('☃');
      const { transcript: live } = open;
      let at = 0;
      for (const to of [10, snow + 1, snow + 2, row.length - 1]) {
        appendFileSync(desk.path, row.subarray(at, to));
        at = to;
        await desk.round();
        assert.equal(loads(live), 2);
      }
      appendFileSync(desk.path, row.subarray(at));
      await desk.round();
      assert.deepEqual([loads(live), live.get(liveVerdict)?.session.metadata.cwd], [3, '/häuser/☃']);
    }));

  it('says that its file is gone, and begins anew with the one that takes its place', () =>
    withDesk(async (desk) => {
      const { open, told } = desk.follow();
      await desk.round();
      copyFileSync(desk.path, `${desk.path}.copy`);
      rmSync(desk.path);
      await desk.round();
      await desk.round();
      assert.deepEqual(told.splice(0), ['appeared', 'vanished']);
      assert.match(open.transcript.problem ?? '', /is gone: it was deleted/);
      assert.equal(open.transcript.reading, null);
      renameSync(`${desk.path}.copy`, desk.path);
      appendFileSync(desk.path, MORE);
      await desk.round();
      assert.deepEqual([told, open.transcript.problem, loads(open.transcript)], [['appeared'], null, 4]);
    }));

  it('reads nothing more once it is closed, also in the midst of a reading', () => {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    return withDesk(
      async (desk) => {
        writeFileSync(desk.path, Buffer.alloc(10 * 1024 * 1024, '\n'));
        const { open, told } = desk.follow();
        const reading = open.transcript.refresh();
        await turn();
        const before = desk.files.reads.length;
        open.close();
        open.close();
        goOn();
        await reading;
        await desk.round();
        assert.deepEqual([desk.files.reads.length, told], [before, []]);
        assert.deepEqual([open.transcript.reading, open.transcript.failure], [null, null]);
      },
      { yieldIfDue: () => held },
    );
  });

  it('lets those who wait for what it says go when it is closed', () =>
    withDesk(async ({ path, transcripts }) => {
      const parts = { filePath: path, createScanner: () => new ReferenceScanner(), pacer: createPacer(10) };
      const conversation = new Conversation({ ...parts, open: transcripts.open(path), isLive: () => false });
      transcripts.close();
      assert.equal((await conversation.head()).count, 0);
      conversation.close();
    }));

  it('is followed as long as one of its subscribers is there, and looked at as long as one listens', () =>
    withDesk(async (desk) => {
      const [one, two] = [desk.follow(), desk.follow()];
      assert.equal(one.open.transcript, two.open.transcript);
      one.open.close();
      await desk.round();
      assert.deepEqual([one.told, two.told], [[], ['appeared']]);
      two.open.listen(null);
      desk.files.forget();
      await desk.round();
      assert.equal(desk.files.looks, 0);
      two.open.close();
      assert.notEqual(desk.transcripts.open(desk.path).transcript, two.open.transcript);
    }));

  it('keeps what fails, and what is slow, from its other subscribers', () =>
    withDesk(async (desk) => {
      const failing = desk.transcripts.open(desk.path);
      failing.listen(() => {
        throw new Error('It fails');
      });
      const slow = desk.transcripts.open(desk.path);
      const seen: TranscriptChange[] = [];
      let answer: () => void = () => undefined;
      slow.listen((change) => {
        seen.push(change);
        return new Promise((resolve) => (answer = resolve));
      });
      const { told } = desk.follow();
      await desk.round(true);
      for (let rounds = 0; rounds < 3; rounds++) {
        appendFileSync(desk.path, MORE);
        // A round is over after a second, whoever is slow.
        desk.clock.advance(1_000);
        await turn();
        await desk.round();
      }
      assert.deepEqual(told, ['appeared', 'appended', 'appended', 'appended']);
      assert.deepEqual(seen, ['appeared']);
      truncateSync(desk.path, START.length);
      await desk.round();
      appendFileSync(desk.path, MORE);
      answer();
      await turn();
      await desk.round(true);
      assert.deepEqual(seen, ['appeared', 'truncated']);
      answer();
    }));

  it('ends with all others, for good', () =>
    withDesk(async (desk) => {
      const { told } = desk.follow();
      desk.transcripts.close();
      desk.transcripts.close();
      await desk.round();
      const late = desk.follow();
      await desk.round();
      assert.deepEqual([told, late.told, desk.files.looks], [[], [], 0]);
    }));
});
