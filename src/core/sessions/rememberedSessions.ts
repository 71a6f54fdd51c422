import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { WorkerEvents } from '../../protocol/channels/worker';
import { type RememberedTerminal, type RestoredMemory, STORE_NAME, type WindowMemory } from '../../protocol/terminals';
import type { WriteFs } from '../storage/writeFs';
import { isJsonObject, parseObject } from '../util/json';
import { LaterVersionError, replaceLocked } from '../util/lockedFile';
import type { Clock } from '../util/scheduling';

/** The process of a window's extensions. */
export interface WindowProcess {
  /** Unique. */
  readonly id: string;
  readonly pid: number;
  /** Which process ids `pid` is one of: those of another machine or container say nothing here. */
  readonly pidDomain: string;
  /** When it started, in milliseconds since the epoch; null if unknown. */
  readonly startedMs: number | null;
}

export interface RememberedSessionsDeps {
  /** Absolute path of the extension's own folder. */
  readonly folder: string;
  /** The process of this window. */
  readonly own: WindowProcess;
  /** Whether the process of another window runs. */
  readonly isAlive: (window: WindowProcess) => boolean;
  readonly fs: Pick<WriteFs, 'rename'>;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
}

/** Must be increased when the content or its meaning changes. A later version is neither read nor replaced. */
const FORMAT_VERSION = 1;
/** A change is written after so long, together with those that follow it. */
const SAVE_DELAY_MS = 1000;
/** The lock of a process that was killed is free after ten seconds. */
const RETRY_MS = 2000;
const MAX_RETRIES = 8;
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_TERMINALS = 200;

const NOTHING: WindowMemory = { terminals: [], panels: [], urgent: [] };

/** What one window remembers. */
interface StoredWindow {
  readonly workspace: string;
  readonly process: WindowProcess;
  /** The window has ended by itself. */
  readonly isClosed: boolean;
  /** Milliseconds since the epoch. */
  readonly savedMs: number;
  readonly memory: WindowMemory;
}

/** The windows of a store; or why there is nothing to read. */
type Content =
  | { readonly kind: 'windows'; readonly windows: readonly StoredWindow[] }
  | { readonly kind: 'absent' | 'damaged' | 'later' };

/**
 * What windows remember across restarts: one file for all windows of the person. Each window writes its own part, under a lock,
 * and takes over the parts of earlier windows of its workspace. A damaged file is kept under another name. Nothing rejects.
 */
export class RememberedSessions {
  readonly #deps: RememberedSessionsDeps;
  readonly #filePath: string;
  /** This window's part; null until it has something to remember. */
  #current: { readonly workspace: string; readonly memory: WindowMemory } | null = null;
  #cancelSave: () => void = () => undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #retries = 0;
  readonly #warned = new Set<string>();

  constructor(deps: RememberedSessionsDeps) {
    this.#deps = deps;
    this.#filePath = join(deps.folder, STORE_NAME);
  }

