import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { choosing } from './answers';
import { eventually } from './eventually';
import { extension, fixture, scanAll, sessionAt } from './rethread';

describe('Scan All Sessions', () => {
  const { sessions: fixtures } = readHostTestEnvironment();

  it('finds every session, and shows what Claude loads of the corrupted ones', async () => {
    const sessions = await scanAll();
    const found = new Map(
      sessions.map(({ path: filePath, title, health, loads, of }) => [filePath, { title, health, loads, of }]),
    );
    assert.equal(found.size, fixtures.length);
    for (const { filePath, title, damage } of fixtures) {
      const session = found.get(filePath);
      assert.equal(session?.title, title);
      if (damage) assert.deepEqual(session, { title, health: 'corrupted', ...damage });
      else assert.equal(session.health, 'healthy', title);
    }
  });

  it('lists the project of the open folder first', async () => {
    await scanAll();
    const { projects } = extension().exports.getSessions();
    assert.deepEqual(
      projects.map(({ inWorkspace, sessions }) => [
        inWorkspace,
        // Other tests have deleted some, which stay listed as missing.
        sessions.filter(({ isAbsent = false }) => !isAbsent).length,
      ]),
      [
        [true, 7],
        [false, 2],
      ],
    );
  });
});

describe('Scan Session', () => {
  const { filePath, sessionId, title } = fixture('Explain the radio protocol');
  const broken = fixture('Add a rain sensor');
  let original: Buffer;

  before(async () => {
    original = await readFile(filePath);
    await scanAll();
  });

  after(async () => {
    await writeFile(filePath, original);
  });

  it('picks up changes to the transcript since it was last read', async () => {
    assert.equal(sessionAt(filePath).health, 'healthy');
    const rows = (await readFile(broken.filePath, 'utf8')).replaceAll(broken.sessionId, sessionId);
    await writeFile(filePath, rows.replaceAll(broken.title, title));

    await choosing('rethread.scanSession', title);

    await eventually('the session is shown as corrupted', () => sessionAt(filePath).health === 'corrupted');
    assert.equal(sessionAt(filePath).loads, 9);
  });
});
