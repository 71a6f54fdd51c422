import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installTerminal } from '../../../scripts/setupVscode.mjs';
import type { RunningClient } from '../../../src/protocol/terminals';
import { readRunningClients, thisMachine, thisProcessTree } from '../../rooms/providers';
import { findClient } from '../../support/findClient';
import { type MockApi, startMockApi } from '../../support/mockApi';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import { LiveModel, liveReplier } from '../support/liveModel';
import { LiveSession } from '../support/liveSession';

const TIMEOUT_MS = 60_000;
const TAG = 'terminals';

describe('The real client in a terminal', () => {
  let client = '';
  let api: MockApi;
  let folder: Awaited<ReturnType<typeof temporaryFolder>> | null = null;
  const models = new Map<string, LiveModel>();

  before(async function () {
    this.timeout(600_000);
    client = await skipWhenUnavailable(this, findClient);
    await skipWhenUnavailable(this, installTerminal);
    api = await startMockApi(liveReplier(models));
    folder = await temporaryFolder();
  });

  after(async () => {
    await api.close();
    folder?.remove();
  });

  it('takes the id that it is started with, and is found by its process when /clear changes the id', async function () {
    this.timeout(3 * TIMEOUT_MS);
    let number = 0;
    const numbered = (words: string): string => `[${++number}] ${words}`;
    const model = new LiveModel(numbered);
    models.set(TAG, model);
    const root = join(folder?.path ?? '', TAG);
    const live = new LiveSession(client, root, api.urlFor(TAG), model, numbered);
    await live.prepare();
    const running = (): Promise<readonly RunningClient[]> =>
      readRunningClients({
        configDir: join(root, 'home', '.claude'),
        machine: thisMachine(),
        processes: thisProcessTree,
        now: Date.now,
      });
    try {
      const sessionId = randomUUID();
      const terminal = await live.startTerminal(['--session-id', sessionId]);
      const [before] = await running();
      assert.equal(before?.sessionId, sessionId);
      assert.notEqual(before.tmux, null);
      assert.ok(before.ancestors.length > 0);
      await terminal.type('/clear');
      let [after] = await running();
      for (const end = Date.now() + TIMEOUT_MS; after?.sessionId === sessionId && Date.now() < end;) {
        await delay(100);
        [after] = await running();
      }
      assert.notEqual(after?.sessionId, sessionId);
      assert.deepEqual([after?.pid, after?.ancestors], [before.pid, before.ancestors]);
    } finally {
      await live.close();
    }
  });
});
