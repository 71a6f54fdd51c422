import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { call, prompt, result, type RowFields, transcript, uuidOf } from '../../../support/transcriptBuilder';
import { type Fault, FaultyFs, type FsCall } from '../../storage/faultyFs';
import { type ForkFixture, snapshot, withForkFixture } from './forkFixture';

const ROWS: readonly RowFields[] = [
  prompt('p1', null),
  {
    type: 'file-history-delta',
    messageId: uuidOf('u1'),
    snapshotMessageId: uuidOf('p1'),
    trackingPath: 'a.txt',
    backup: { backupFileName: 'a@v1' },
  },
  {
    type: 'file-history-delta',
    messageId: uuidOf('u1'),
    snapshotMessageId: uuidOf('p1'),
    trackingPath: 'b.txt',
    backup: { backupFileName: 'b@v1' },
  },
  call('u1', 'p1', 't1'),
  result('o1', 'u1', 't1'),
];
type FaultOf = (call: FsCall) => Fault | null;

async function withSession<T>(use: (fixture: ForkFixture) => Promise<T>): Promise<T> {
  return withForkFixture(transcript(ROWS), (fixture) => {
    fixture.addBackups({ 'a@v1': 'first', 'b@v1': 'other' });
    return use(fixture);
  });
}

async function recordCalls(faultOf: FaultOf): Promise<readonly FsCall[]> {
  return withSession(async (fixture) => {
    const fs = new FaultyFs();
    fs.faultOf = faultOf;
    assert.equal((await fixture.fork({}, fs)).kind, 'forked');
    return fs.calls;
  });
}

/** What a fork creates: its transcript, and a folder with two backups. */
function assertWholeOrNothing(fixture: ForkFixture, before: readonly string[], outcome: string, where: string): void {
  const added = snapshot(fixture.configDir).filter((entry) => !before.includes(entry));
  const files = added.filter((entry) => !/^[^ ]*\/ \d+$/.test(entry));
  if (outcome === 'refused') assert.deepEqual(added, [], where);
  else {
    assert.equal(files.filter((entry) => /^projects.*\.jsonl /.test(entry)).length, 1, where);
    assert.equal(files.filter((entry) => entry.startsWith('file-history/')).length, 2, where);
    assert.equal(files.length, 3, where);
  }
}

const noFault: FaultOf = () => null;
const noLinks: FaultOf = ({ name }) => (name === 'link' ? { kind: 'fails', code: 'EPERM' } : null);

/** `npm run test:faults` tries every fault at every call. */
for (const [place, base] of [
  ['', noFault],
  [', where files have one name only', noLinks],
] as const) {
  describe(`A fork on a failing disk${place}`, () => {
    it('continues when a call reads or writes fewer bytes than requested', () =>
      withSession(async (fixture) => {
        const before = snapshot(fixture.configDir);
        const fs = new FaultyFs();
        fs.faultOf = (each) => (each.name === 'read' || each.name === 'write' ? { kind: 'short' } : base(each));
        assertWholeOrNothing(fixture, before, (await fixture.fork({}, fs)).kind, 'short');
      }));
  });
}

describe('The file of a fork', () => {
  it('is verified and flushed before it gets its name, and its name is flushed afterwards', async () => {
    const calls = await recordCalls(noFault);
    const named = calls.findIndex(({ name, path }) => name === 'link' && path.endsWith('.jsonl'));
    const hidden = calls.slice(0, named).filter(({ path }) => path.endsWith('.tmp'));
    assert.deepEqual(
      ['open create', 'write', 'fsync', 'read'].map((name) => hidden.some((each) => each.name === name)),
      [true, true, true, true],
    );
    const lastWrite = hidden.findLastIndex(({ name }) => name === 'write');
    assert.ok(hidden.findIndex(({ name }) => name === 'fsync') > lastWrite);
    assert.ok(calls.slice(named).some(({ name, path }) => name === 'fsync' && path.endsWith('-home-user-project')));
    assert.ok(
      !calls.some(({ name, path }) => name === 'open append' || (name === 'rename' && path.endsWith('.jsonl'))),
    );
  });

  it('never replaces an existing file', async () => {
    await withSession(async (fixture) => {
      const fs = new FaultyFs();
      const { link } = fs;
      let path = '';
      fs.link = async (from, to) => {
        if (to.endsWith('.jsonl')) {
          path = to;
          const other = await fs.open(to, 'create');
          await other.write(Buffer.from('not ours\n'));
          await other.close();
        }
        return link(from, to);
      };
      assert.equal((await fixture.fork({}, fs)).kind, 'refused');
      assert.equal(readFileSync(path, 'utf8'), 'not ours\n');
    });
  });

  it('is followed by a clean-up of what a process left that died while forking, and nothing else', async () => {
    await withSession(async (fixture) => {
      const fs = new FaultyFs();
      fs.faultOf = ({ name, path }) =>
        name === 'link' && path.endsWith('b@v1') ? { kind: 'dies', when: 'after' } : null;
      const before = snapshot(fixture.configDir);
      await Promise.race([fixture.fork({}, fs), fs.died]);
      await fs.closeAll();
      const left = snapshot(fixture.configDir).filter((entry) => !before.includes(entry));
      assert.ok(left.some((entry) => entry.includes('-fork.tmp ')) && left.some((entry) => entry.includes('b@v1 ')));
      // Another process may still be working.
      const soon = await fixture.fork();
      assert.ok(left.every((entry) => entry.includes('/ ') || snapshot(fixture.configDir).includes(entry)));
      const hidden = readdirSync(join(fixture.filePath, '..')).filter((name) => name.endsWith('-fork.tmp'));
      assert.equal(hidden.length, 1);
      const past = Date.now() / 1000 - 7200;
      utimesSync(join(fixture.filePath, '..', hidden[0] ?? ''), past, past);
      const later = await fixture.fork();
      assert.ok(soon.kind === 'forked' && later.kind === 'forked');
      for (const { result } of [soon, later]) {
        rmSync(result.filePath);
        rmSync(join(fixture.configDir, 'file-history', result.sessionId), { recursive: true });
      }
      assert.deepEqual(snapshot(fixture.configDir), before);
    });
  });

  it('comes with an explanation when the disk fails', async () => {
    const write = (await recordCalls(noFault)).find(({ name }) => name === 'write');
    const reasons = {
      ENOSPC: 'no-space',
      EDQUOT: 'no-space',
      EROFS: 'read-only',
      EACCES: 'read-only',
      EIO: 'write-failed',
    };
    for (const [code, reason] of Object.entries(reasons)) {
      await withSession(async (fixture) => {
        const fs = new FaultyFs();
        fs.faultOf = ({ index }) => (index === write?.index ? { kind: 'fails', code } : null);
        const outcome = await fixture.fork({}, fs);
        assert.ok(outcome.kind === 'refused' && outcome.reason === reason && outcome.problem.includes(code));
      });
    }
  });
});
