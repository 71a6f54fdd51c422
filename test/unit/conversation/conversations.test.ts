import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Conversations } from '../../rooms/conversation';
import { diagnosticsFor } from '../../rooms/diagnose';
import { createEngine } from '../../../src/core/engine';
import { sessionRefOf } from '../../rooms/format';
import { LiveTranscripts } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import type { ConversationHead } from '../../../src/protocol/conversation';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, timeOf, transcript } from '../../support/transcriptBuilder';
import { FakeClock } from '../sessions/fakes';
import { CHAIN, FILE } from './readView';
import { plainScanner } from '../../support/plainScanner';

const START = transcript([prompt('p1', null), reply('r1', 'p1')]);
const MORE = transcript([prompt('p2', 'r1')]);
const POLL_MS = 200;
const SESSION_ID = '44444444-4444-4444-8444-444444444444';

class CountedClock extends FakeClock {
  /** Timers that were requested and have neither run nor been cancelled. */
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

class Setup {
  readonly clock = new CountedClock();
  readonly live = new Set<string>();
  readonly reported: ConversationHead[] = [];
  isClosing = false;
  /** What the extension answers. */
  answer: Promise<void> | undefined;
  diagnostics = diagnosticsFor();
  readonly conversations = new Conversations({
    diagnostics: () => this.diagnostics,
    createScanner: plainScanner,
    pacer: createPacer(10),
    clock: this.clock,
    liveSessions: () => Promise.resolve(new Set(this.live)),
    onChange: (head) => {
      this.reported.push(head);
      return this.answer;
    },
    transcripts: new LiveTranscripts({
      createScanner: plainScanner,
      pacer: createPacer(10),
      clock: this.clock,
      pollMs: () => POLL_MS,
      isClosing: () => this.isClosing,
    }),
    planRepair: ({ path }) => createEngine({ configDir: this.folder }).planRepair(path),
    isClosing: () => this.isClosing,
  });

  constructor(readonly folder: string) {}

  file(name: string): string {
    const path = join(this.folder, `${name}.jsonl`);
    writeFileSync(path, START);
    return path;
  }

  /** Advances the time to the next check, and waits until it has finished. */
  async look(): Promise<void> {
    this.clock.advance(POLL_MS);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
}

function withSetup(use: (setup: Setup) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const setup = new Setup(folder);
    try {
      await use(setup);
    } finally {
      setup.conversations.close();
    }
  });
}

