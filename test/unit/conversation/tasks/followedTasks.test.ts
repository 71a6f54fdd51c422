import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { FollowedTasks } from '../../../rooms/conversation';
import { LiveTranscripts, ReferenceScanner } from '../../../rooms/transcript';
import { createPacer } from '../../../rooms/util';
import type { LiveStatus } from '../../../../src/protocol/session';
import type { TaskList } from '../../../../src/protocol/task';
import { transcript } from '../../../support/transcriptBuilder';
import { FakeClock } from '../../sessions/fakes';
import { brief, SESSION_ID, todos, withDesk, work } from './taskRows';
import { sessionRefOf } from '../../../rooms/format';

const POLL_MS = 200;

/** One that tells whether the next look is waited for: everything that the last one led to is done then. */
class LookClock extends FakeClock {
  isWaiting = false;

  override after(delayMs: number, callback: () => void): () => void {
    if (delayMs === POLL_MS) this.isWaiting = true;
    return super.after(delayMs, () => {
      if (delayMs === POLL_MS) this.isWaiting = false;
      callback();
    });
  }

  async look(ms = POLL_MS): Promise<void> {
    this.advance(ms);
    while (!this.isWaiting) await turn();
  }
}

function follow(): { clock: LookClock; told: TaskList[]; live: Map<string, LiveStatus>; tasks: FollowedTasks } {
  const clock = new LookClock();
  const told: TaskList[] = [];
  const live = new Map<string, LiveStatus>();
  const tasks = new FollowedTasks({
    createScanner: (options) => new ReferenceScanner(options),
    pacer: createPacer(10),
    clock,
    liveSessions: () => Promise.resolve(new Map(live)),
    onChange: (list) => {
      told.push(list);
    },
    transcripts: new LiveTranscripts({
      createScanner: (options) => new ReferenceScanner(options),
      pacer: createPacer(10),
      clock,
      pollMs: () => POLL_MS,
    }),
    isClosing: () => false,
  });
  return { clock, told, live, tasks };
}

describe('The tasks that the worker follows', () => {
  it('are told when they change, and not when something else is said', () =>
    withDesk(async (desk) => {
      const { clock, told, tasks } = follow();
      const rows = work([todos(['a', 'pending']), todos(['a', 'completed'])]);
      writeFileSync(desk.filePath, transcript(rows.slice(0, 3)));
      assert.deepEqual(brief(await tasks.openTasks(sessionRefOf(desk.filePath))), ['1 a: pending']);
      await clock.look();
      assert.equal(told.length, 0);
      appendFileSync(desk.filePath, transcript(rows.slice(3)));
      await clock.look();
      assert.deepEqual(told.map(brief), [['1 a: completed']]);
      await tasks.closeTasks(sessionRefOf(desk.filePath));
    }));

  it('say that the session runs', () =>
    withDesk(async (desk) => {
      const { clock, told, live, tasks } = follow();
      writeFileSync(desk.filePath, transcript(work([todos(['a', 'in_progress'])])));
      assert.equal((await tasks.openTasks(sessionRefOf(desk.filePath))).isLive, false);
      live.set(SESSION_ID, 'busy');
      await clock.look(1_000);
      assert.deepEqual(
        told.map(({ isLive }) => isLive),
        [true],
      );
      await tasks.closeTasks(sessionRefOf(desk.filePath));
    }));

  it('are looked at no more once nobody follows them, or another session is followed', () =>
    withDesk(async (desk) => {
      const { clock, told, tasks } = follow();
      writeFileSync(desk.filePath, transcript(work([todos(['a', 'pending'])])));
      await tasks.openTasks(sessionRefOf(desk.filePath));
      await tasks.openTasks(sessionRefOf(`${desk.filePath}.gone`));
      writeFileSync(desk.filePath, transcript(work([todos(['b', 'pending'])])));
      await clock.look();
      await tasks.closeTasks(sessionRefOf(`${desk.filePath}.gone`));
      clock.advance(POLL_MS);
      await turn();
      assert.deepEqual(told, []);
    }));
});
