import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RewindOutcome } from '../../../src/protocol/history';
import { type FileTree, readTree, treeDifferences } from '../../rewind/support/fileTree';
import { HOME, type Place } from '../../rewind/support/place';
import { sessionRefOf } from '../../rooms/format';
import {
  ageLock,
  litterIn,
  missingFrom,
  requestOf,
  rewindsWith,
  safetyFolders,
  withPlace,
} from '../../unit/history/rewind/rewindFixture';
import type { FaultyFs, FsCall } from '../../unit/storage/faultyFs';
import { filesBelow, type Piece } from '../support/contents';
import type { Differences, Ending, InjectedFault, NextCommand, Operation, Stage } from '../support/operation';
import { where } from '../support/matrix';
import { makeRewindScene, randomFiles, type RewindScene } from './rewindScene';

/** The project from which an operation starts. */
type From = 'before' | 'after';

/** A rewind, and its undo. */
export const REWIND_OPERATIONS: readonly Operation[] = (['before', 'after'] as const).map((from) => ({
  name: from === 'before' ? 'rewind' : 'undo of a rewind',
  where: '',
  isSlow: true,
  stride: 1,
  open: (random, use) =>
    withPlace(async (place) => {
      const files = random === null ? undefined : randomFiles(random);
      await use(new RewindStage(from, await makeRewindScene(place, files)));
    }),
}));

export class RewindStage implements Stage {
  readonly next: readonly [NextCommand, ...NextCommand[]];
  #outcome: RewindOutcome | null = null;

  constructor(
    private readonly from: From,
    private readonly scene: RewindScene,
  ) {
    const [undo, rewind]: NextCommand[] = [
      { name: 'an undo', leadsTo: this.#meaning('before'), run: (fs) => this.#undoNext(fs) },
      { name: 'a rewind', leadsTo: this.#meaning('after'), run: (fs) => this.#rewindNext(fs) },
    ];
    assert.ok(undo !== undefined && rewind !== undefined);
    this.next = [undo, rewind];
  }

  /** What the project of a scene is for this operation: an undo leads from “after” to “before”. */
  #meaning(which: From): 'before' | 'after' {
    return (which === 'before') === (this.from === 'before') ? 'before' : 'after';
  }

  reset(): void {
    if (this.from === 'before') this.scene.reset();
    else this.scene.resetToRewound();
  }

  async run(fs: FaultyFs): Promise<Ending> {
    const { place } = this.scene;
    this.#outcome =
      this.from === 'before'
        ? await this.#rewind(fs)
        : await rewindsWith(place, fs).undoRewind(sessionRefOf(place.filePath));
    return this.#outcome.reason === null ? 'done' : 'refused';
  }

  pieces(): readonly Piece[] {
    return [...this.scene[this.from]].flatMap(([name, file]) =>
      file === null ? [] : [{ name, bytes: file.bytes, unit: 'file' }],
    );
  }

  holders(): readonly string[] {
    const { root, cwd, configDir } = this.scene.place;
    // The next command drops what was only about to come to its path.
    const kept = filesBelow(cwd).filter((path) => !/^\.rethread-.*\.(tmp|back)$/.test(basename(path)));
    assert.ok(cwd.startsWith(root));
    return [...kept, ...filesBelow(join(configDir, 'rethread', 'rewinds'))];
  }

  differences(): Differences {
    const found = readTree(this.scene.place.root, [HOME]);
    const [from, to] = [this.#differencesOf('before', found), this.#differencesOf('after', found)];
    return this.from === 'before' ? { before: from, after: to } : { before: to, after: from };
  }

  /** A rewind gives files the times of the moment; its undo gives them back those that they had. */
  #differencesOf(which: From, found: FileTree): readonly string[] {
    return treeDifferences(this.scene[which], found, which === 'before');
  }

  assertEnded(ending: Ending, { call, fault }: { readonly call: FsCall; readonly fault: InjectedFault }): void {
    const { place } = this.scene;
    const at = `${fault.label}: ${where(call)}`;
    const isLasting = fault.calls > 1;
    this.age();
    this.#assertSafetyIsWhole(at);
    const [before, after] = [this.from, this.from === 'before' ? 'after' : 'before'] as const;
    if (ending === 'done') this.#assertTree(after, at, !isLasting);
    else {
      assert.match(this.#outcome?.result.error ?? '', /^[A-Z“][^\n]*\.$/, at);
      if (this.#outcome?.reason === 'half-done') assert.ok(isLasting, `${at}: half done`);
      else if (!isLasting) this.#assertTree(before, at, true);
    }
    if (!isLasting) assert.deepEqual(litterIn(place.root), [], at);
  }

  age(): void {
    ageLock(this.scene.place);
  }

  debris(): Promise<readonly string[]> {
    const { place } = this.scene;
    return Promise.resolve([...litterIn(place.root), ...recordDebris(place)]);
  }

  async #undoNext(fs: FaultyFs): Promise<void> {
    this.#assertSafetyIsWhole('before the undo');
    const { place } = this.scene;
    const outcome = await rewindsWith(place, fs).undoRewind(sessionRefOf(place.filePath));
    assert.ok(outcome.reason === null || outcome.reason === 'nothing-to-undo', outcome.result.error ?? '');
  }

  async #rewindNext(fs: FaultyFs): Promise<void> {
    this.#assertSafetyIsWhole('before the rewind');
    const outcome = await this.#rewind(fs);
    assert.equal(outcome.reason, null, outcome.result.error ?? '');
  }

  #rewind(fs: FaultyFs): Promise<RewindOutcome> {
    const { place, promptUuid } = this.scene;
    return rewindsWith(place, fs).rewind(requestOf(place, promptUuid));
  }

  /** `withFolders`: otherwise, a folder that could not be removed may stay. */
  #assertTree(which: From, at: string, withFolders: boolean): void {
    const found = readTree(this.scene.place.root, [HOME]);
    assert.deepEqual(this.#differencesOf(which, found), [], at);
    if (withFolders) assert.deepEqual([...found.keys()], [...this.scene[which].keys()], at);
  }

  #assertSafetyIsWhole(at: string): void {
    assert.deepEqual(safetyFolders(this.scene.place).flatMap(missingFrom), [], at);
  }
}

/** What is left of transactions: unfinished files, snapshots of none, and the lock. */
function recordDebris(place: Place): readonly string[] {
  const folder = join(place.configDir, 'rethread');
  const locks = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.lock')) : [];
  const unfinished = filesBelow(join(folder, 'rewinds')).filter((path) => path.endsWith('.tmp'));
  const without = safetyFolders(place).filter(
    (path) => !['done', 'undone'].some((mark) => existsSync(join(path, mark))),
  );
  return [...locks, ...unfinished, ...without];
}
