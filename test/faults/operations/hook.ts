import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  clearLeftRecords,
  createOwnCheckpoints,
  readMaxFileSize,
  sessionPaths,
  storeLayout,
  takeHookCheckpoint,
} from '../../rooms/history';
import { nodeWriteFs, type WriteFs } from '../../rooms/storage';
import type { Random } from '../../support/random';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, lines, prompt } from '../../support/transcriptBuilder';
import type { FaultyFs, FsCall } from '../../unit/storage/faultyFs';
import { filesBelow, foldersBelow, type Piece } from '../support/contents';
import { where } from '../support/matrix';
import type { Differences, Ending, InjectedFault, NextCommand, Operation, Stage } from '../support/operation';
import { emptyFolder } from './transcripts';

const SESSION = '44444444-4444-4444-8444-444444444444';
const OTHER_SESSION = '55555555-5555-4555-8555-555555555555';
/** After that time, what is unfinished is not being written any more. */
const LATER_SECONDS = 7200;

/** A checkpoint that the hook takes of the file that a client is about to change. */
export const HOOK_OPERATIONS: readonly Operation[] = ([false, true] as const).map((hasEarlier) => ({
  name: 'hook',
  where: hasEarlier ? ' in a session that has checkpoints' : '',
  isSlow: true,
  stride: 1,
  open: (random, use) => withTemporaryFolder((folder) => use(new HookStage(folder, hasEarlier, random))),
}));

interface Kept {
  readonly toolUseId: string | null;
  readonly problem: string | null;
}

