import assert from 'node:assert/strict';
import { Emitter } from '../../../src/extension/lifetime';
import { SessionsModel } from '../../../src/extension/sessions/sessionsModel';
import type { ScanAllOptions, SessionsUpdate } from '../../../src/protocol/channels/sessions';
import { project, RecordedLog, session, snapshot, update } from './fakes';

function createModel() {
  const updates = new Emitter<SessionsUpdate>();
  const restarts = new Emitter<void>();
  const surrenders = new Emitter<string>();
  const calls: string[] = [];
  const world = {
    configDir: '/c' as string | null,
    nowMs: 0,
    scanEnds: (): Promise<void> => Promise.resolve(),
  };
  const model = new SessionsModel({
    client: {
      sessions: {
        scanAll: (options: ScanAllOptions) => {
          calls.push(options.rescanUnchanged === true ? 'scan everything' : 'scan');
          return world.scanEnds();
        },
        onSessionsChanged: updates.event,
      },
      tryAgain: () => undefined,
      onRestarted: restarts.event,
      onGaveUp: surrenders.event,
    },
    readConfiguration: () =>
      world.configDir === null
        ? null
        : {
            configDir: world.configDir,
            workspaceFolders: [],
            scanConcurrency: 1,
            livePollMs: 200,
            clientVersion: null,
            extraConfigDirs: [],
            clientExtensionFolder: null,
            automaticRepair: 'off',
            backupRetentionDays: null,
            cacheDir: null,
          },
    log: new RecordedLog(),
    now: () => world.nowMs,
  });
  return { model, calls, world, updates, restarts, surrenders };
}

describe('The sessions of a window', () => {
  it('are requested once, however many callers need them', async () => {
    const { model, calls } = createModel();
    assert.equal(model.isStarted, false);
    await Promise.all([model.start(), model.start()]);
    await model.start();
    assert.deepEqual(calls, ['scan']);
  });

  it('are those that the worker has reported', async () => {
    const { model, updates } = createModel();
    await model.start();
    const projects = [project([session()])];
    let changes = 0;
    model.onChange(() => changes++);
    updates.fire(update(projects));
    assert.deepEqual(model.snapshot, snapshot(projects));
    assert.equal(changes, 1);
  });

  it('are updated a few times a second at most, with their state at that time', async () => {
    const { model, updates, world } = createModel();
    await model.start();
    const seen: number[] = [];
    model.onChange(() => seen.push(model.snapshot.revision));
    for (let revision = 1; revision <= 5; revision++) updates.fire(update([project([session()])], { revision }));
    assert.deepEqual(seen, [1]);
    assert.equal(model.snapshot.revision, 5);
    world.nowMs += 1000;
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(seen, [1, 5]);
  });

  it('are requested again when the view becomes visible after a while', async () => {
    const { model, calls, world } = createModel();
    await model.start();
    await model.refreshIfStale();
    assert.equal(calls.length, 1);
    world.nowMs += 10 * 60_000;
    await model.refreshIfStale();
    assert.equal(calls.length, 2);
  });

  it('are sorted again, without a scan, when folders are opened', async () => {
    const { model, calls } = createModel();
    await model.start();
    await model.reconfigure();
    assert.deepEqual(calls, ['scan']);
  });

  it('are dropped and requested again when the config folder changes', async () => {
    const { model, calls, world, updates } = createModel();
    await model.start();
    updates.fire(update([project([session()])]));
    world.configDir = '/d';
    const reconfigured = model.reconfigure();
    assert.deepEqual(model.snapshot.projects, []);
    await reconfigured;
    assert.deepEqual(calls.slice(1), ['scan']);
    assert.equal(model.configDir, '/d');
  });

  it('are kept when a setting briefly named no folder', async () => {
    const { model, world, updates } = createModel();
    await model.start();
    updates.fire(update([project([session()])]));
    world.configDir = null;
    await model.reconfigure();
    assert.deepEqual(model.snapshot.projects, []);
    world.configDir = '/c';
    await model.reconfigure();
    assert.equal(model.snapshot.projects.length, 1);
  });

  it('are not requested after a change of settings before anyone needed them', async () => {
    const { model, calls } = createModel();
    await model.reconfigure();
    assert.deepEqual(calls, []);
  });

  it('are not read if a setting names no folder; the setting is shown as the problem', async () => {
    const { model, calls, world } = createModel();
    world.configDir = null;
    await model.start();
    assert.equal(model.problem, 'invalid-config-dir');
    assert.deepEqual(calls, []);
    world.configDir = '/c';
    await model.reconfigure();
    assert.equal(model.problem, null);
    assert.deepEqual(calls, ['scan']);
  });

  it('are requested again by a restarted worker', async () => {
    const { model, calls, restarts } = createModel();
    await model.start();
    restarts.fire();
    await model.start();
    assert.deepEqual(calls.slice(1), ['scan']);
  });

  it('are a problem when the worker has given up, until they are requested again', async () => {
    const { model, surrenders } = createModel();
    await model.start();
    surrenders.fire('out of memory');
    assert.equal(model.problem, 'worker-gave-up');
    await model.scanAll();
    assert.equal(model.problem, null);
  });

  it('do not report a failed scan', async () => {
    const { model, world } = createModel();
    world.scanEnds = () => Promise.reject(new Error('the worker died'));
    await model.scanAll();
    assert.equal(model.scan, null);
  });

  it('count as being scanned until the latest of several scans ends', async () => {
    const { model, world } = createModel();
    const ends: (() => void)[] = [];
    world.scanEnds = () => new Promise((resolve) => ends.push(resolve));
    const first = model.scanAll();
    const second = model.scanAll({ rescanUnchanged: true });
    while (ends.length < 2) await Promise.resolve();
    ends[0]?.();
    await first;
    assert.notEqual(model.scan, null);
    ends[1]?.();
    await second;
    assert.equal(model.scan, null);
  });
});
