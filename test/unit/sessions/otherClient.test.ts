import assert from 'node:assert/strict';
import { sessionRefOf } from '../../rooms/format';
import { CONFIGURATION, createSessions, sessionsOf } from './createSessions';
import { settle } from './fakes';

describe('The client that the sessions are judged for', () => {
  it('is the installed one, or else the newest measured one', async () => {
    const world = createSessions();
    await world.sessions.configure(CONFIGURATION);
    world.installed.client = '2.1.300';
    await world.sessions.configure(CONFIGURATION);
    assert.deepEqual(world.clients, ['2.1.330', '2.1.300']);
  });

  it('is the one of the setting, whatever is installed', async () => {
    const world = createSessions();
    world.installed.client = '2.1.300';
    await world.sessions.configure({ ...CONFIGURATION, clientVersion: '2.1.50' });
    assert.deepEqual(world.clients, ['2.1.50']);
  });

  it('is named by the details of a session', async () => {
    const world = createSessions();
    const path = world.add('-p', 'a');
    await world.sessions.configure({ ...CONFIGURATION, clientVersion: '2.1.50' });
    const { client, scan } = await world.sessions.current.details(sessionRefOf(path));
    assert.deepEqual([client.version, client.standing], ['2.1.50', 'older']);
    assert.deepEqual([scan.result.resume.client, scan.result.resume.isExact], ['2.1.50', false]);
  });

  it('has sessions that were shown judged anew when it changes, and others not before they are asked for', async () => {
    const world = createSessions();
    const path = world.add('-p', 'a');
    await world.sessions.configure(CONFIGURATION);
    await world.sessions.configure({ ...CONFIGURATION, clientVersion: '2.1.300' });
    await settle();
    assert.deepEqual(world.engine.scanned, []);
    await world.sessions.current.scanAll();
    await world.sessions.configure({ ...CONFIGURATION, clientVersion: '2.1.301' });
    await settle();
    assert.deepEqual(world.engine.scanned, [path, path]);
    assert.equal(sessionsOf(world.events)[0]?.health, 'healthy');
  });

  it('changes nothing while it is the same', async () => {
    const world = createSessions();
    world.add('-p', 'a');
    await world.sessions.configure({ ...CONFIGURATION, clientVersion: '2.1.330' });
    await world.sessions.current.scanAll();
    world.installed.client = '2.1.330';
    await world.sessions.configure(CONFIGURATION);
    await settle();
    assert.equal(world.engine.scanned.length, 1);
    assert.equal(world.clients.length, 1);
  });
});
