import assert from 'node:assert/strict';
import type { RewindOutcome } from '../../../../src/protocol/history';
import { readTree, treeDifferences } from '../../../rewind/support/fileTree';
import { HOME } from '../../../rewind/support/place';
import { type Fault, FaultyFs, type FsCall } from '../../storage/faultyFs';
import { type FaultScene, makeFaultScene } from './faultScene';
import { ageLock, litterIn, missingFrom, requestOf, rewindsWith, safetyFolders, withPlace } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

export interface Operation {
  readonly name: 'a rewind' | 'an undo';
  readonly reset: (scene: FaultScene) => void;
  readonly run: (scene: FaultScene, fs: FaultyFs) => Promise<RewindOutcome>;
  /** The project before the operation, and after it. */
  readonly from: 'before' | 'after';
}

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'a rewind',
    reset: (scene) => {
      scene.reset();
    },
    run: ({ place, promptUuid }, fs) => rewindsWith(place, fs).rewind(requestOf(place, promptUuid)),
    from: 'before',
  },
  {
    name: 'an undo',
    reset: (scene) => {
      scene.resetToRewound();
    },
    run: ({ place }, fs) => rewindsWith(place, fs).undoRewind(sessionRefOf(place.filePath)),
    from: 'after',
  },
];

/** A fault for one call, or for it and all later calls. */
export interface InjectedFault {
  readonly label: string;
  readonly fault: Fault;
  readonly isLasting: boolean;
}

export const FAULTS: readonly InjectedFault[] = [
  { label: 'fails with EIO', fault: { kind: 'fails', code: 'EIO' }, isLasting: false },
  { label: 'takes effect but returns EIO', fault: { kind: 'failsAfterwards', code: 'EIO' }, isLasting: false },
  { label: 'fails with ENOSPC', fault: { kind: 'fails', code: 'ENOSPC' }, isLasting: false },
  { label: 'fails with EIO, and all later ones do', fault: { kind: 'fails', code: 'EIO' }, isLasting: true },
  { label: 'fails with EMFILE', fault: { kind: 'fails', code: 'EMFILE' }, isLasting: false },
  { label: 'does only half', fault: { kind: 'short' }, isLasting: false },
];

/** When a call fails, an operation is done completely or not at all, and can be undone. */
export async function assertSurvives(
  operation: Operation,
  scene: FaultScene,
  call: FsCall,
  { fault, isLasting }: InjectedFault,
): Promise<void> {
  operation.reset(scene);
  const fs = new FaultyFs();
  fs.faultOf = ({ index }) => (index === call.index || (isLasting && index > call.index) ? fault : null);
  const outcome = await operation.run(scene, fs);
  await fs.closeAll();
  await assertAllOrNothing(operation, scene, outcome, where(call), isLasting);
}

/** Another process reverts the changes of a process that died at a call. */
export async function assertSurvivesDeath(
  operation: Operation,
  scene: FaultScene,
  call: FsCall,
  when: 'before' | 'after',
): Promise<void> {
  operation.reset(scene);
  await dieAt(operation, scene, call, when);
  assertSafetyIsWhole(scene, where(call));
  await assertUndoGivesBack(scene, where(call));
}

/** The next rewind first reverts the changes of a process that died at a call. */
export async function assertGoesOnAfterDeath(operation: Operation, scene: FaultScene, call: FsCall): Promise<void> {
  operation.reset(scene);
  await dieAt(operation, scene, call, 'after');
  const { place, promptUuid } = scene;
  const outcome = await rewindsWith(place, new FaultyFs()).rewind(requestOf(place, promptUuid));
  assert.equal(outcome.reason, null, `${where(call)}: ${outcome.result.error ?? ''}`);
  assertTree(scene, 'after', where(call));
}

export async function withScene(use: (scene: FaultScene) => Promise<void>): Promise<void> {
  await withPlace(async (place) => use(await makeFaultScene(place)));
}

/** The calls of an operation without faults. */
export async function callsOf(operation: Operation, scene: FaultScene): Promise<readonly FsCall[]> {
  operation.reset(scene);
  const fs = new FaultyFs();
  const outcome = await operation.run(scene, fs);
  assert.equal(outcome.reason, null);
  assert.equal(fs.openFiles, 0);
  assertTree(scene, operation.from === 'before' ? 'after' : 'before', 'without a fault');
  return fs.calls;
}

async function dieAt(operation: Operation, scene: FaultScene, call: FsCall, when: 'before' | 'after'): Promise<void> {
  const fs = new FaultyFs();
  fs.faultOf = ({ index }) => (index === call.index ? { kind: 'dies', when } : null);
  await Promise.race([operation.run(scene, fs), fs.died]);
  await fs.closeAll();
  ageLock(scene.place);
}

async function assertAllOrNothing(
  { from }: Operation,
  scene: FaultScene,
  outcome: RewindOutcome,
  at: string,
  isLasting: boolean,
): Promise<void> {
  ageLock(scene.place);
  assertSafetyIsWhole(scene, at);
  if (outcome.reason === null) assertTree(scene, from === 'before' ? 'after' : 'before', at, !isLasting);
  else {
    assert.match(outcome.result.error ?? '', /^[A-Z“][^\n]*\.$/, at);
    if (outcome.reason === 'half-done') assert.ok(isLasting, `${at}: half done`);
    else if (!isLasting) assertTree(scene, from, at);
  }
  if (!isLasting) assert.deepEqual(litterIn(scene.place.root), [], at);
  await assertUndoGivesBack(scene, at);
}

/** Once the disk works again, one undo restores the tree from before the rewind, with modes and times. */
async function assertUndoGivesBack(scene: FaultScene, at: string): Promise<void> {
  const { place } = scene;
  const outcome = await rewindsWith(place, new FaultyFs()).undoRewind(sessionRefOf(place.filePath));
  assert.ok(outcome.reason === null || outcome.reason === 'nothing-to-undo', `${at}: ${outcome.result.error ?? ''}`);
  assert.deepEqual(treeDifferences(scene.before, readTree(place.root, [HOME]), true), [], at);
  assert.deepEqual(litterIn(place.root), [], at);
}

/** `withFolders`: a folder that cannot be removed may stay. */
function assertTree(scene: FaultScene, which: 'before' | 'after', at: string, withFolders = true): void {
  const found = readTree(scene.place.root, [HOME]);
  assert.deepEqual(treeDifferences(scene[which], found, which === 'before'), [], at);
  if (withFolders) assert.deepEqual([...found.keys()], [...scene[which].keys()], at);
}

function assertSafetyIsWhole({ place }: FaultScene, at: string): void {
  assert.deepEqual(safetyFolders(place).flatMap(missingFrom), [], at);
}

function where({ index, name, path }: FsCall): string {
  return `${index}: ${name} ${path}`;
}
