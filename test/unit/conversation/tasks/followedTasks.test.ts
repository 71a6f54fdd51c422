import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { FollowedTasks } from '../../../rooms/conversation';
import { diagnosticsFor } from '../../../rooms/diagnose';
import { LiveTranscripts } from '../../../rooms/transcript';
import { createPacer } from '../../../rooms/util';
import type { TaskList } from '../../../../src/protocol/task';
import { transcript } from '../../../support/transcriptBuilder';
import { FakeClock } from '../../sessions/fakes';
import { brief, SESSION_ID, todos, withSetup, work } from './taskRows';
import { sessionRefOf } from '../../../rooms/format';
import { plainScanner } from '../../../support/plainScanner';

const POLL_MS = 200;

/** Knows whether the next check is scheduled, which means that the last one is completely done. */
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

function follow(): { clock: LookClock; reported: TaskList[]; live: Set<string>; tasks: FollowedTasks } {
  const clock = new LookClock();
  const reported: TaskList[] = [];
  const live = new Set<string>();
  const tasks = new FollowedTasks({
    diagnostics: () => diagnosticsFor(),
    createScanner: plainScanner,
    pacer: createPacer(10),
    clock,
    liveSessions: () => Promise.resolve(new Set(live)),
    onChange: (list) => {
      reported.push(list);
    },
    transcripts: new LiveTranscripts({
      createScanner: plainScanner,
      pacer: createPacer(10),
      clock,
      pollMs: () => POLL_MS,
    }),
    isClosing: () => false,
  });
  return { clock, reported, live, tasks };
}

describe('The tasks that the worker follows', () => {
  it('are reported when they change, and not when other rows are added', () =>
    withSetup(async (setup) => {
      const { clock, reported, tasks } = follow();
      const rows = work([todos(['a', 'pending']), todos(['a', 'completed'])]);
      writeFileSync(setup.filePath, transcript(rows.slice(0, 3)));
      assert.deepEqual(brief(await tasks.openTasks(sessionRefOf(setup.filePath))), ['1 a: pending']);
      await clock.look();
      assert.equal(reported.length, 0);
      appendFileSync(setup.filePath, transcript(rows.slice(3)));
      await clock.look();
      assert.deepEqual(reported.map(brief), [['1 a: completed']]);
      await tasks.closeTasks(sessionRefOf(setup.filePath));
    }));

  it('state that the session is running', () =>
    withSetup(async (setup) => {
      const { clock, reported, live, tasks } = follow();
      writeFileSync(setup.filePath, transcript(work([todos(['a', 'in_progress'])])));
      assert.equal((await tasks.openTasks(sessionRefOf(setup.filePath))).isLive, false);
      live.add(SESSION_ID);
      await clock.look(1_000);
      assert.deepEqual(
        reported.map(({ isLive }) => isLive),
        [true],
      );
      await tasks.closeTasks(sessionRefOf(setup.filePath));
    }));

  it('are no longer checked once nobody follows them, or another session is followed', () =>
    withSetup(async (setup) => {
      const { clock, reported, tasks } = follow();
      writeFileSync(setup.filePath, transcript(work([todos(['a', 'pending'])])));
      await tasks.openTasks(sessionRefOf(setup.filePath));
      await tasks.openTasks(sessionRefOf(`${setup.filePath}.gone`));
      writeFileSync(setup.filePath, transcript(work([todos(['b', 'pending'])])));
      await clock.look();
      await tasks.closeTasks(sessionRefOf(`${setup.filePath}.gone`));
      clock.advance(POLL_MS);
      await turn();
      assert.deepEqual(reported, []);
    }));
});
