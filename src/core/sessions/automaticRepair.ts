import type { AutomaticRepairMode, WorkerEvents } from '../../protocol/channels/worker';
import { isForAutomaticRepair, type RepairFailureReason } from '../../protocol/repair';
import type { SessionProvider } from '../providers/provider';
import { type FileStamp, isSameStamp } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { JobQueue } from './jobQueue';
import type { SessionEntry } from './sessionEntries';
import type { SessionResults } from './sessionJobs';

/**
 * Minimum time since the last write before an automatic repair. A client that is not in the registry may still be
 * writing to a transcript that was written to shortly before.
 */
const QUIET_MS = 10 * 60_000;

/** Reasons for which a repair can succeed later although the file is unchanged. */
const PASSING: readonly (RepairFailureReason | undefined)[] = ['live', 'maybe-live', 'locked'];

interface AutomaticRepairDeps {
  readonly provider: Pick<SessionProvider, 'capabilities'>;
  readonly queue: Pick<JobQueue<SessionResults>, 'add'>;
  readonly isLive: (sessionId: string) => boolean;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
  /** Calls `consider` for the current state of a session. */
  readonly lookAgain: (filePath: string) => void;
}

/**
 * Repairs sessions that lost history, if the person allows it, and only for a client whose rules were measured. Tries each
 * state of a file only once. A session that was written to a moment ago is looked at again when it is quiet.
 */
export class AutomaticRepair {
  mode: AutomaticRepairMode;
  readonly #deps: AutomaticRepairDeps;
  /** By path, the last state of the file that a repair was tried on. */
  readonly #tried = new Map<string, FileStamp>();
  /** By path, what cancels the next look at a session. */
  readonly #looks = new Map<string, () => void>();
  #isStopped = false;

  constructor(deps: AutomaticRepairDeps, mode: AutomaticRepairMode) {
    this.#deps = deps;
    this.mode = mode;
  }

  /** Must be called for each session with a current scan, and when its client ends. */
  consider(entry: SessionEntry): void {
    const { provider, isLive, clock } = this.#deps;
    const { path: filePath, id: sessionId } = entry.found;
    this.#looks.get(filePath)?.();
    this.#looks.delete(filePath);
    if (!provider.capabilities.repair || this.mode === 'off' || this.#isStopped) return;
    if (entry.stamp === null || !this.#isWanted(entry, entry.stamp) || isLive(sessionId)) return;
    const restMs = QUIET_MS - (clock.now() - entry.stamp.mtimeMs);
    if (restMs > 0) {
      this.#lookIn(filePath, restMs);
      return;
    }
    this.#tried.set(filePath, entry.stamp);
    void this.#repair(filePath);
  }

  /** Stops for good. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#looks.values()) cancel();
    this.#looks.clear();
  }

  #isWanted({ found, scan, isOutdated }: SessionEntry, stamp: FileStamp): boolean {
    // Only findings that lost history and whose fix cannot lose anything. Others are left as they are.
    const isFixable = scan?.result.findings.some(isForAutomaticRepair);
    const isExact = scan?.result.resume.isExact === true;
    if (isFixable !== true || !isExact || isOutdated) return false;
    return !isSameStamp(this.#tried.get(found.path) ?? null, stamp);
  }

  #lookIn(filePath: string, delayMs: number): void {
    if (this.#isStopped) return;
    const look = (): void => {
      this.#looks.delete(filePath);
      this.#deps.lookAgain(filePath);
    };
    this.#looks.set(filePath, this.#deps.clock.after(Math.min(delayMs, QUIET_MS), look));
  }

  async #repair(filePath: string): Promise<void> {
    const { queue, log } = this.#deps;
    try {
      const { result, problem } = await queue.add('automaticRepair', filePath, 'background');
      if (result.status === 'failed') {
        const level = result.reason === 'declined' ? 'info' : 'warn';
        log(
          level,
          `Left ${filePath} unrepaired: ${result.reason ?? 'failed'}${problem === null ? '' : `: ${problem}`}`,
        );
        if (PASSING.includes(result.reason)) {
          this.#tried.delete(filePath);
          this.#lookIn(filePath, QUIET_MS);
        }
      } else {
        log('info', `Repaired ${filePath} automatically; backup: ${result.backupPath ?? 'none'}`);
      }
    } catch {
      // The queue reports errors of jobs, and its closing does not need a report.
    }
  }
}
