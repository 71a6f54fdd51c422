import type { WorkerEvents } from '../../protocol/channels/worker';
import type { SessionProvider } from '../providers/provider';
import type { Clock } from '../util/scheduling';

/** Longer than an abandoned lock counts as held, in milliseconds. */
const LOOK_AGAIN_MS = 15_000;

export interface TidyingDeps {
  readonly provider: Pick<SessionProvider, 'findDebris' | 'clearDebris' | 'pruneBackups'>;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
  /** Absolute paths of the folders that hold transcripts. */
  readonly folders: () => ReadonlySet<string>;
  /** A transcript may have been put back. */
  readonly onPutBack: () => Promise<unknown>;
}

/** Removes what repairs that died have left, and old backups. */
export class Tidying {
  readonly #deps: TidyingDeps;
  #isTidy = false;
  /** Cancels the second look at what was left. */
  #cancelLook: () => void = () => undefined;

  constructor(deps: TidyingDeps) {
    this.#deps = deps;
  }

  /**
   * Does its work once. Looks twice: the lock of a repair that has just been ended, such as by an update of the extension, cannot be
   * told from that of a running one at first.
   *
   * @param backupRetentionDays age at which backups are removed; null to keep all
   */
  async tidy(backupRetentionDays: number | null): Promise<void> {
    if (this.#isTidy) return;
    this.#isTidy = true;
    const { provider, clock, log, folders } = this.#deps;
    await this.#clearDebris();
    this.#cancelLook = clock.after(LOOK_AGAIN_MS, () => {
      this.#clearDebris().catch((error: unknown) => {
        log('warn', `Failed to look for what interrupted repairs have left: ${String(error)}`);
      });
    });
    if (backupRetentionDays === null) return;
    for (const folder of folders()) {
      for (const path of await provider.pruneBackups(folder, backupRetentionDays))
        log('info', `Removed the old backup ${path}`);
    }
  }

  /** Does not look again. */
  stop(): void {
    this.#cancelLook();
  }

  async #clearDebris(): Promise<void> {
    const { provider, log, folders, onPutBack } = this.#deps;
    let isAnyCleared = false;
    for (const folder of folders()) {
      for (const filePath of await provider.findDebris(folder)) {
        const problem = await provider.clearDebris(filePath);
        isAnyCleared ||= problem === null;
        if (problem === null) log('info', `Cleared what an interrupted repair had left beside ${filePath}`);
        else log('warn', `Left what an interrupted repair had left beside ${filePath}: ${problem}`);
      }
    }
    if (isAnyCleared) await onPutBack();
  }
}
