import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clearDebris, nodeWriteFs, transcriptsWithDebris } from '../../rooms/storage';
import type { Random } from '../../support/random';
import { type FaultyFs, type FsCall } from '../../unit/storage/faultyFs';
import { backupOf, type Operation as Change, OPERATIONS, textOf, wholeText } from '../../unit/storage/operations';
import {
  ageLock,
  depsOn,
  GOOD_PARENT,
  LOST_PARENT,
  MODE,
  mtimeNs,
  namesBeside,
  ORIGINAL,
  row,
  type TranscriptFixture,
  withTranscriptFile,
  writeAged,
} from '../../unit/storage/transcriptFixture';
import { linesOf, type Piece } from '../support/contents';
import type { Differences, Ending, InjectedFault, NextCommand, Operation, Stage } from '../support/operation';
import { leaveSome } from './leftovers';

/** Written by a client at a moment that no test can foresee. */
export const LATE_ROW = row(9, null, 'Written at the wrong moment.');
/** Other people's files, which look a little like ours. */
const OTHERS = ['.other.jsonl.rethread-token.tmp', 'other.jsonl.backup-12', '.rethread-x.tmp', 'notes.txt'];
const BACKUP = /\.jsonl\.backup-\d+$/;
const MAX_ROWS = 400;

const NOT_LIVE = (): Promise<void> => Promise.resolve();

/** The repair of a transcript, and its undo. */
export const TRANSCRIPT_OPERATIONS: readonly Operation[] = OPERATIONS.map((change) => ({
  name: change.name === 'rewriteTranscript' ? 'repair' : 'undo of a repair',
  where: '',
  isSlow: false,
  stride: 1,
  open: (random, use) =>
    withTranscriptFile((fixture) => use(new TranscriptStage(change, fixture, random)), originalOf(random)),
}));

/** Some hundred rows of different lengths, some of which have lost their parents. */
export function originalOf(random: Random | null): Buffer {
  if (random === null) return ORIGINAL;
  const parents = [LOST_PARENT, GOOD_PARENT, null] as const;
  const rows = Array.from({ length: 4 + random.below(MAX_ROWS) }, (_, at) =>
    row(at + 1, random.pick(parents), `Prompt ${at}: ${'é'.repeat(random.below(random.chance(0.01) ? 300_000 : 200))}`),
  );
  return Buffer.from([...rows, row(8888, LOST_PARENT)].join(''));
}