describe('Open conversations', () => {
  it('report each change of their file once, in the view that was opened last', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      const opened = await setup.conversations.openConversation(path, CHAIN);
      assert.equal(opened.count, 2);
      await setup.look();
      assert.deepEqual(setup.reported, []);
      appendFileSync(path, transcript([prompt('side', 'p1')]));
      await setup.conversations.openConversation(path, FILE);
      appendFileSync(path, MORE);
      await setup.look();
      assert.deepEqual(
        setup.reported.map(({ path: reportedPath, count, revision }) => [reportedPath, count, revision]),
        [[path, 4, opened.revision + 2]],
      );
    }));

  it('tell how many messages Claude remembers before and after a repair, counted as in their head', () =>
    withSetup(async (setup) => {
      const path = setup.file(SESSION_ID);
      const lines = [
        prompt('p1', null),
        reply('a1', 'p1'),
        prompt('p2', 'gone', { timestamp: timeOf(90_000) }),
        reply('a2', 'p2', { timestamp: timeOf(90_001) }),
      ];
      writeFileSync(path, transcript(lines));
      const { memory } = await setup.conversations.openConversation(path, CHAIN);
      const offer = await setup.conversations.planRepair(sessionRefOf(path));
      assert.equal(offer.result.edits.length, 1);
      assert.deepEqual(offer.memory?.before, memory);
      assert.deepEqual(offer.memory, {
        before: { remembered: 2, messages: 4, hasSummary: false },
        after: { remembered: 4, messages: 4, hasSummary: false },
      });
      assert.deepEqual((await setup.conversations.openConversation(path, CHAIN)).memory, memory);
    }));

  it('tell nothing of a repair that there is no need for', () =>
    withSetup(async (setup) => {
      const offer = await setup.conversations.planRepair(sessionRefOf(setup.file(SESSION_ID)));
      assert.deepEqual([offer.result.edits, offer.memory], [[], null]);
    }));

  it('show what the client of the time they are opened at loads', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      const near = new Date(Date.parse(timeOf(9)) + 1000).toISOString();
      writeFileSync(
        path,
        transcript([prompt('p1', null, { timestamp: timeOf(9) }), prompt('p2', 'lost', { timestamp: near })]),
      );
      const open = async (): Promise<number> => (await setup.conversations.openConversation(path, CHAIN)).loads;
      assert.equal(await open(), 2);
      setup.diagnostics = diagnosticsFor('2.1.90');
      assert.equal(await open(), 1);
      setup.diagnostics = diagnosticsFor('2.1.330');
      assert.equal(await open(), 2);
    }));

  it('keep counting revisions when they are opened again, because a page may hold earlier rows', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      const { revision } = await setup.conversations.openConversation(path, CHAIN);
      await setup.conversations.closeConversation(path);
      await setup.look();
      assert.ok((await setup.conversations.openConversation(path, CHAIN)).revision > revision);
    }));

  it('report that a file was deleted', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      await setup.conversations.openConversation(path, CHAIN);
      rmSync(path);
      await setup.look();
      await setup.look();
      assert.equal(setup.reported.length, 1);
      assert.match(setup.reported[0]?.problem ?? '', /is gone: it was deleted/);
    }));

  it('report when a client starts to run the session, and when it stops', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      assert.equal((await setup.conversations.openConversation(path, CHAIN)).isLive, false);
      setup.live.add('one');
      for (let looks = 0; looks < 6; looks++) await setup.look();
      setup.live.clear();
      for (let looks = 0; looks < 6; looks++) await setup.look();
      assert.deepEqual(
        setup.reported.map(({ isLive }) => isLive),
        [true, false],
      );
    }));

  it('report only the newest head to a slow extension', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      await setup.conversations.openConversation(path, FILE);
      let take: () => void = () => undefined;
      setup.answer = new Promise((resolve) => (take = resolve));
      for (let rows = 0; rows < 3; rows++) {
        appendFileSync(path, MORE);
        await setup.look();
      }
      assert.deepEqual(
        setup.reported.map(({ count }) => count),
        [3],
      );
      setup.answer = undefined;
      take();
      await setup.look();
      assert.deepEqual(
        setup.reported.map(({ count }) => count),
        [3, 5],
      );
    }));

  it('are no longer checked when they are closed', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      await setup.conversations.openConversation(path, CHAIN);
      await setup.conversations.closeConversation(path);
      appendFileSync(path, MORE);
      await setup.look();
      await setup.look();
      assert.deepEqual(setup.reported, []);
      assert.equal(setup.clock.pending, 0);
    }));

  it('are limited to sixteen; the others are opened again on request', () =>
    withSetup(async (setup) => {
      const paths = Array.from({ length: 18 }, (_, at) => setup.file(`session ${at}`));
      for (const path of paths) await setup.conversations.openConversation(path, CHAIN);
      for (const path of paths) appendFileSync(path, MORE);
      await setup.look();
      assert.deepEqual(setup.reported.map(({ path: filePath }) => filePath).sort(), paths.slice(2).sort());
      assert.equal((await setup.conversations.conversationItems(paths[0] ?? '', CHAIN, 0, 10)).items.length, 3);
    }));

  it('are closed after those of subagents, however many subagents are requested', () =>
    withSetup(async (setup) => {
      const session = setup.file('session');
      await setup.conversations.openConversation(session, CHAIN);
      const agents = Array.from({ length: 18 }, (_, at) => setup.file(`agent-${at}`));
      for (const path of agents) await setup.conversations.openConversation(path, CHAIN);
      for (const path of [session, ...agents]) appendFileSync(path, MORE);
      await setup.look();
      assert.deepEqual(
        setup.reported.map(({ path: filePath }) => filePath).sort(),
        [...agents.slice(3), session].sort(),
      );
    }));

  it('answer without being opened first, even for a file that does not exist', () =>
    withSetup(async (setup) => {
      const page = await setup.conversations.conversationItems(setup.file('one'), CHAIN, 1, 5);
      assert.equal(page.items.length, 1);
      const none = join(setup.folder, 'none.jsonl');
      assert.match((await setup.conversations.openConversation(none, CHAIN)).problem ?? '', /does not exist/);
      assert.match((await setup.conversations.openConversation(setup.folder, CHAIN)).problem ?? '', /is a folder/);
      assert.deepEqual((await setup.conversations.conversationItems(none, CHAIN, 0, 5)).items, []);
    }));

  it('are refused once the thread is shutting down', () =>
    withSetup(async (setup) => {
      const path = setup.file('one');
      await setup.conversations.openConversation(path, CHAIN);
      setup.isClosing = true;
      await assert.rejects(setup.conversations.conversationItems(path, CHAIN, 0, 1), /shutting down/);
      await setup.look();
      assert.equal(setup.clock.pending, 0);
    }));
});
