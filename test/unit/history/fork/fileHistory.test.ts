import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { nodeWriteFs, type WriteFs } from '../../../rooms/storage';
import { call, prompt, reply, result, type RowFields, transcript, uuidOf } from '../../../support/transcriptBuilder';
import { forkedPath, type ForkFixture, rowsOf, SOURCE_ID, withForkFixture } from './forkFixture';

const backup = (backupFileName: string | null, version = 1) => ({ backupFileName, version, backupTime: 'x' });

function snapshotRow(
  messageId: string,
  of: string,
  files: Readonly<Record<string, unknown>>,
  isSnapshotUpdate = false,
) {
  const snapshot = { messageId: uuidOf(of), trackedFileBackups: files, timestamp: 'x' };
  return { type: 'file-history-snapshot', messageId: uuidOf(messageId), snapshot, isSnapshotUpdate };
}

function deltaRow(messageId: string, of: string, trackingPath: string, backupOf: unknown): RowFields {
  const snapshotMessageId = uuidOf(of);
  return {
    type: 'file-history-delta',
    messageId: uuidOf(messageId),
    snapshotMessageId,
    trackingPath,
    backup: backupOf,
  };
}

const ROWS: readonly RowFields[] = [
  snapshotRow('p1', 'p1', {}),
  prompt('p1', null),
  deltaRow('u1', 'p1', 'a.txt', backup('a@v1')),
  call('u1', 'p1', 't1'),
  result('o1', 'u1', 't1'),
  { ...snapshotRow('o1', 'p1', { 'old.txt': backup('old@v1') }, true), sessionId: SOURCE_ID },
  reply('r1', 'o1'),
  prompt('p2', 'r1'),
  snapshotRow('p2', 'p2', { 'a.txt': backup('a@v2', 2), 'new.txt': backup(null), 'odd.txt': backup('../escape') }),
  deltaRow('gone', 'p2', 'b.txt', backup('b@v1')),
  reply('r2', 'p2'),
];
const BACKUPS = { 'a@v1': 'first', 'a@v2': 'second', 'old@v1': 'old', 'b@v1': 'other', 'unnamed@v1': 'x' };

async function withBackups<T>(use: (fixture: ForkFixture, folder: string) => Promise<T>): Promise<T> {
  return withForkFixture(transcript(ROWS), (fixture) => {
    fixture.addBackups(BACKUPS);
    const folder = join(fixture.configDir, 'file-history', SOURCE_ID);
    for (const name of Object.keys(BACKUPS)) {
      chmodSync(join(folder, name), 0o755);
      utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000.25);
    }
    return use(fixture, folder);
  });
}

function folderOf(fixture: ForkFixture, filePath: string): string {
  return join(fixture.configDir, 'file-history', /([^/\\]+)\.jsonl$/.exec(filePath)?.[1] ?? '');
}

describe('The file history of a fork', () => {
  it('belongs to the rows that the fork holds, in every form', async () => {
    await withBackups(async (fixture) => {
      const rows = await fixture.forkedRows();
      const history = rows.filter(({ type }) => String(type).startsWith('file-history-'));
      const kept = ROWS.filter(({ type }) => String(type).startsWith('file-history-')).slice(0, 4);
      const sessionId = rows.at(-1)?.['sessionId'];
      assert.deepEqual(
        history,
        JSON.parse(JSON.stringify(kept.map((row) => ('sessionId' in row ? { ...row, sessionId } : row)))),
      );
    });
  });

  it('shares its backups with the source through hard links', async () => {
    await withBackups(async (fixture, source) => {
      const folder = folderOf(fixture, forkedPath(await fixture.fork()));
      assert.deepEqual(readdirSync(folder).sort(), ['a@v1', 'a@v2', 'old@v1']);
      for (const name of readdirSync(folder)) {
        assert.equal(statSync(join(folder, name)).ino, statSync(join(source, name)).ino);
      }
    });
  });

  it('leaves out everything after the cut', async () => {
    await withBackups(async (fixture) => {
      const filePath = forkedPath(await fixture.fork({ at: uuidOf('r1') }));
      assert.deepEqual(readdirSync(folderOf(fixture, filePath)).sort(), ['a@v1', 'old@v1']);
      const before = forkedPath(await fixture.fork({ at: uuidOf('u1'), isBefore: true }));
      assert.ok(!existsSync(folderOf(fixture, before)));
    });
  });

  it('uses copies with the same mode and time where hard links are not available', async () => {
    const noLinks: WriteFs = {
      ...nodeWriteFs,
      link: () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
    };
    await withBackups(async (fixture, source) => {
      const filePath = forkedPath(await fixture.fork({}, noLinks));
      assert.equal(rowsOf(filePath).length, 11);
      const folder = folderOf(fixture, filePath);
      assert.deepEqual(readdirSync(folder).sort(), ['a@v1', 'a@v2', 'old@v1']);
      for (const name of readdirSync(folder)) {
        const [copy, original] = [statSync(join(folder, name)), statSync(join(source, name))];
        assert.deepEqual([copy.mode, copy.mtimeMs], [original.mode, original.mtimeMs]);
        assert.notEqual(copy.ino, original.ino);
        assert.deepEqual(readFileSync(join(folder, name)), readFileSync(join(source, name)));
      }
    });
  });

  it('may lack backups, which is reported', async () => {
    await withForkFixture(transcript(ROWS), async (fixture) => {
      const none = await fixture.fork();
      assert.ok(none.kind === 'forked');
      assert.equal(none.warning, '3 backups of files are missing, so those files cannot be rewound in it.');
      assert.ok(!existsSync(join(fixture.configDir, 'file-history')));
      fixture.addBackups({ 'a@v1': 'first', 'a@v2': 'second' });
      const some = await fixture.fork();
      assert.ok(some.kind === 'forked');
      assert.equal(some.warning, 'A backup of a file is missing, so that file cannot be rewound in it.');
    });
  });
});