export class TranscriptStage implements Stage {
  readonly next: readonly [NextCommand, ...NextCommand[]] = [
    { name: 'once more', leadsTo: 'after', run: (fs) => this.#again(fs) },
    { name: 'a cleaning', leadsTo: null, run: (fs) => this.#clean(fs) },
  ];
  readonly #others: readonly string[];
  #mtimeBefore = 0n;
  #isLate = false;

  constructor(
    private readonly change: Change,
    private readonly fixture: TranscriptFixture,
    private readonly random: Random | null,
  ) {
    this.#others = OTHERS.filter(() => random?.chance(0.5) ?? false);
  }

  reset(): void {
    const { fixture, change, random } = this;
    emptyFolder(fixture.folder);
    for (const name of this.#others) writeFileSync(join(fixture.folder, name), name);
    writeAged(fixture.filePath, fixture.original);
    if (random?.chance(0.4) === true) leaveSome(fixture, random);
    change.prepare(fixture);
    this.#mtimeBefore = mtimeNs(fixture.filePath);
    this.#isLate = false;
  }

  async run(fs: FaultyFs): Promise<Ending> {
    const { random, fixture } = this;
    if (random?.chance(0.3) === true) this.#appendAt(random.below(120), fs);
    const outcome = await this.change.run(fixture, fs);
    this.#outcome = outcome;
    return outcome.kind === 'refused' ? 'refused' : 'done';
  }
  #outcome: Awaited<ReturnType<Change['run']>> | null = null;

  /** A client appends a row, if its transcript is there. */
  #appendAt(index: number, fs: FaultyFs): void {
    fs.beforeCall = (call) => {
      if (call.index !== index || this.#isLate || !existsSync(this.fixture.filePath)) return;
      appendFileSync(this.fixture.filePath, LATE_ROW);
      this.#isLate = true;
    };
  }

  pieces(): readonly Piece[] {
    const { fixture, change } = this;
    const before = change.before(fixture);
    const repaired = fixture.repaired.toString();
    const since = before.startsWith(repaired) ? before.slice(repaired.length) : '';
    const rows = [...linesOf(Buffer.from(since)), ...(this.#isLate ? [Buffer.from(LATE_ROW)] : [])];
    return [
      { name: 'the original', bytes: fixture.original, unit: 'start' },
      ...rows.map((bytes): Piece => ({ name: bytes.toString(), bytes, unit: 'line' })),
    ];
  }

  holders(): readonly string[] {
    return transcriptHolders(this.fixture);
  }

  differences(): Differences {
    const { fixture, change } = this;
    if (!existsSync(fixture.filePath)) return { before: ['no transcript'], after: ['no transcript'] };
    const text = textOf(fixture);
    // A late row may come anywhere behind the rows that it followed.
    const found = this.#isLate ? text.replaceAll(LATE_ROW, '') : text;
    const compare = (meant: string): readonly string[] =>
      found === meant ? [] : [`not: ${meant.slice(0, 2000)}`, found.slice(0, 2000)];
    return { before: compare(change.before(fixture)), after: compare(change.after(fixture)) };
  }

  assertEnded(ending: Ending, { call, fault }: { readonly call: FsCall; readonly fault: InjectedFault }): void {
    const { fixture, change } = this;
    const outcome = this.#outcome;
    const at = `${fault.label}: ${call.name} ${call.path} (${call.index})`;
    assert.ok(outcome !== null);
    assertBackupIsWhole(fixture, fault.calls > 1);
    if (fault.calls > 1) {
      assert.equal(wholeText(fixture), ending === 'refused' ? change.before(fixture) : change.after(fixture), at);
      if (!existsSync(fixture.filePath))
        assert.match(outcome.kind === 'refused' ? outcome.problem : '', /\.old \(EIO, \w+\): the next repair/);
      return;
    }
    if (outcome.kind === 'refused') {
      assert.notEqual(fault.fault.kind, 'short', at);
      assert.equal(textOf(fixture), change.before(fixture), at);
      assert.equal(mtimeNs(fixture.filePath), this.#mtimeBefore, at);
      assert.match(outcome.problem, /^[A-Z][^\n]*\.$/);
      for (const name of change.namesBefore(fixture)) assert.ok(namesBeside(fixture).includes(name), at);
      this.#assertNoStrayFiles(change.namesBefore(fixture), call, null);
    } else {
      assert.equal(textOf(fixture), change.after(fixture), at);
      assert.equal(mtimeNs(fixture.filePath) / 1000n, this.#mtimeBefore / 1000n, at);
      for (const name of change.namesAfter(fixture)) assert.ok(namesBeside(fixture).includes(name), at);
      // A file that cannot be removed may stay.
      this.#assertNoStrayFiles([...change.namesBefore(fixture), ...change.namesAfter(fixture)], call, outcome.warning);
    }
  }

  age(): void {
    ageLock(this.fixture);
  }

  async debris(): Promise<readonly string[]> {
    return transcriptDebris(this.fixture, this.#others);
  }

  /** As the provider does it: what is healthy is not repaired, and what is left beside it is cleared. */
  async #again(fs: FaultyFs): Promise<void> {
    const { fixture, change } = this;
    const isHealthy = (): boolean => existsSync(fixture.filePath) && !textOf(fixture).includes(`"${LOST_PARENT}"`);
    if (change !== REPAIR || !isHealthy()) {
      const outcome = await change.run(fixture, fs);
      // Rows that were put back first are scanned again.
      if (outcome.kind === 'refused' && outcome.reason === 'changed-while-repairing') await change.run(fixture, fs);
      else if (outcome.kind === 'refused') assert.equal(outcome.reason, 'no-backup', outcome.problem);
    }
    await this.#clean(fs);
  }

  async #clean(fs: FaultyFs): Promise<void> {
    assert.ok(await clearAll(this.fixture, fs));
  }

  /** Only these files lie beside the transcript, plus a lock whose removal failed and files that the warning names. */
  #assertNoStrayFiles(names: readonly string[], call: FsCall, warning: string | null): void {
    const stray = namesBeside(this.fixture).filter((name) => !names.includes(name) && !this.#others.includes(name));
    const isReported = (name: string): boolean =>
      (name.endsWith('.lock') && call.path.endsWith('.lock')) || (warning?.includes(name) ?? false);
    assert.deepEqual(
      stray.filter((name) => !isReported(name)),
      [],
    );
  }
}

/** The first of them; the other is its undo. */
const REPAIR = OPERATIONS[0] ?? assert.fail();

/** A process that could not clean up may leave an empty file that reserves the backup's name. */
function assertBackupIsWhole(fixture: TranscriptFixture, mayBeClaimed: boolean): void {
  const backup = backupOf(fixture);
  if (!existsSync(backup)) return;
  const stat = statSync(backup);
  if (mayBeClaimed && stat.size === 0) return;
  assert.equal(readFileSync(backup, 'utf8'), fixture.original.toString());
  assert.equal(stat.mode & 0o7777, MODE);
}

/** The transcript, its backups, and the second names that the next repair puts back or that are never removed. */
export function transcriptHolders({
  folder,
  filePath,
}: Pick<TranscriptFixture, 'folder' | 'filePath'>): readonly string[] {
  const own = basename(filePath);
  return readdirSync(folder)
    .filter((name) => name === own || (name.includes(own) && (BACKUP.test(name) || /\.(old|original)$/.test(name))))
    .map((name) => join(folder, name));
}

/** What is neither the transcript, nor a whole backup, nor somebody else's. */
export async function transcriptDebris(
  fixture: Pick<TranscriptFixture, 'folder' | 'filePath'>,
  others: readonly string[] = [],
): Promise<readonly string[]> {
  const { folder, filePath } = fixture;
  const names = readdirSync(folder).filter((name) => {
    const path = join(folder, name);
    const isOwn = path === filePath || others.includes(name);
    return !isOwn && !(BACKUP.test(name) && statSync(path).size > 0) && !name.endsWith('.original');
  });
  const own = basename(filePath);
  return [
    ...names,
    ...(await transcriptsWithDebris(folder, { fs: nodeWriteFs, now: () => Date.now() }, own)).map(
      (name) => `beside ${name}`,
    ),
  ];
}

/** `scan --clean`. */
export async function clearAll(
  { folder, filePath }: Pick<TranscriptFixture, 'folder' | 'filePath'>,
  fs: FaultyFs | typeof nodeWriteFs,
): Promise<boolean> {
  let isClear = true;
  for (const name of await transcriptsWithDebris(folder, { fs, now: () => Date.now() }, basename(filePath))) {
    isClear = (await clearDebris(join(folder, name), NOT_LIVE, depsOn(fs))) === null && isClear;
  }
  return isClear;
}

export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
