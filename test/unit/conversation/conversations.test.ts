import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Conversations } from '../../rooms/conversation';
import { LiveTranscripts, ReferenceScanner } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import type { ConversationHead } from '../../../src/protocol/conversation';
import type { LiveStatus } from '../../../src/protocol/session';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { FakeClock } from '../sessions/fakes';
import { CHAIN, FILE } from './readView';

const START = transcript([prompt('p1', null), reply('r1', 'p1')]);
const MORE = transcript([prompt('p2', 'r1')]);
const POLL_MS = 200;

class CountedClock extends FakeClock {
  /** Timers that were asked for and neither ran nor were cancelled. */
  pending = 0;

  override after(delayMs: number, callback: () => void): () => void {
    this.pending++;
    const cancel = super.after(delayMs, () => {
      this.pending--;
      callback();
    });
    return () => {
      this.pending--;
      cancel();
    };
  }
}

class Desk {
  readonly clock = new CountedClock();
  readonly live = new Map<string, LiveStatus>();
  readonly told: ConversationHead[] = [];
  isClosing = false;
  /** What the host answers with. */
  answer: Promise<void> | undefined;
  readonly conversations = new Conversations({
    createScanner: () => new ReferenceScanner(),
    pacer: createPacer(10),
    clock: this.clock,
    liveSessions: () => Promise.resolve(new Map(this.live)),
    onChange: (head) => {
      this.told.push(head);
      return this.answer;
    },
    transcripts: new LiveTranscripts({
      createScanner: () => new ReferenceScanner(),
      pacer: createPacer(10),
      clock: this.clock,
      pollMs: () => POLL_MS,
      isClosing: () => this.isClosing,
    }),
    isClosing: () => this.isClosing,
  });

  constructor(readonly folder: string) {}

  file(name: string): string {
    const path = join(this.folder, `${name}.jsonl`);
    writeFileSync(path, START);
    return path;
  }

  /** Time goes on until the next look, which comes to its end. */
  async look(): Promise<void> {
    this.clock.advance(POLL_MS);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
}

function withDesk(use: (desk: Desk) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const desk = new Desk(folder);
    try {
      await use(desk);
    } finally {
      desk.conversations.close();
    }
  });
}

describe('Open conversations', () => {
  it('tell each change of their file once, in the view they were opened with last', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      const opened = await desk.conversations.openConversation(path, CHAIN);
      assert.equal(opened.count, 2);
      await desk.look();
      assert.deepEqual(desk.told, []);
      appendFileSync(path, transcript([prompt('side', 'p1')]));
      await desk.conversations.openConversation(path, FILE);
      appendFileSync(path, MORE);
      await desk.look();
      assert.deepEqual(
        desk.told.map(({ path: toldPath, count, revision }) => [toldPath, count, revision]),
        [[path, 4, opened.revision + 2]],
      );
    }));

  it('count revisions on when they are opened again: a page may hold rows of the one before', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      const { revision } = await desk.conversations.openConversation(path, CHAIN);
      await desk.conversations.closeConversation(path);
      await desk.look();
      assert.ok((await desk.conversations.openConversation(path, CHAIN)).revision > revision);
    }));

  it('tell that a file is gone', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      await desk.conversations.openConversation(path, CHAIN);
      rmSync(path);
      await desk.look();
      await desk.look();
      assert.equal(desk.told.length, 1);
      assert.match(desk.told[0]?.problem ?? '', /is gone: it was deleted/);
    }));

  it('tell when a client begins to run the session, and when it ends', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      assert.equal((await desk.conversations.openConversation(path, CHAIN)).isLive, false);
      desk.live.set('one', 'busy');
      for (let looks = 0; looks < 6; looks++) await desk.look();
      desk.live.clear();
      for (let looks = 0; looks < 6; looks++) await desk.look();
      assert.deepEqual(
        desk.told.map(({ isLive }) => isLive),
        [true, false],
      );
    }));

  it('tell a host that is slow the newest head alone', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      await desk.conversations.openConversation(path, FILE);
      let take: () => void = () => undefined;
      desk.answer = new Promise((resolve) => (take = resolve));
      for (let rows = 0; rows < 3; rows++) {
        appendFileSync(path, MORE);
        await desk.look();
      }
      assert.deepEqual(
        desk.told.map(({ count }) => count),
        [3],
      );
      desk.answer = undefined;
      take();
      await desk.look();
      assert.deepEqual(
        desk.told.map(({ count }) => count),
        [3, 5],
      );
    }));

  it('are not looked at any more when they are closed', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      await desk.conversations.openConversation(path, CHAIN);
      await desk.conversations.closeConversation(path);
      appendFileSync(path, MORE);
      await desk.look();
      await desk.look();
      assert.deepEqual(desk.told, []);
      assert.equal(desk.clock.pending, 0);
    }));

  it('are sixteen at most; the others are opened again when they are asked for', () =>
    withDesk(async (desk) => {
      const paths = Array.from({ length: 18 }, (_, at) => desk.file(`session ${at}`));
      for (const path of paths) await desk.conversations.openConversation(path, CHAIN);
      for (const path of paths) appendFileSync(path, MORE);
      await desk.look();
      assert.deepEqual(desk.told.map(({ path: filePath }) => filePath).sort(), paths.slice(2).sort());
      assert.equal((await desk.conversations.conversationItems(paths[0] ?? '', CHAIN, 0, 10)).items.length, 3);
    }));

  it('are closed after those of subagents, however many of these are asked for', () =>
    withDesk(async (desk) => {
      const session = desk.file('session');
      await desk.conversations.openConversation(session, CHAIN);
      const agents = Array.from({ length: 18 }, (_, at) => desk.file(`agent-${at}`));
      for (const path of agents) await desk.conversations.openConversation(path, CHAIN);
      for (const path of [session, ...agents]) appendFileSync(path, MORE);
      await desk.look();
      assert.deepEqual(desk.told.map(({ path: filePath }) => filePath).sort(), [...agents.slice(3), session].sort());
    }));

  it('answer without being opened first, also for a file that does not exist', () =>
    withDesk(async (desk) => {
      const page = await desk.conversations.conversationItems(desk.file('one'), CHAIN, 1, 5);
      assert.equal(page.items.length, 1);
      const none = join(desk.folder, 'none.jsonl');
      assert.match((await desk.conversations.openConversation(none, CHAIN)).problem ?? '', /does not exist/);
      assert.match((await desk.conversations.openConversation(desk.folder, CHAIN)).problem ?? '', /is a folder/);
      assert.deepEqual((await desk.conversations.conversationItems(none, CHAIN, 0, 5)).items, []);
    }));

  it('are refused once the thread is about to end', () =>
    withDesk(async (desk) => {
      const path = desk.file('one');
      await desk.conversations.openConversation(path, CHAIN);
      desk.isClosing = true;
      await assert.rejects(desk.conversations.conversationItems(path, CHAIN, 0, 1), /wound up/);
      await desk.look();
      assert.equal(desk.clock.pending, 0);
    }));
});
