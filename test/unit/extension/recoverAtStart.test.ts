import assert from 'node:assert/strict';
import { recoverAtStart } from '../../../src/extension/history/recoverAtStart';
import { createFormats } from '../../../src/extension/text/formats';
import type { RecoveredRewind } from '../../../src/protocol/history';
import { FakeDialogs } from './dialogFakes';
import { RecordedLog, t } from './fakes';
import { FakeRewinds, FILE_PATH } from './rewindFakes';

function recovered(change: Partial<RecoveredRewind>): RecoveredRewind {
  return { sessionId: 's', filePath: FILE_PATH, restored: [], leftAlone: [], problem: null, ...change };
}

async function startWith(all: readonly RecoveredRewind[], roots: readonly string[] = ['/src/app']) {
  const rewinds = new FakeRewinds();
  rewinds.recovered = all;
  const dialogs = new FakeDialogs({});
  const log = new RecordedLog();
  const deps = { rewinds, roots, dialogs, log, t, formats: createFormats('en', t), nameOf: () => 'Draw the rain' };
  await recoverAtStart(deps);
  return { rewinds, said: dialogs.reported, lines: log.lines };
}

describe('The start of a window', () => {
  it('tells the person what it has put back of an interrupted rewind', async () => {
    const { said, lines } = await startWith([recovered({ restored: ['/src/app/a.ts', '/src/app/b.ts'] })]);
    assert.deepEqual(said, [
      'A rewind of “Draw the rain” was interrupted. The 2 files that it had changed were put back.',
    ]);
    assert.match(lines.join(), /an interrupted rewind was put back: \/src\/app\/a\.ts, \/src\/app\/b\.ts/);
    const one = await startWith([recovered({ restored: ['/src/app/a.ts'] })]);
    assert.match(one.said[0] ?? '', /The file that it had changed was put back\.$/);
  });

  it('names the files that were changed since, and stay', async () => {
    const { said } = await startWith([recovered({ restored: ['/src/app/a.ts'], leftAlone: ['/src/app/b.ts'] })]);
    assert.match(said[0] ?? '', /except files that were changed since: \/src\/app\/b\.ts\.$/);
  });

  it('logs what has to stay as it is, and does not disturb the person with it', async () => {
    const { said, lines } = await startWith([recovered({ problem: 'Claude may be using the session.' })]);
    assert.deepEqual(said, []);
    assert.match(lines.join(), /^warn: .*left as it is: Claude may be using the session\.$/);
  });

  it('puts nothing back in a window without a folder', async () => {
    const { rewinds } = await startWith([recovered({ restored: ['/a'] })], []);
    assert.deepEqual(rewinds.calls, []);
  });
});
