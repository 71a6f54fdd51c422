import assert from 'node:assert/strict';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { extension, scanAll } from './rethread';

describe('Scan All Sessions', () => {
  const { sessions: fixtures } = readHostTestEnvironment();

  it('finds every session, and says of the corrupted ones what Claude loads', async () => {
    const sessions = await scanAll();
    const found = new Map(
      sessions.map(({ filePath, title, health, loads, of }) => [filePath, { title, health, loads, of }]),
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
      projects.map(({ inWorkspace, sessions }) => [inWorkspace, sessions.length]),
      [
        [true, 4],
        [false, 2],
      ],
    );
  });
});
