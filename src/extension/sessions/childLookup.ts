import type { ChildrenCalls, ListedMemoryFile } from '../../protocol/channels/children';
import type { SessionSummary } from '../../protocol/channels/sessions';
import { Disposable, Emitter } from '../lifetime';
import type { Log } from '../log';

/** The items of one screen are asked for together. */
const GATHER_MS = 20;
/** The memory of a project is read again when the project is shown again after this long. */
const MEMORY_STALE_MS = 10_000;
/** Sessions and projects about which the answers are kept. */
const MAX_KNOWN = 20_000;

export interface ChildLookupDeps {
  readonly client: Pick<ChildrenCalls, 'withSubagents' | 'memoryFiles'>;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Finds out which items of the tree have something below them. Only those that are shown are asked about. */
export class ChildLookup extends Disposable {
  readonly #deps: ChildLookupDeps;
  readonly #foundSubagents = this._register(new Emitter<string>());
  readonly #foundMemory = this._register(new Emitter<string>());
  /** By path: the session as it was when it was asked about. */
  readonly #asked = new Map<string, SessionSummary>();
  readonly #withSubagents = new Set<string>();
  readonly #memory = new Map<string, { readonly askedMs: number; readonly files: readonly ListedMemoryFile[] }>();
  #wanted: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Fires with the path of a session when it turns out that it has subagents, or none any more. */
  readonly onSubagents = this.#foundSubagents.event;
  /** Fires with the folder of a project when its memory files turn out to be others. */
  readonly onMemory = this.#foundMemory.event;

  constructor(deps: ChildLookupDeps) {
    super();
    this.#deps = deps;
    this._register({
      dispose: () => {
        clearTimeout(this.#timer);
      },
    });
  }

  /** Whether the session has subagents, as far as is known. A session that has changed is looked at again. */
  hasSubagents(session: SessionSummary): boolean {
    const { path } = session;
    if (this.#asked.get(path) !== session && session.isAbsent !== true) {
      if (this.#asked.size >= MAX_KNOWN) this.#asked.clear();
      this.#asked.set(path, session);
      this.#wanted.push(path);
      this.#timer ??= setTimeout(() => void this.#ask(), GATHER_MS);
    }
    return this.#withSubagents.has(path);
  }

  /** The memory files of a project, as far as they are known. */
  memoryOf(projectFolder: string): readonly ListedMemoryFile[] {
    const known = this.#memory.get(projectFolder);
    const nowMs = this.#deps.now();
    if (known === undefined || nowMs - known.askedMs >= MEMORY_STALE_MS) {
      if (this.#memory.size >= MAX_KNOWN) this.#memory.clear();
      this.#memory.set(projectFolder, { askedMs: nowMs, files: known?.files ?? [] });
      void this.#askMemory(projectFolder, nowMs);
    }
    return known?.files ?? [];
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    const paths = this.#wanted;
    this.#wanted = [];
    try {
      const found = new Set(await this.#deps.client.withSubagents(paths));
      for (const path of paths) {
        if (this.isDisposed || found.has(path) === this.#withSubagents.has(path)) continue;
        if (found.has(path)) this.#withSubagents.add(path);
        else this.#withSubagents.delete(path);
        this.#foundSubagents.fire(path);
      }
    } catch (error) {
      for (const path of paths) this.#asked.delete(path);
      this.#deps.log.warn(`Failed to look for subagents: ${String(error)}`);
    }
  }

  async #askMemory(projectFolder: string, askedMs: number): Promise<void> {
    try {
      const files = await this.#deps.client.memoryFiles(projectFolder);
      const known = this.#memory.get(projectFolder)?.files ?? [];
      this.#memory.set(projectFolder, { askedMs, files });
      const isSame =
        known.map(({ filePath }) => filePath).join('\n') === files.map(({ filePath }) => filePath).join('\n');
      if (!isSame && !this.isDisposed) this.#foundMemory.fire(projectFolder);
    } catch (error) {
      this.#deps.log.warn(`Failed to look for the memory of ${projectFolder}: ${String(error)}`);
    }
  }
}
