import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clearStaleForks, nodeWriteFs, transcriptsOfStaleForks, type WriteFs } from '../../rooms/storage';
import type { ForkOutcome } from '../../../src/protocol/history';
import type { Random } from '../../support/random';
import { call, prompt, reply, result, type RowFields, transcript, uuidOf } from '../../support/transcriptBuilder';
import { type ForkFixture, SOURCE_ID, withForkFixture } from '../../unit/history/fork/forkFixture';
import type { FaultyFs, FsCall } from '../../unit/storage/faultyFs';
import { filesBelow, type Piece } from '../support/contents';
import { where } from '../support/matrix';
import type { Differences, Ending, InjectedFault, NextCommand, Operation, Stage } from '../support/operation';
import { emptyFolder } from './transcripts';

/** A fork, where a file can have several names and where it cannot. */
export const FORK_OPERATIONS: readonly Operation[] = ([true, false] as const).map((hasLinks) => ({
  name: 'fork',
  where: hasLinks ? '' : ', where files have one name only',
  isSlow: false,
  stride: 1,
  open: (random, use) => {
    const backups = random === null ? 2 : random.below(5);
    const rows = transcript(rowsWith(backups, random));
    return withForkFixture(rows, (fixture) => use(new ForkStage(fixture, Buffer.from(rows), backups, hasLinks)));
  },
}));

/** A conversation during which the client kept so many backups of files. */
export function rowsWith(backups: number, random: Random | null): readonly RowFields[] {
  const more = random === null ? 0 : random.below(200);
  return [
    prompt('p1', null),
    ...Array.from({ length: backups }, (_, at) => ({
      type: 'file-history-delta',
      messageId: uuidOf('u1'),
      snapshotMessageId: uuidOf('p1'),
      trackingPath: `${at}.txt`,
      backup: { backupFileName: `${at}@v1` },
    })),
    call('u1', 'p1', 't1'),
    result('o1', 'u1', 't1'),
    ...Array.from({ length: more }, (_, at) => reply(`r${at}`, at === 0 ? 'o1' : `r${at - 1}`)),
  ];
}

const HOUR_AGO_SECONDS = 7200;

export class ForkStage implements Stage {
  readonly next: readonly [NextCommand, ...NextCommand[]] = [
    { name: 'another fork', leadsTo: 'after', run: (fs) => this.#again(fs) },
    { name: 'a cleaning', leadsTo: null, run: (fs) => clearStaleForks(this.#project, this.#histories, clock(fs)) },
  ];
  #outcome: ForkOutcome | null = null;
  #rows: number | null = null;

  constructor(
    private readonly fixture: ForkFixture,
    private readonly source: Buffer,
    private readonly backups: number,
    private readonly hasLinks: boolean,
  ) {}

  reset(): void {
    mkdirSync(this.#histories, { recursive: true });
    emptyFolder(this.#histories);
    this.fixture.addBackups(Object.fromEntries(this.#backupNames.map((name) => [name, `content of ${name}`])));
    const { filePath } = this.fixture;
    for (const path of filesBelow(this.#project)) if (path !== filePath) rmSync(path);
    assert.deepEqual(readFileSync(filePath), this.source);
  }

  async run(fs: FaultyFs): Promise<Ending> {
    const { faultOf } = fs;
    const isLink = ({ name }: FsCall): boolean => !this.hasLinks && name === 'link';
    // A fault that is injected comes first.
    fs.faultOf = (each) => faultOf(each) ?? (isLink(each) ? { kind: 'fails', code: 'EPERM' } : null);
    this.#outcome = await this.fixture.fork({}, fs);
    return this.#outcome.kind === 'forked' ? 'done' : 'refused';
  }

  pieces(): readonly Piece[] {
    const copies = this.#backupNames.map((name): Piece => {
      return { name, bytes: Buffer.from(`content of ${name}`), unit: 'file' };
    });
    return [{ name: 'the transcript', bytes: this.source, unit: 'file' }, ...copies];
  }

  /** Those of the source alone. */
  holders(): readonly string[] {
    return [this.fixture.filePath, ...this.#backupNames.map((name) => join(this.#histories, SOURCE_ID, name))];
  }

  differences(): Differences {
    const forks = readdirSync(this.#project).filter((name) => name.endsWith('.jsonl') && !name.startsWith(SOURCE_ID));
    const ids = forks.map((name) => name.slice(0, -'.jsonl'.length));
    const halves = [
      ...forks.filter((name) => !this.#isWhole(join(this.#project, name))),
      ...ids.filter((id) => !this.#hasBackups(id)).map((id) => `${id} lacks backups`),
      ...readdirSync(this.#histories).filter((id) => id !== SOURCE_ID && !ids.includes(id)),
    ];
    return {
      before: [...halves, ...forks],
      after: [...halves, ...(forks.length === 0 ? ['no fork'] : [])],
    };
  }

  assertEnded(
    ending: Ending,
    { call: failing, fault }: { readonly call: FsCall; readonly fault: InjectedFault },
  ): void {
    const at = `${fault.label}: ${where(failing)}`;
    const outcome = this.#outcome;
    assert.ok(outcome !== null);
    if (fault.calls > 1) return;
    assert.deepEqual(this.differences()[ending === 'done' ? 'after' : 'before'], [], at);
    if (outcome.kind === 'refused') assert.match(outcome.problem, /^[A-Z/][^\n]*\.$/, at);
    assert.deepEqual(this.#hidden(), [], at);
  }

  /** Only after an hour, what another process writes is taken for that of a dead one. */
  age(): void {
    const past = Date.now() / 1000 - HOUR_AGO_SECONDS;
    for (const name of this.#hidden()) utimesSync(join(this.#project, name), past, past);
  }

  async debris(): Promise<readonly string[]> {
    return [...this.#hidden(), ...(await transcriptsOfStaleForks(this.#project, clock(nodeWriteFs)))];
  }

  get #project(): string {
    return dirname(this.fixture.filePath);
  }

  get #histories(): string {
    return join(this.fixture.configDir, 'file-history');
  }

  get #backupNames(): readonly string[] {
    return Array.from({ length: this.backups }, (_, at) => `${at}@v1`);
  }

  #hidden(): readonly string[] {
    return readdirSync(this.#project).filter((name) => name.startsWith('.'));
  }

  async #again(fs: FaultyFs): Promise<void> {
    const outcome = await this.fixture.fork({}, fs);
    assert.equal(outcome.kind, 'forked', JSON.stringify(outcome));
  }

  /** Every fork of this session has as many rows, and its title at the end. */
  #isWhole(path: string): boolean {
    const lines = readFileSync(path, 'utf8').split('\n');
    const rows = lines.length - 1;
    this.#rows ??= rows;
    return rows === this.#rows && lines.at(-1) === '' && (lines.at(-2) ?? '').includes('"custom-title"');
  }

  #hasBackups(id: string): boolean {
    const folder = join(this.#histories, id);
    return this.#backupNames.every((name) => {
      const path = join(folder, name);
      return existsSync(path) && readFileSync(path, 'utf8') === `content of ${name}`;
    });
  }
}

function clock(fs: WriteFs): { readonly fs: WriteFs; readonly now: () => number } {
  return { fs, now: Date.now };
}