export class HookStage implements Stage {
  readonly next: readonly [NextCommand] = [
    {
      name: 'another checkpoint, then `scan --clean`',
      leadsTo: null,
      run: async (fs) => {
        this.expectNext();
        assert.equal(await this.#take('next', fs), 'kept');
        assert.deepEqual(await clearLeftRecords(this.configDir, { fs, now: Date.now, random: randomUUID }), []);
      },
    },
  ];
  #hasNext = false;
  #content: Buffer | null = null;
  #outcome = '';

  constructor(
    private readonly folder: string,
    private readonly hasEarlier: boolean,
    private readonly random: Random | null,
  ) {}

  async reset(): Promise<void> {
    const { folder, random } = this;
    emptyFolder(folder);
    this.#hasNext = false;
    mkdirSync(this.#project);
    mkdirSync(dirname(this.#transcript), { recursive: true });
    const rows = [prompt('first', null), call('calls', 'first', 'this')];
    if (random?.chance(0.2) !== true) writeFileSync(this.#transcript, `${lines(rows).join('\n')}\n`);
    if (this.hasEarlier) {
      this.#write('earlier content');
      assert.equal(await this.#take('earlier', nodeWriteFs), 'kept');
    }
    const length = random === null ? 2000 : random.chance(0.1) ? 2_500_000 : random.below(5000);
    this.#write(`content ${'x'.repeat(length)}`);
    // Another session may have kept the same content, which is then shared.
    if (random?.chance(0.3) === true) assert.equal(await this.#take('other', nodeWriteFs, OTHER_SESSION), 'kept');
  }

  async run(fs: FaultyFs): Promise<Ending> {
    this.#outcome = await this.#take('this', fs);
    return this.#outcome === 'kept' ? 'done' : 'refused';
  }

  pieces(): readonly Piece[] {
    const earlier: Piece = { name: 'the earlier content', bytes: Buffer.from('earlier content'), unit: 'file' };
    assert.ok(this.#content !== null);
    return [{ name: 'the file', bytes: this.#content, unit: 'file' }, ...(this.hasEarlier ? [earlier] : [])];
  }

  /** The file itself, to which the path may be a link, and the session's own copies. */
  holders(): readonly string[] {
    const { content } = sessionPaths(storeLayout(this.configDir), SESSION);
    return [this.#path, this.#target, ...filesBelow(content.own).filter((path) => !path.endsWith('.tmp'))];
  }

  /** The hook takes a checkpoint or takes none, and those from before stay. */
  async differences(): Promise<Differences> {
    const found = await this.#kept();
    const problems = found.flatMap(({ problem }) => problem ?? []);
    // If the next command was interrupted, there may be one of it all the same.
    const isAgain = (at: number): boolean => found[at]?.toolUseId === 'next' && found[at + 1]?.toolUseId === 'next';
    const ids = found.flatMap(({ toolUseId }, at) => (isAgain(at) ? [] : [toolUseId])).join();
    const compare = (...meant: readonly string[]): readonly string[] => {
      const all = [...(this.hasEarlier ? ['earlier'] : []), ...meant, ...(this.#hasNext ? ['next'] : [])].join();
      return ids === all ? problems : [...problems, `${ids} instead of ${all}`];
    };
    return { before: compare(), after: compare('this') };
  }

  async assertEnded(
    _ending: Ending,
    { call: failing, fault }: { readonly call: FsCall; readonly fault: InjectedFault },
  ): Promise<void> {
    const at = `${fault.label}: ${where(failing)}`;
    assert.ok(['kept', 'failed'].includes(this.#outcome), at);
    const { before, after } = await this.differences();
    assert.deepEqual(this.#outcome === 'kept' || before.length > 0 ? after : before, [], at);
  }

  age(): void {
    const past = Date.now() / 1000 - LATER_SECONDS;
    for (const path of storeDebris(this.configDir)) utimesSync(path, past, past);
  }

  debris(): Promise<readonly string[]> {
    return Promise.resolve(storeDebris(this.configDir));
  }

  get configDir(): string {
    return join(this.folder, 'config');
  }

  get #project(): string {
    return join(this.folder, 'my project');
  }

  get #transcript(): string {
    return join(this.configDir, 'projects', '-my-project', `${SESSION}.jsonl`);
  }

  get #path(): string {
    return join(this.#project, 'a.txt');
  }

  get #target(): string {
    return join(this.folder, 'target.txt');
  }

  /** At random, the path is a link to the file. */
  #write(content: string): void {
    this.#content = Buffer.from(content);
    if (this.random?.chance(0.2) === true && !existsSync(this.#path)) {
      writeFileSync(this.#target, content);
      symlinkSync(this.#target, this.#path);
    } else writeFileSync(this.#path, content);
  }

  /** From now on, there is another checkpoint. */
  expectNext(): void {
    this.#hasNext = true;
  }

  /** What a client tells the hook. */
  input(id: string, session = SESSION): string {
    return JSON.stringify({
      session_id: session,
      transcript_path: join(dirname(this.#transcript), `${session}.jsonl`),
      cwd: this.#project,
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_use_id: id,
      tool_input: { file_path: this.#path, content: 'changed' },
    });
  }

  #take(id: string, fs: WriteFs, session = SESSION): Promise<string> {
    const elsewhere = join(this.folder, 'not this one');
    const parts = {
      fs,
      now: Date.now,
      random: randomUUID,
      configDir: elsewhere,
      home: this.folder,
      maxFileSize: readMaxFileSize([]),
    };
    return takeHookCheckpoint(this.input(id, session), parts);
  }

  /** The session's checkpoints, and what is wrong with them. */
  async #kept(): Promise<readonly Kept[]> {
    const parts = { fs: nodeWriteFs, now: Date.now, random: randomUUID, configDir: () => this.configDir };
    const checkpoints = await createOwnCheckpoints(parts).read(SESSION);
    return checkpoints.map(({ toolUseId, files }) => {
      const [file, ...more] = files;
      if (file === undefined || more.length > 0) return { toolUseId, problem: 'not one file' };
      const { state } = file;
      // A rewind would delete a file that was absent.
      if (state.kind === 'absent') return { toolUseId, problem: `${file.path} is called absent` };
      if (state.kind === 'notKept') return { toolUseId, problem: null };
      const bytes = existsSync(state.contentPath) ? readFileSync(state.contentPath) : null;
      const isMeant =
        bytes !== null && createHash('sha256').update(bytes).digest('hex') === basename(state.contentPath);
      return { toolUseId, problem: isMeant ? null : `${state.contentPath} is not what it was` };
    });
  }
}

/** Files and folders of the store that are only of use to the process that was writing them. */
export function storeDebris(configDir: string): readonly string[] {
  const root = join(configDir, 'rethread', 'checkpoints');
  const folders = foldersBelow(root).filter((path) => /^\.(new|gone)-/.test(basename(path)));
  return [...folders, ...filesBelow(root).filter((path) => path.endsWith('.tmp'))];
}
