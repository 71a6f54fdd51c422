import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore, type StoredState } from '../../../rooms/history';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { type Fault, FaultyFs } from '../../storage/faultyFs';
import { bodiesOf, callOf, storeParts } from './storeFixture';

export const FAULTS: readonly Fault[] = [
  { kind: 'fails', code: 'EIO' },
  { kind: 'fails', code: 'ENOSPC' },
  { kind: 'failsAfterwards', code: 'EIO' },
  { kind: 'short' },
  { kind: 'dies', when: 'before' },
  { kind: 'dies', when: 'after' },
];

/** What the store reported as stored. */
interface Reported {
  readonly bodies: unknown[];
  readonly states: { readonly content: string; readonly state: StoredState }[];
  isForked: boolean;
}

/** The life of a session. It continues without the steps that are reported as failed. */
async function live(folder: string, fs: FaultyFs, reported: Reported): Promise<void> {
  const store = new SessionStore(storeParts(join(folder, 'config'), fs, 'life'));
  const attempt = <T>(step: Promise<T>): Promise<T | null> => step.catch(() => null);
  const session =
    (await attempt(store.create({ id: 'one', cwd: folder }))) ?? (await attempt(store.open('one', folder)));
  if (session === null) return;
  for (let at = 0; at < 3; at++) {
    const content = `content ${at % 2}`;
    writeFileSync(join(folder, 'a.txt'), content);
    const kept = await attempt(session.checkpoint(callOf(), [join(folder, 'a.txt')]));
    for (const { state } of kept?.files ?? []) reported.states.push({ content, state });
    const message = await attempt(session.append({ at }, `m${at}`));
    if (message !== null) reported.bodies.push(message.body);
  }
  reported.isForked = (await attempt(store.fork('one', { id: 'two' }))) !== null;
  await attempt(store.delete('three'));
}

async function checkAfter(folder: string, reported: Reported, label: string): Promise<void> {
  const store = new SessionStore(storeParts(join(folder, 'config'), undefined, 'after'));
  const ids = new Set((await store.list()).map(({ id }) => id));
  if (reported.bodies.length > 0) assert.ok(ids.has('one'), label);
  if (reported.isForked) assert.ok(ids.has('two'), label);
  for (const id of ids) {
    const { messages, torn } = await store.load(id);
    const loaded = bodiesOf(messages).map((body) => JSON.stringify(body));
    for (const body of reported.bodies) assert.ok(id === 'two' || loaded.includes(JSON.stringify(body)), label);
    // In order, each at most once, except one whose answer was lost.
    assert.deepEqual(loaded, [...loaded].sort(), label);
    assert.ok(torn <= 1, label);
    for (const { files } of await store.checkpoints(id)) {
      for (const { state } of files) {
        if (state.kind !== 'file') continue;
        const kept = readFileSync(join(folder, 'config/rethread/checkpoints/sessions', id, 'files', state.sha256));
        assert.equal(createHash('sha256').update(kept).digest('hex'), state.sha256, label);
      }
    }
    const session = await store.open(id, folder);
    await session.append({ at: 'next' });
    assert.deepEqual(bodiesOf((await store.load(id)).messages).at(-1), { at: 'next' }, label);
    const again = await session.checkpoint(callOf(), [join(folder, 'a.txt')]);
    assert.equal(again?.files[0]?.state.kind, 'file', label);
  }
  for (const { content, state } of reported.states) {
    if (state.kind === 'file') assert.equal(state.sha256, createHash('sha256').update(content).digest('hex'), label);
    else assert.equal(state.kind, 'notKept', `${label}: a file that is there was called absent`);
  }
  await store.delete('one');
  await store.delete('two');
  assert.deepEqual(await store.list(), [], label);
  assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8').startsWith('content'), true, label);
}

export function faultName(fault: Fault): string {
  if ('when' in fault) return `the process dies ${fault.when} it`;
  return 'code' in fault ? `${fault.kind} with ${fault.code}` : fault.kind;
}

/**
 * Injects the fault at each chosen call of a session's life, one life each, and checks the result. Returns the count.
 */
export async function runFaults(fault: Fault, isChosen: (index: number) => boolean): Promise<number> {
  const whole = new FaultyFs();
  await withTemporaryFolder((folder) => live(folder, whole, nothingTold()));
  const chosen = whole.calls.filter(({ index }) => isChosen(index));
  for (const { index } of chosen) {
    await withTemporaryFolder(async (folder) => {
      const fs = new FaultyFs();
      fs.faultOf = (call) => (call.index === index ? fault : null);
      const reported = nothingTold();
      const ended = await Promise.race([live(folder, fs, reported), fs.died]);
      const call = fs.calls[index];
      const label = `${faultName(fault)} at ${index}: ${call?.name ?? ''} ${call?.path ?? ''}`;
      if (ended === 'died') await fs.closeAll();
      else assert.equal(fs.openFiles, 0, `${label}: a descriptor stays open`);
      writeFileSync(join(folder, 'a.txt'), 'content now');
      await checkAfter(folder, reported, label);
    });
  }
  return chosen.length;
}

function nothingTold(): Reported {
  return { bodies: [], states: [], isForked: false };
}
