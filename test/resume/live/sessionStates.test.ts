import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installTerminal } from '../../../scripts/setupVscode.mjs';
import { createEngine } from '../../../src/core/engine';
import type { SessionSource } from '../../../src/protocol/sessionActivity';
import type { SessionOverview } from '../../../src/protocol/message';
import { SessionReader } from '../../rooms/conversation';
import { configDirOf } from '../../rooms/format';
import { createPacer } from '../../rooms/util';
import { findClient } from '../../support/findClient';
import { type MockApi, startMockApi } from '../../support/mockApi';
import { runSize } from '../../support/runSize';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import { LiveModel, liveReplier } from '../support/liveModel';
import { LiveSession } from '../support/liveSession';
import {
  BACKGROUND_MOMENTS,
  type Moment,
  PRINT_MOMENTS,
  PROGRAM_MOMENTS,
  TERMINAL_MOMENTS,
  UNSEEN_MOMENTS,
} from '../support/sessionMoments';

/** How often each moment is made. */
const TIMES = runSize().isFull ? 10 : 1;
/** A client writes its record at most so long after the moment. */
const RECORDED_MS = 400;
/** Longer than a command of the client needs to end. */
const TIMEOUT_MS = 60_000;

describe('The state of a session of the real client', () => {
  let client = '';
  let api: MockApi;
  let folder: Awaited<ReturnType<typeof temporaryFolder>> | null = null;
  const models = new Map<string, LiveModel>();
  /** How often a moment of one state was given another, or the same. */
  const confusion = new Map<string, number>();
  let inferred = 0;

  before(async function () {
    this.timeout(600_000);
    client = await skipWhenUnavailable(this, findClient);
    api = await startMockApi(liveReplier(models));
    folder = await temporaryFolder();
  });

  after(async () => {
    await api.close();
    folder?.remove();
    for (const [answer, times] of [...confusion].sort()) console.log(`      ${answer}: ${times}`);
    console.log(`      read off the rows: ${inferred}`);
  });

  /** Makes the moment once, and reads the session as `list` does. */
  async function readAt(moment: Moment, tag: string): Promise<SessionOverview> {
    let number = 0;
    const numbered = (words: string): string => `[${++number}] ${words}`;
    const model = new LiveModel(numbered);
    models.set(tag, model);
    const live = new LiveSession(client, join(folder?.path ?? '', tag), api.urlFor(tag), model, numbered);
    await live.prepare();
    try {
      await moment.reach(live);
      await delay(RECORDED_MS);
      const [filePath = ''] = await live.transcripts();
      const engine = createEngine({ configDir: configDirOf(filePath) ?? '' });
      const { createScanner, diagnostics } = engine;
      const reader = new SessionReader({
        filePath,
        createScanner,
        diagnostics,
        pacer: createPacer(10),
        activityOf: (path, end) => engine.readActivities().of(path, end),
      });
      const overview = await reader.overview();
      reader.close();
      assert.ok(overview !== null, reader.problem ?? '');
      return overview;
    } finally {
      await live.close();
    }
  }

  function compare(name: string, moment: Moment, source: SessionSource, kind: string = source): void {
    it(`is ${moment.state} where it ${name}, ${TIMES === 1 ? 'once' : `${TIMES} times`}`, async function () {
      this.timeout(TIMES * TIMEOUT_MS);
      for (let time = 0; time < TIMES; time++) {
        const { activity, call, live } = await readAt(moment, `${kind}-${name.replaceAll(/[^a-z]/gu, '-')}-${time}`);
        const answer = `${kind}: ${moment.state} is said to be ${activity.state}`;
        confusion.set(answer, (confusion.get(answer) ?? 0) + 1);
        if (activity.isInferred) inferred++;
        const isOver = ['crashed', 'ended', 'interrupted', 'failed'].includes(moment.state);
        assert.deepEqual(
          [activity.state, activity.isInferred, live, activity.source],
          [moment.state, moment.isInferred === true, moment.live ?? (isOver ? 'not-live' : 'live'), source],
        );
        if (moment.call !== undefined) assert.ok(call?.startsWith(moment.call), `${name}: ${String(call)}`);
      }
    });
  }

  describe('that a program drives', () => {
    for (const [name, moment] of Object.entries(PROGRAM_MOMENTS)) compare(name, moment, 'sdk');
  });

  describe('that answers one prompt', () => {
    for (const [name, moment] of Object.entries(PRINT_MOMENTS)) compare(name, moment, 'sdk', 'print');
  });

  describe('in the background', () => {
    for (const [name, moment] of Object.entries(BACKGROUND_MOMENTS)) compare(name, moment, 'background');
  });

  describe('whose processes cannot be seen from here', () => {
    before(function () {
      // Nobody else may enter another namespace.
      if (process.platform !== 'linux' || process.geteuid?.() !== 0) this.skip();
    });

    for (const [name, moment] of Object.entries(UNSEEN_MOMENTS)) compare(name, moment, 'sdk', 'unseen');
  });

  describe('in a terminal', () => {
    before(async function () {
      this.timeout(600_000);
      await skipWhenUnavailable(this, installTerminal);
    });

    for (const [name, moment] of Object.entries(TERMINAL_MOMENTS)) compare(name, moment, 'terminal');
  });
});
