import assert from 'node:assert/strict';
import type { WorkerConfiguration } from '../../../src/protocol/channels/worker';
import { CONFIGURATION, CORRUPTED, createSessions, sessionsOf } from './createSessions';
import { finding, scanOf, settle, stampOf, transcript } from './fakes';
import { sessionRefOf } from '../../rooms/format';

const ON: WorkerConfiguration = { ...CONFIGURATION, automaticRepair: 'background' };

function createCorruptedSessions() {
  const world = createSessions();
  const path = world.add('-p', 'a');
  world.engine.changes.set(path, CORRUPTED);
  const repairs = (): number => world.engine.log.filter((line) => line === `repair begins: ${path}`).length;
  const scanAll = async (): Promise<void> => {
    await world.sessions.current.scanAll();
    await settle();
    await settle();
  };
  return { ...world, path, repairs, scanAll };
}

describe('Automatic repairs', () => {
  it('are made only when the setting is on', async () => {
    const { sessions, repairs, scanAll } = createCorruptedSessions();
    await sessions.configure(CONFIGURATION);
    await scanAll();
    assert.equal(repairs(), 0);
  });

  it('fix sessions that lost history, and are logged', async () => {
    const { sessions, clock, events, path, repairs, scanAll } = createCorruptedSessions();
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 1);
    clock.advance(1000);
    assert.equal(sessionsOf(events)[0]?.health, 'healthy');
    assert.match(events.lines.join('\n'), new RegExp(`^info: Repaired ${path} automatically`, 'm'));
  });

  for (const client of ['2.1.331', '2.1.249', '2.1.100']) {
    it(`are not made for client ${client}, whose rules were not measured`, async () => {
      const { sessions, installed, repairs, scanAll } = createCorruptedSessions();
      installed.client = client;
      await sessions.configure(ON);
      await scanAll();
      assert.equal(repairs(), 0);
      await sessions.configure({ ...ON, clientVersion: '2.1.330' });
      await settle();
      await settle();
      assert.equal(repairs(), 1);
    });
  }

  it('clear once what interrupted repairs have left, whatever the setting is', async () => {
    const { sessions, engine, events, path, scanAll } = createCorruptedSessions();
    engine.debris.add(path);
    await sessions.configure(CONFIGURATION);
    await scanAll();
    assert.equal(engine.debris.size, 0);
    assert.match(events.lines.join('\n'), /^info: Cleared what an interrupted repair had left beside /m);
    engine.debris.add(path);
    await scanAll();
    assert.equal(engine.debris.size, 1);
  });

  it('look again for what a repair left that was ended right before the start, and list what is put back', async () => {
    const { sessions, engine, events, clock, path, add, scanAll } = createCorruptedSessions();
    await sessions.configure(CONFIGURATION);
    await scanAll();
    engine.debris.add(path);
    const put = add('-p', 'put back');
    clock.advance(14_000);
    await settle();
    assert.equal(engine.debris.size, 1);
    clock.advance(1000);
    await settle();
    await settle();
    assert.equal(engine.debris.size, 0);
    clock.advance(1000);
    assert.ok(sessionsOf(events).some(({ path: listed }) => listed === put));
    engine.debris.add(path);
    sessions.current.close();
    clock.advance(60_000);
    await settle();
    assert.equal(engine.debris.size, 1);
  });

  it('leave backups that are removed once they are as old as the setting says', async () => {
    const { sessions, engine, events, scanAll } = createCorruptedSessions();
    await sessions.configure({ ...CONFIGURATION, backupRetentionDays: 7 });
    await scanAll();
    await scanAll();
    assert.equal(engine.pruned.length, 1);
    assert.match(engine.pruned[0] ?? '', /-p: 7$/);
    assert.match(events.lines.join('\n'), /^info: Removed the old backup /m);
  });

  it('are neither made nor offered if the provider cannot repair', async () => {
    const { sessions, engine, events, repairs, scanAll } = createCorruptedSessions();
    engine.capabilities = { ...engine.capabilities, repair: false };
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 0);
    assert.equal(sessionsOf(events)[0]?.health, 'corrupted');
    assert.equal(sessionsOf(events)[0]?.isRepairable, false);
  });

  it('fix damage that an earlier window found', async () => {
    const { sessions, cache, path, repairs, scanAll } = createCorruptedSessions();
    cache.set(path, stampOf(1), scanOf(transcript('-p', 'a'), CORRUPTED));
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 1);
  });

  it('start when the person turns the setting on', async () => {
    const { sessions, repairs, scanAll } = createCorruptedSessions();
    await sessions.configure(CONFIGURATION);
    await scanAll();
    await sessions.configure(ON);
    await settle();
    assert.equal(repairs(), 1);
  });

  it('skip a running session', async () => {
    const { sessions, engine, repairs, scanAll } = createCorruptedSessions();
    engine.live = new Map([['a', 'idle']]);
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 0);
  });

  it('skip a transcript that was written to a moment ago', async () => {
    const { sessions, clock, files, path, repairs, scanAll } = createCorruptedSessions();
    files.stamps.set(path, stampOf(clock.now() - 1000));
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 0);
    clock.advance(60 * 60_000);
    await scanAll();
    assert.equal(repairs(), 1);
  });

  it('are made without another scan once a transcript is quiet', async () => {
    const { sessions, engine, clock, files, path, repairs, scanAll } = createCorruptedSessions();
    files.stamps.set(path, stampOf(clock.now() - 1000));
    await sessions.configure(ON);
    await scanAll();
    clock.advance(9 * 60_000);
    await settle();
    assert.equal(repairs(), 0);
    clock.advance(60_000);
    await settle();
    assert.deepEqual([repairs(), engine.scanned.filter((each) => each === path).length], [1, 2]);
  });

  it('wait again for a transcript that was written to meanwhile, and read it first', async () => {
    const { sessions, clock, files, path, repairs, scanAll } = createCorruptedSessions();
    files.stamps.set(path, stampOf(clock.now() - 1000));
    await sessions.configure(ON);
    await scanAll();
    clock.advance(9 * 60_000);
    files.stamps.set(path, stampOf(clock.now()));
    for (const [minutes, count] of [
      [2, 0],
      [7, 0],
      [2, 1],
    ] as const) {
      clock.advance(minutes * 60_000);
      await settle();
      await settle();
      assert.equal(repairs(), count);
    }
  });

  it('are made when the client of a session was killed', async () => {
    const { sessions, engine, clock, repairs, scanAll } = createCorruptedSessions();
    engine.live = new Map([['a', 'busy']]);
    await sessions.configure(ON);
    await scanAll();
    engine.live = new Map();
    clock.advance(5000);
    await settle();
    await settle();
    assert.equal(repairs(), 1);
  });

  it('are tried again later where a client may have been running', async () => {
    const { sessions, engine, clock, path, repairs, scanAll } = createCorruptedSessions();
    const repair = engine.repair.bind(engine);
    engine.repair = async (filePath) => {
      const outcome = await repair(filePath);
      engine.changes.set(path, CORRUPTED);
      return { ...outcome, result: { ...outcome.result, status: 'failed', reason: 'maybe-live' } };
    };
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 1);
    engine.repair = repair;
    clock.advance(11 * 60_000);
    await settle();
    await settle();
    assert.equal(repairs(), 2);
  });

  it('skip findings that need a decision, and findings that lose no history', async () => {
    const { sessions, engine, path, repairs, scanAll } = createCorruptedSessions();
    const findings = [finding({ action: 'ask' }), finding({ severity: 'info', action: 'auto' })];
    engine.changes.set(path, { result: { status: 'corrupted', findings } });
    await sessions.configure(ON);
    await scanAll();
    assert.equal(repairs(), 0);
  });

  it('are not retried while the file is unchanged', async () => {
    const { sessions, engine, events, path, files, repairs, scanAll } = createCorruptedSessions();
    engine.repair = (filePath) => {
      engine.log.push(`repair begins: ${filePath}`);
      const result = { ...scanOf(transcript('-p', 'a')).result, status: 'failed', reason: 'read-only' } as const;
      const nothing = { loads: 1, of: 2 };
      const outcome = { ...result, orphansFixed: 0, newChainDepth: 0, edits: [], resumeBefore: nothing };
      return Promise.resolve({
        result: { ...outcome, resumeAfter: nothing },
        problem: 'The folder may not be written.',
      });
    };
    await sessions.configure(ON);
    await scanAll();
    await sessions.current.scanAll({ rescanUnchanged: true });
    await settle();
    assert.equal(repairs(), 1);
    assert.match(events.lines.join('\n'), new RegExp(`^warn: Left ${path} unrepaired: read-only: The folder`, 'm'));
    files.stamps.set(path, stampOf(2));
    await scanAll();
    assert.equal(repairs(), 2);
  });

  it('are not repeated after the person undid one', async () => {
    const { sessions, engine, files, path, repairs, scanAll } = createCorruptedSessions();
    await sessions.configure(ON);
    await scanAll();
    engine.changes.set(path, CORRUPTED);
    files.stamps.set(path, stampOf(3));
    await sessions.current.undoRepair(sessionRefOf(path));
    await scanAll();
    assert.equal(repairs(), 1);
  });
});
