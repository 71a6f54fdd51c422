import assert from 'node:assert/strict';
import { FaultyFs, type FsCall } from '../../unit/storage/faultyFs';
import { missingPieces } from './contents';
import type { InjectedFault, NextCommand, Operation, Stage } from './operation';
import { countsOf } from './tally';

/** Names an operation in counts and messages. */
type Named = Pick<Operation, 'name' | 'where'>;

/** The calls of an operation without faults, after which everything is as it is meant to be. */
export async function recordCalls(operation: Operation, stage: Stage): Promise<readonly FsCall[]> {
  await stage.reset();
  const fs = new FaultyFs();
  assert.equal(await stage.run(fs), 'done');
  assert.equal(fs.openFiles, 0);
  assert.deepEqual((await stage.differences()).after, []);
  assertNothingLost(operation, stage, 'without a fault');
  assert.deepEqual(await stage.debris(), []);
  const counts = countsOf(operation.name);
  counts.calls = Math.max(counts.calls, fs.calls.length);
  return fs.calls;
}

/** Whether the fault had an effect. What holds then is checked in any case. */
export async function tryFault(
  operation: Operation,
  stage: Stage,
  call: FsCall,
  fault: InjectedFault,
): Promise<boolean> {
  await stage.reset();
  const fs = new FaultyFs();
  fs.faultOf = ({ index }) => (index >= call.index && index < call.index + fault.calls ? fault.fault : null);
  const ending = await stage.run(fs);
  const at = `${fault.label}: ${where(call)}`;
  assert.equal(fs.openFiles, 0, `${at}: a file was left open`);
  const isHit = fs.hit.length > 0;
  if (isHit) countsOf(operation.name).faults += 1;
  assertNothingLost(operation, stage, at);
  await stage.assertEnded(ending, { call, fault });
  await settle(operation, stage, nextFor(stage, call), at);
  return isHit;
}

/** Whether the process died. The next command then finds what it left. */
export async function tryDeath(
  operation: Operation,
  stage: Stage,
  call: FsCall,
  when: 'before' | 'after',
): Promise<boolean> {
  await stage.reset();
  const at = `dies ${when} ${where(call)}`;
  const hasDied = await dieAt(call.index, when, (fs) => stage.run(fs));
  if (hasDied) countsOf(operation.name).kills += 1;
  assertNothingLost(operation, stage, at);
  await settle(operation, stage, nextFor(stage, call), at);
  return hasDied;
}

/** False if the work was over before. */
export async function dieAt(
  index: number,
  when: 'before' | 'after',
  work: (fs: FaultyFs) => Promise<unknown>,
  prepare: (fs: FaultyFs) => void = () => undefined,
): Promise<boolean> {
  const fs = new FaultyFs();
  prepare(fs);
  const { faultOf } = fs;
  fs.faultOf = (call) => (call.index === index ? { kind: 'dies', when } : faultOf(call));
  const end = await Promise.race([work(fs), fs.died]);
  await fs.closeAll();
  return end === 'died';
}

/** In turn, so that each of them follows on a failure of each kind of call. */
function nextFor({ next }: Stage, { index }: FsCall): NextCommand {
  return next[index % next.length] ?? next[0];
}

/** The next command, on a disk that works. After it, the files are all as they were or all as they are meant to be. */
export async function settle(operation: Named, stage: Stage, next: NextCommand, after: string): Promise<void> {
  const at = `${operation.name}${operation.where}, ${after}, then ${next.name}`;
  stage.age();
  const fs = new FaultyFs();
  await next.run(fs);
  assert.equal(fs.openFiles, 0, `${at}: a file was left open`);
  assertNothingLost(operation, stage, at);
  await assertNotMixed(operation, stage, next, at);
  await assertNoDebris(operation, stage, at);
}

export function assertNothingLost(operation: Named, stage: Stage, at: string): void {
  const pieces = stage.pieces();
  const lost = missingPieces(pieces, stage.holders());
  const bytesOf = (some: typeof pieces): number => some.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const counts = countsOf(operation.name);
  counts.checkedBytes += bytesOf(pieces);
  counts.lostBytes += bytesOf(lost);
  assert.deepEqual(
    lost.map(({ name }) => name),
    [],
    `${at}: lost`,
  );
}

async function assertNotMixed(operation: Named, stage: Stage, { leadsTo }: NextCommand, at: string): Promise<void> {
  const { before, after } = await stage.differences();
  const isWhole = before.length === 0 || after.length === 0;
  if (!isWhole) countsOf(operation.name).mixed += 1;
  assert.ok(isWhole, `${at}: mixed\n${[...before, '', ...after].join('\n')}`);
  if (leadsTo !== null) assert.deepEqual({ before, after }[leadsTo], [], at);
}

async function assertNoDebris(operation: Named, stage: Stage, at: string): Promise<void> {
  const debris = await stage.debris();
  countsOf(operation.name).debris += debris.length;
  assert.deepEqual(debris, [], `${at}: debris`);
}

export function where({ index, name, path }: FsCall): string {
  return `${index}: ${name} ${path}`;
}
