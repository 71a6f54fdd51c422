import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diagnosticsFor } from '../../rooms/diagnose';
import { sessionRefOf } from '../../rooms/format';
import { createRewinding } from '../../../src/worker/rewinding';
import { createTerminals } from '../../../src/worker/terminals';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { lines, prompt } from '../../support/transcriptBuilder';
import { PROMPT, sessionWith, writeFile } from '../history/rewind/oneFile';
import { backup, requestOf, SESSION, withPlace } from '../history/rewind/rewindFixture';
import { plainScanner } from '../../support/plainScanner';

const liveness = () => Promise.resolve({ live: 'not-live', why: null } as const);
const isClosing = (): boolean => false;

describe('A session of another account', () => {
  it('is rewound with the copies of its own config folder, and what is kept of the rewind stays there', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      writeFile(place, 'a.txt', 'is\n');
      const main = join(place.root, 'main');
      const rewinding = createRewinding({
        ...{ createScanner: plainScanner, liveness, isClosing },
        capabilities: () => ({ repair: true, fork: true, rewind: true }),
        diagnostics: () => diagnosticsFor(),
        configDirs: () => [main, place.configDir],
      });
      const session = sessionRefOf(place.filePath);
      assert.equal((await rewinding.checkpoints(session, [place.cwd])).length > 0, true);
      const outcome = await rewinding.rewind(requestOf(place, PROMPT));
      assert.deepEqual([outcome.reason, readFileSync(join(place.cwd, 'a.txt'), 'utf8')], [null, 'was\n']);
      assert.ok(existsSync(join(place.configDir, 'rethread', 'rewinds', SESSION)));
      assert.ok(!existsSync(main));
      assert.deepEqual(await rewinding.rewoundSessions(), [SESSION]);
      const given = { roots: [place.cwd], paths: null, mayLeaveRoots: false, skipObstacles: false, mayBeLive: false };
      await rewinding.undoRewind(session, given);
      assert.equal(readFileSync(join(place.cwd, 'a.txt'), 'utf8'), 'is\n');
    });
  });

  it('is found by its id, and as the last session of its folder', async () => {
    await withTemporaryFolder(async (folder) => {
      const [app, main, work] = ['app', 'main', 'work'].map((name) => join(folder, name)) as [string, string, string];
      mkdirSync(app);
      const at = (configDir: string, id: string, timestamp: string): string => {
        const path = join(configDir, 'projects', app.replace(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, `${lines([{ ...prompt('first', null), cwd: app, timestamp }]).join('\n')}\n`);
        return path;
      };
      at(main, SESSION.replace('4', '5'), '2026-01-01T00:00:00.000Z');
      const atWork = at(work, SESSION, '2026-01-02T00:00:00.000Z');
      const terminals = createTerminals({
        ...{ createScanner: plainScanner, liveness, isClosing },
        configDirs: () => [main, work, join(folder, 'gone')],
        configuration: () => assert.fail('Nothing depends on a setting'),
        judge: () => assert.fail('Nothing is judged'),
        clientDeps: () => assert.fail('No client is looked for'),
        log: () => undefined,
      });
      assert.deepEqual(await terminals.locate([SESSION]), [sessionRefOf(atWork)]);
      assert.equal((await terminals.lastSession(app))?.path, atWork);
      assert.deepEqual(await terminals.runningClients(), []);
    });
  });
});
