import assert from 'node:assert/strict';
import { existsSync, linkSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { keptOriginalPath, unfinishedPath } from '../../rooms/storage';
import type { Random } from '../../support/random';
import type { FaultyFs } from '../../unit/storage/faultyFs';
import {
  ageLock,
  namesBeside,
  row,
  type TranscriptFixture,
  withTranscriptFile,
} from '../../unit/storage/transcriptFixture';
import type { Piece } from '../support/contents';
import type { Differences, Ending, InjectedFault, NextCommand, Operation, Stage } from '../support/operation';
import { leaveSome } from './leftovers';
import { clearAll, emptyFolder, originalOf, transcriptDebris, transcriptHolders } from './transcripts';

const LATE_ROWS = row(8, null, 'Too late.') + row(9, null, 'Later still.');

/** The replaced transcript under its second name, with rows that came too late. */
function leaveReplaced(fixture: TranscriptFixture, late: string): string {
  const { filePath, original, repaired } = fixture;
  const keptPath = (mtimeNs: bigint): string =>
    keptOriginalPath(filePath, 'kept', { size: original.length, mtimeNs, replacedBySize: repaired.length });
  const first = keptPath(0n);
  writeFileSync(first, original);
  const kept = keptPath(statSync(first, { bigint: true }).mtimeNs);
  renameSync(first, kept);
  writeFileSync(kept, late, { flag: 'a' });
  return kept;
}

/** The clearing of what killed repairs have left. */
export const JANITOR_OPERATIONS: readonly Operation[] = ([false, true] as const).map((isSetAside) => ({
  name: 'janitor',
  where: isSetAside ? ' that finds a transcript set aside' : '',
  isSlow: false,
  stride: 1,
  open: (random, use) =>
    withTranscriptFile((fixture) => use(new JanitorStage(fixture, isSetAside, random)), originalOf(random)),
}));

export class JanitorStage implements Stage {
  readonly next: readonly [NextCommand] = [
    {
      name: 'a cleaning',
      leadsTo: 'after',
      run: async (fs) => {
        assert.ok(await clearAll(this.fixture, fs));
      },
    },
  ];
  #late = LATE_ROWS;

  constructor(
    private readonly fixture: TranscriptFixture,
    private readonly isSetAside: boolean,
    private readonly random: Random | null,
  ) {}

  reset(): void {
    const { fixture, random, isSetAside } = this;
    emptyFolder(fixture.folder);
    leaveSome(fixture, random);
    this.#late = random?.chance(0.3) === true ? '' : LATE_ROWS;
    const kept = leaveReplaced(fixture, isSetAside ? '' : this.#late);
    if (isSetAside) {
      // The repaired file was complete, but had not come to the free path.
      writeFileSync(unfinishedPath(fixture.filePath, 'kept'), fixture.repaired);
      this.#late = '';
      return;
    }
    writeFileSync(fixture.filePath, fixture.repaired);
    // Another name of the transcript, from which it was not taken away.
    const { size, mtimeNs } = statSync(fixture.filePath, { bigint: true });
    linkSync(
      fixture.filePath,
      keptOriginalPath(fixture.filePath, 'same', { size: Number(size), mtimeNs, replacedBySize: 1 }),
    );
    assert.ok(existsSync(kept));
  }

  async run(fs: FaultyFs): Promise<Ending> {
    return (await clearAll(this.fixture, fs)) ? 'done' : 'refused';
  }

  pieces(): readonly Piece[] {
    const { fixture, isSetAside } = this;
    const late: Piece = { name: 'late rows', bytes: Buffer.from(this.#late), unit: 'line' };
    const rows = this.#late.split(/(?<=\n)/).map((text): Piece => ({ ...late, bytes: Buffer.from(text) }));
    return [
      { name: 'the transcript', bytes: isSetAside ? fixture.original : fixture.repaired, unit: 'start' },
      ...(this.#late === '' ? [] : rows),
    ];
  }

  holders(): readonly string[] {
    return transcriptHolders(this.fixture);
  }

  differences(): Differences {
    const { fixture, isSetAside } = this;
    const text = existsSync(fixture.filePath) ? readFileSync(fixture.filePath, 'utf8') : null;
    const [before, after] = isSetAside
      ? [null, fixture.original.toString()]
      : [fixture.repaired.toString(), fixture.repaired.toString() + this.#late];
    const compare = (meant: string | null): readonly string[] => (text === meant ? [] : [String(text).slice(-2000)]);
    return { before: compare(before), after: compare(after) };
  }

  /** A cleaning may do a part; nothing else than its leftovers is there, and what is left is found again. */
  assertEnded(_ending: Ending, { fault }: { readonly fault: InjectedFault }): void {
    const { before, after } = this.differences();
    const isWhole = before.length === 0 || after.length === 0;
    // Half of the late rows may have come: the next cleaning adds the rest.
    if (!isWhole) assert.ok(!this.isSetAside && this.#late !== '', fault.label);
    assert.deepEqual(
      namesBeside(this.fixture).filter((name) => !/\.rethread-|\.backup-[567]$|\.lock$/.test(name)),
      [],
    );
  }

  age(): void {
    ageLock(this.fixture);
  }

  debris(): Promise<readonly string[]> {
    return transcriptDebris(this.fixture);
  }
}
