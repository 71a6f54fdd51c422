import assert from 'node:assert/strict';
import { FaultyFs, type FsCall } from '../unit/storage/faultyFs';
import { ForeignFs, type ForeignTraits } from '../unit/storage/foreignFs';
import { ALL_OPERATIONS } from './operations/table';
import { assertNothingLost, settle, where } from './support/matrix';
import type { Operation, Stage } from './support/operation';
import { countsOf } from './support/tally';

/** Their modes are a matter of the unit tests: here, the files are compared with all their attributes. */
const SYSTEMS: readonly (readonly [string, ForeignTraits])[] = [
  ['macOS', { hasInodes: true, isWindows: false, hasLinks: true, foldsNames: true }],
  ['a disk without links', { hasInodes: true, isWindows: false, hasLinks: false, foldsNames: true }],
  ['a disk without links and inode numbers', { hasInodes: false, isWindows: false, hasLinks: false, foldsNames: true }],
];
const CODES = ['EPERM', 'EBUSY'] as const;

/** Their scenes are scanned on this machine's disk, which has inode numbers; the unit tests have scenes without. */
const NEED_INODES = ['repair', 'fork'];

/** What fails on Windows while another process holds the file. */
const moves = ({ name }: FsCall): boolean => /^(rename|link|unlink|rmdir)$/.test(name);

async function runOn(traits: ForeignTraits, stage: Stage, prepare: (fs: FaultyFs) => void = () => undefined) {
  await stage.reset();
  const fs = new FaultyFs(new ForeignFs(traits));
  prepare(fs);
  const ending = await stage.run(fs);
  assert.equal(fs.openFiles, 0);
  return { fs, ending };
}

async function assertHolds(operation: Operation, stage: Stage, traits: ForeignTraits, code: string): Promise<number> {
  const { fs, ending } = await runOn(traits, stage);
  assert.equal(ending, 'done');
  assert.deepEqual((await stage.differences()).after, []);
  const calls = fs.calls.filter(moves);
  for (const call of calls) {
    const failing = await runOn(traits, stage, (disk) => {
      disk.faultOf = ({ index }) => (index === call.index ? { kind: 'fails', code } : null);
    });
    countsOf(operation.name).faults += failing.fs.hit.length;
    const at = `${code}: ${where(call)}`;
    assertNothingLost(operation, stage, at);
    await settle(operation, stage, stage.next[call.index % stage.next.length] ?? stage.next[0], at);
  }
  return calls.length;
}

for (const [system, traits] of SYSTEMS) {
  describe(`On ${system}`, () => {
    const operations = ALL_OPERATIONS.filter(({ stride, name }) => {
      return stride === 1 && (traits.hasInodes || !NEED_INODES.includes(name));
    });
    for (const operation of operations) {
      it(`${operation.name}${operation.where} is done, and loses nothing while another process holds a file`, () =>
        operation.open(null, async (stage) => {
          for (const code of CODES) assert.ok((await assertHolds(operation, stage, traits, code)) > 0);
        }));
    }
  });
}
