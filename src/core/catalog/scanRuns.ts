import type { ScanAllOptions, ScanPhase, WorkerEvents } from '../../shared/api/worker';
import type { Engine } from '../engine';
import type { CatalogFiles } from './catalogFiles';
import { listTranscripts } from './listTranscripts';
import type { LiveWatch } from './liveWatch';
import { ScanRun, type ScanRunParts } from './scanRun';
import type { UpdateFeed } from './updateFeed';

export interface ScanRunsParts extends Omit<ScanRunParts, 'rescanUnchanged' | 'onListed' | 'onProgress'> {
  /** Absolute path of the engine's config folder. */
  readonly configDir: string;
  readonly engine: Engine;
  readonly files: CatalogFiles;
  readonly liveWatch: LiveWatch;
  readonly feed: Pick<UpdateFeed, 'sendSoon' | 'sendNow'>;
  readonly log: WorkerEvents['log'];
}

/** Scans of everything, one at a time: a later one takes the place of the one before. */
export class ScanRuns {
  readonly #parts: ScanRunsParts;
  #current: ScanRun | null = null;
  #problem: string | null = null;
  #isFolderMissing = false;

  constructor(parts: ScanRunsParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#current !== null;
  }

  get phase(): ScanPhase {
    return this.#current?.phase ?? { kind: 'idle' };
  }

  /** Why the sessions could not be listed the last time; null when they could. */
  get problem(): string | null {
    return this.#problem;
  }

  get isFolderMissing(): boolean {
    return this.#isFolderMissing;
  }

  /** Resolves when the run is over and told. Rejects never: what fails is said. */
  async scanAll({ rescanUnchanged = false }: ScanAllOptions): Promise<void> {
    const { feed, log } = this.#parts;
    this.#current?.abort();
    const run = new ScanRun({
      ...this.#parts,
      rescanUnchanged,
      onListed: () => {
        this.#problem = null;
        void feed.sendNow();
      },
      onProgress: () => {
        feed.sendSoon();
      },
    });
    this.#current = run;
    void feed.sendNow();
    try {
      await this.#startWatching();
      await run.run(this.#list(run.signal, rescanUnchanged));
    } catch (error) {
      if (run.signal.aborted) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      log('error', `Failed to list the sessions: ${String(error)}`);
    }
    // A later run tells when it is over.
    if (this.#current !== run) return;
    this.#current = null;
    await feed.sendNow();
  }

  abort(): void {
    this.#current?.abort();
    this.#current = null;
  }

  async *#list(signal: AbortSignal, rescanUnchanged: boolean) {
    const { files, configDir, engine, cache } = this.#parts;
    const isMissing = (await files.stamp(configDir)) === null;
    if (signal.aborted) return;
    this.#isFolderMissing = isMissing;
    // Who asks for everything anew gets it from the disk.
    const memory = rescanUnchanged ? null : cache;
    if (!isMissing) yield* listTranscripts(engine, files, { configDir, signal, memory });
  }

  /** The sessions are listed even where nobody can tell which of them run. */
  async #startWatching(): Promise<void> {
    try {
      await this.#parts.liveWatch.start();
    } catch (error) {
      this.#parts.log('warn', `Failed to read which sessions are running: ${String(error)}`);
    }
  }
}
