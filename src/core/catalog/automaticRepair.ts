import type { AutomaticRepairMode, WorkerEvents } from '../../shared/api/worker';
import type { JobQueue } from '../queue/jobQueue';
import type { CatalogEntry } from './catalogEntry';
import { isSameStamp, type FileStamp } from './catalogFiles';
import type { Clock } from './clock';
import type { SessionResults } from './sessionJobs';

/** A transcript that was written to a moment ago may be so again, also by a client that tells nobody that it runs. */
const QUIET_MS = 10 * 60_000;

export interface AutomaticRepairParts {
  readonly queue: Pick<JobQueue<SessionResults>, 'add'>;
  readonly isLive: (sessionId: string) => boolean;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
}

/** Repairs without being asked what lost history: each state of a file once, and none against the person's will. */
export class AutomaticRepair {
  mode: AutomaticRepairMode;
  readonly #parts: AutomaticRepairParts;
  /** The states that a repair was tried on, by path. */
  readonly #tried = new Map<string, FileStamp>();
  readonly #declined = new Set<string>();

  constructor(parts: AutomaticRepairParts, mode: AutomaticRepairMode) {
    this.#parts = parts;
    this.mode = mode;
  }

  /** To be called with each session that was scanned, or whose scan is known. */
  consider(entry: CatalogEntry): void {
    if (this.mode === 'off' || entry.stamp === null || !this.#isWanted(entry, entry.stamp)) return;
    this.#tried.set(entry.found.filePath, entry.stamp);
    void this.#repair(entry.found.filePath);
  }

  /** The person took a repair back: the session is left alone while this thread runs. */
  decline(filePath: string): void {
    this.#declined.add(filePath);
  }

  #isWanted({ found, scan, isOutdated }: CatalogEntry, stamp: FileStamp): boolean {
    const { filePath, sessionId } = found;
    // An edit that cannot lose anything brings history back; what costs nothing is left as it is.
    const isMendable = scan?.result.findings.some(({ severity, action }) => severity === 'error' && action === 'auto');
    if (isMendable !== true || isOutdated || this.#declined.has(filePath)) return false;
    if (isSameStamp(this.#tried.get(filePath) ?? null, stamp)) return false;
    return this.#parts.clock.now() - stamp.mtimeMs >= QUIET_MS && !this.#parts.isLive(sessionId);
  }

  async #repair(filePath: string): Promise<void> {
    const { queue, log } = this.#parts;
    try {
      const { result, problem } = await queue.add('repair', filePath, 'background');
      if (result.status === 'failed') {
        log(
          'warn',
          `Left ${filePath} unrepaired: ${result.reason ?? 'failed'}${problem === null ? '' : `: ${problem}`}`,
        );
      } else {
        log('info', `Repaired ${filePath} by itself; backup: ${result.backupPath ?? 'none'}`);
      }
    } catch {
      // The queue tells of errors, and of its closing there is nothing to tell.
    }
  }
}