  /**
   * Takes over what windows of the workspace have left that do not run any more, and returns it. Each part is returned to one window
   * only, also if several ask at the same time.
   */
  async restore(workspace: string): Promise<RestoredMemory> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#takeOver(workspace);
      } catch (error) {
        if (error instanceof LaterVersionError || tries >= MAX_RETRIES) {
          this.#warn(error);
          return { ...NOTHING, hasCrashed: false, isOtherRunning: false };
        }
      }
      await new Promise<void>((resolve) => this.#deps.clock.after(RETRY_MS, resolve));
    }
  }

  /** Written soon, together with what follows. */
  remember(workspace: string, memory: WindowMemory): void {
    if (this.#isClosed) return;
    this.#current = { workspace, memory };
    this.#saveSoon(SAVE_DELAY_MS);
  }

  /** Writes what has not been written, and that this window ends by itself. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelSave();
    if (this.#current !== null) await this.#save();
  }

  async #takeOver(workspace: string): Promise<RestoredMemory> {
    const content = await this.#read();
    if (content.kind === 'later') throw new LaterVersionError();
    const others = this.#othersIn(content.kind === 'windows' ? content.windows : [], workspace);
    let { left } = others;
    // Most windows find nothing, and need not write.
    if (left.length > 0) {
      await this.#change((windows) => {
        left = this.#othersIn(windows, workspace).left;
        const memory = mergeMemories([this.#current?.memory ?? NOTHING, ...left.map((each) => each.memory)]);
        if (left.length > 0) this.#current = { workspace, memory };
        return windows.filter((each) => !left.includes(each));
      });
    }
    const hasCrashed = left.some(({ isClosed }) => !isClosed);
    const { isOtherRunning } = others;
    return { ...mergeMemories(left.map(({ memory }) => memory)), hasCrashed, isOtherRunning };
  }

  /** The other windows of a workspace: those that do not run any more, and whether there are others. */
  #othersIn(windows: readonly StoredWindow[], workspace: string) {
    const { own, isAlive } = this.#deps;
    const others = windows.filter((each) => each.workspace === workspace && each.process.id !== own.id);
    const left = others.filter((each) => each.isClosed || !isAlive(each.process));
    return { left, isOtherRunning: left.length < others.length };
  }

  #saveSoon(delayMs: number): void {
    this.#cancelSave();
    this.#cancelSave = this.#deps.clock.after(delayMs, () => void this.#save());
  }

  async #save(): Promise<void> {
    try {
      await this.#change((windows) => windows);
      this.#retries = 0;
    } catch (error) {
      this.#warn(error);
      if (this.#isClosed || error instanceof LaterVersionError || this.#retries++ >= MAX_RETRIES) return;
      this.#saveSoon(RETRY_MS);
    }
  }

  /** Replaces the other windows' parts, and this window's own by the current one. One change at a time. */
  #change(ofOthers: (windows: readonly StoredWindow[]) => readonly StoredWindow[]): Promise<void> {
    const change = this.#writing.then(() => this.#replace(ofOthers));
    this.#writing = change.catch(() => undefined);
    return change;
  }

  #replace(ofOthers: (windows: readonly StoredWindow[]) => readonly StoredWindow[]): Promise<void> {
    const { own, clock, fs, log } = this.#deps;
    return replaceLocked(this.#filePath, async (bytes) => {
      const content = bytes === null ? ({ kind: 'absent' } as const) : parseContent(bytes);
      if (content.kind === 'later') throw new LaterVersionError();
      if (content.kind === 'damaged') {
        const keptAs = `${this.#filePath}.damaged-${clock.now()}`;
        await fs.rename(this.#filePath, keptAs);
        log('warn', `The remembered sessions were damaged. A new file was begun; the damaged one is ${keptAs}`);
      }
      const others = (content.kind === 'windows' ? content.windows : []).filter(({ process }) => process.id !== own.id);
      const kept = ofOthers(others);
      const current = this.#current;
      const savedMs = clock.now();
      const isClosed = this.#isClosed;
      const windows = current === null ? kept : [...kept, { ...current, process: own, isClosed, savedMs }];
      return formatContent(prune(windows, savedMs));
    });
  }

  async #read(): Promise<Content> {
    try {
      return parseContent(await readFile(this.#filePath));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { kind: 'absent' };
      throw error;
    }
  }

  #warn(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#deps.log('warn', `The remembered sessions in ${this.#filePath} stay as they are: ${message}`);
  }
}

/** Of a terminal that several remember, the latest entry counts. */
function mergeMemories(memories: readonly WindowMemory[]): WindowMemory {
  const terminals = new Map<string, RememberedTerminal>();
  for (const terminal of memories.flatMap((each) => each.terminals)) {
    const known = terminals.get(terminal.id);
    if (known === undefined || known.changedMs <= terminal.changedMs) terminals.set(terminal.id, terminal);
  }
  return {
    terminals: [...terminals.values()],
    panels: [...new Set(memories.flatMap(({ panels }) => panels))],
    urgent: [...new Set(memories.flatMap(({ urgent }) => urgent))],
  };
}

/** Without what ended too long ago, and without all but the newest terminals. */
function prune(windows: readonly StoredWindow[], nowMs: number): readonly StoredWindow[] {
  const newest = windows
    .flatMap(({ memory, savedMs }) => memory.terminals.filter(({ endedMs }) => nowMs - (endedMs ?? savedMs) < KEPT_MS))
    .sort((a, b) => b.changedMs - a.changedMs)
    .slice(0, MAX_TERMINALS);
  const kept = new Set(newest);
  return windows
    .filter(({ savedMs }) => nowMs - savedMs < KEPT_MS)
    .map((window) => {
      const terminals = window.memory.terminals.filter((each) => kept.has(each));
      return { ...window, memory: { ...window.memory, terminals } };
    })
    .filter(({ isClosed, memory }) => !isClosed || memory.terminals.length > 0 || memory.panels.length > 0);
}

/** A header with a checksum, and the windows, in a line each. */
function formatContent(windows: readonly StoredWindow[]): Buffer {
  const body = Buffer.from(`${JSON.stringify({ windows }, null, 1)}\n`);
  const header = { rethread: 'remembered sessions', format: FORMAT_VERSION, checksum: crc32(body) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
}

function parseContent(bytes: Buffer): Content {
  const end = bytes.indexOf('\n');
  const header = end < 0 ? null : parseObject(bytes.toString('utf8', 0, end));
  const format = header?.['format'];
  if (typeof format === 'number' && format > FORMAT_VERSION) return { kind: 'later' };
  const body = bytes.subarray(end + 1);
  if (format !== FORMAT_VERSION || header?.['checksum'] !== crc32(body)) return { kind: 'damaged' };
  const windows = parseObject(body.toString('utf8'))?.['windows'];
  if (!Array.isArray(windows) || !windows.every(isJsonObject)) return { kind: 'damaged' };
  // SAFETY: the checksum says that these are the bytes that `formatContent` made.
  return { kind: 'windows', windows: windows as unknown as readonly StoredWindow[] };
}
