import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore, type StoreDeps, type StoredState } from '../../rooms/history';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { bodiesOf, callOf, storeParts } from '../../unit/history/sessionStore/storeFixture';
import type { FaultyFs } from '../../unit/storage/faultyFs';
import type { Piece } from '../support/contents';
import type { Differences, Ending, NextCommand, Operation, Stage } from '../support/operation';
import { storeDebris } from './hook';
import { emptyFolder } from './transcripts';

/** The store of Rethread's own sessions, which no face uses; the hook keeps its checkpoints in the same folders. */
export const SESSION_STORE: Operation = {
  name: 'session store (parked)',
  where: '',
  isSlow: true,
  stride: 5,
  open: (random, use) => withTemporaryFolder((folder) => use(new StoreStage(folder, random === null ? 1 : Infinity))),
};

/** What the store reported as stored. */
interface Reported {
  readonly bodies: unknown[];
  readonly states: { readonly content: string; readonly state: StoredState }[];
  isForked: boolean;
}

/** Two hours later, when what is unfinished is not being written any more. */
const LATER_MS = 7_200_000;

class StoreStage implements Stage {
  readonly next: readonly [NextCommand] = [
    { name: 'further use and the deletion of all sessions', leadsTo: 'after', run: (fs) => this.#useFurther(fs) },
  ];
  #reported: Reported = nothingReported();
  #work = '';
  #isDeleting = false;

  /** @param maxTorn rows that one writer may have left unfinished */
  constructor(
    private readonly folder: string,
    private readonly maxTorn: number,
  ) {}

  reset(): void {
    emptyFolder(this.folder);
    this.#reported = nothingReported();
    this.#isDeleting = false;
    this.#write('content now');
  }

  /** The life of a session. It continues without the steps that are reported as failed. */
  async run(fs: FaultyFs): Promise<Ending> {
    const { folder } = this;
    const reported = this.#reported;
    const store = new SessionStore(storeParts(this.#configDir, fs, 'life'));
    const attempt = <T>(step: Promise<T>): Promise<T | null> => step.catch(() => null);
    const session =
      (await attempt(store.create({ id: 'one', cwd: folder }))) ?? (await attempt(store.open('one', folder)));
    if (session === null) return 'refused';
    for (let at = 0; at < 3; at++) {
      const content = `content ${at % 2}`;
      this.#write(content);
      const kept = await attempt(session.checkpoint(callOf(), [this.#path]));
      for (const { state } of kept?.files ?? []) reported.states.push({ content, state });
      const message = await attempt(session.append({ at }, `m${at}`));
      if (message !== null) reported.bodies.push(message.body);
    }
    reported.isForked = (await attempt(store.fork('one', { id: 'two' }))) !== null;
    await attempt(store.delete('three'));
    return 'done';
  }

  pieces(): readonly Piece[] {
    return [{ name: 'the file', bytes: Buffer.from(this.#work), unit: 'file' }];
  }

  holders(): readonly string[] {
    return [this.#path];
  }

  async differences(): Promise<Differences> {
    const ids = (await this.#later().list()).map(({ id }) => id);
    const isDeleted = ids.length === 0;
    // Further use ends with the deletion, and the life itself does not.
    return { before: [], after: isDeleted || this.#reported.isForked ? [] : ids };
  }

  assertEnded(): void {
    for (const { content, state } of this.#reported.states) {
      if (state.kind === 'file') assert.equal(state.sha256, createHash('sha256').update(content).digest('hex'));
      else assert.equal(state.kind, 'notKept', 'a file that is there was called absent');
    }
  }

  age(): void {
    this.#write('content now');
  }

  debris(): Promise<readonly string[]> {
    return Promise.resolve(storeDebris(this.#configDir));
  }

  get #configDir(): string {
    return join(this.folder, 'config');
  }

  get #path(): string {
    return join(this.folder, 'a.txt');
  }

  #write(content: string): void {
    writeFileSync(this.#path, content);
    this.#work = content;
  }

  #later(fs?: FaultyFs): SessionStore {
    const parts: StoreDeps = storeParts(this.#configDir, fs, 'after');
    // Names of a process that died are not given again.
    return new SessionStore({ ...parts, random: randomUUID, now: () => Date.now() + LATER_MS });
  }

  async #useFurther(fs: FaultyFs): Promise<void> {
    const store = this.#later(fs);
    const reported = this.#reported;
    const ids = new Set((await store.list()).map(({ id }) => id));
    if (!this.#isDeleting) {
      if (reported.bodies.length > 0) assert.ok(ids.has('one'));
      if (reported.isForked) assert.ok(ids.has('two'));
    }
    for (const id of ids) {
      const { messages, torn } = await store.load(id);
      const loaded = bodiesOf(messages).map((body) => JSON.stringify(body));
      for (const body of reported.bodies) assert.ok(id === 'two' || loaded.includes(JSON.stringify(body)));
      // In order, each at most once, except one whose answer was lost.
      const lived = loaded.filter((body) => !body.includes('next'));
      assert.deepEqual(lived, [...lived].sort());
      assert.ok(torn <= this.maxTorn);
      for (const { files } of await store.checkpoints(id)) {
        for (const { state } of files) {
          if (state.kind !== 'file') continue;
          const kept = readFileSync(join(this.#configDir, 'rethread/checkpoints/sessions', id, 'files', state.sha256));
          assert.equal(createHash('sha256').update(kept).digest('hex'), state.sha256);
        }
      }
      const session = await store.open(id, this.folder);
      await session.append({ at: 'next' });
      assert.deepEqual(bodiesOf((await store.load(id)).messages).at(-1), { at: 'next' });
      const again = await session.checkpoint(callOf(), [this.#path]);
      assert.equal(again?.files[0]?.state.kind, 'file');
    }
    this.#isDeleting = true;
    await store.delete('one');
    await store.delete('two');
    assert.deepEqual(await store.list(), []);
  }
}

function nothingReported(): Reported {
  return { bodies: [], states: [], isForked: false };
}
