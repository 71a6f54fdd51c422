import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createForks } from '../../rooms/history';
import { sessionRefOf } from '../../rooms/format';
import { nodeWriteFs } from '../../rooms/storage';
import { diagnosticsFor } from '../../rooms/diagnose';
import { requestOf, rewindsWith, withPlace } from '../history/rewind/rewindFixture';
import { CONFIGURATION, CORRUPTED, createSessions, sessionsOf } from './createSessions';

/** Sessions of a provider that can do everything except this. */
async function createWithout(action: 'repair' | 'fork' | 'rewind') {
  const world = createSessions();
  world.engine.capabilities = { ...world.engine.capabilities, [action]: false };
  const path = world.add('-p', 'a');
  world.engine.changes.set(path, CORRUPTED);
  await world.sessions.configure(CONFIGURATION);
  await world.sessions.current.scanAll();
  return { ...world, session: sessionRefOf(path) };
}

const neverScans = () => Promise.reject(new Error('Nothing is to be read'));

describe('A provider that lacks a capability', () => {
  for (const action of ['repair', 'fork', 'rewind'] as const) {
    it(`has sessions that lack it: ${action}`, async () => {
      const { events } = await createWithout(action);
      assert.deepEqual(sessionsOf(events)[0]?.lacks, [action]);
    });
  }

  it('is never asked for a repair, or to undo one', async () => {
    const { sessions, engine, session } = await createWithout('repair');
    const { current } = sessions;
    for (const call of ['planRepair', 'repair', 'undoRepair', 'planSlim', 'slim', 'undoSlim'] as const) {
      await assert.rejects(() => current[call](session), /sessions of claude cannot be repaired/, call);
    }
    assert.deepEqual(
      engine.log.filter((line) => /repair/i.test(line)),
      [],
    );
  });

  it('gets no fork', async () => {
    const write = { fs: nodeWriteFs, now: Date.now, random: randomUUID };
    const forks = createForks({
      capabilities: { fork: false },
      scanFile: neverScans,
      diagnostics: diagnosticsFor(),
      configDir: () => '/c',
      write,
      random: randomUUID,
    });
    const session = sessionRefOf('/c/projects/-p/a.jsonl');
    assert.deepEqual(await forks.fork({ session, at: null, isBefore: false, title: null }), {
      kind: 'refused',
      reason: 'not-forkable',
      problem: 'Sessions of claude cannot be forked.',
    });
  });

  it('gets neither checkpoints nor a rewind', async () => {
    await withPlace(async (place) => {
      const problem = 'Files cannot be rewound with sessions of claude.';
      const rewinds = rewindsWith(place, nodeWriteFs, { capabilities: { rewind: false }, scanFile: neverScans });
      const request = requestOf(place, randomUUID());
      assert.equal((await rewinds.listCheckpoints(request.session, [])).problem, problem);
      assert.equal((await rewinds.planRewind(request)).problem, problem);
      const { reason, result } = await rewinds.rewind(request);
      assert.equal(reason, 'no-checkpoint');
      assert.equal(result.error, problem);
    });
  });
});

describe('A provider with all capabilities', () => {
  it('has sessions that lack nothing', async () => {
    const world = createSessions();
    world.add('-p', 'a');
    await world.sessions.configure(CONFIGURATION);
    await world.sessions.current.scanAll();
    const [session] = sessionsOf(world.events);
    assert.ok(session !== undefined && !('lacks' in session));
  });
});
