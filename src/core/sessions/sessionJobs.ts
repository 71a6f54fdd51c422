import { basename, dirname } from 'node:path';
import { type RepairOutcome, type RepairPlanOutcome, WRONG_LEAF } from '../../protocol/repair';
import type { ScannedSession } from '../../protocol/session';
import type { SlimOutcome } from '../../protocol/slim';
import type { ScanOptions, SessionProvider } from '../providers/provider';
import { canBeJudged } from '../diagnose/poison/diagnoseRequest';
import { transcriptsWithBackup } from '../storage/backupNames';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import { type JobEvent, JobQueue } from './jobQueue';
import { LiveFollowers } from './liveWatch';
import { plainSession, type SessionCache } from './sessionCache';
import type { SessionEntries, SessionEntry } from './sessionEntries';

/** The kinds of jobs on a session and their results. */
export interface SessionResults {
  readonly scan: ScannedSession;
  /** A scan that also judges the next request of the session, unless its client is running. */
  readonly judge: ScannedSession;
  readonly planRepair: RepairPlanOutcome;
  readonly repair: RepairOutcome;
  /** The repair by name after which Claude goes on with the newest branch. */
  readonly planNewestBranch: RepairPlanOutcome;
  readonly newestBranch: RepairOutcome;
  readonly newestBranchAnyway: RepairOutcome;
  readonly automaticRepair: RepairOutcome;
  readonly repairAnyway: RepairOutcome;
  readonly undoRepair: RepairOutcome;
  readonly undoRepairAnyway: RepairOutcome;
  readonly planSlim: SlimOutcome;
  readonly slim: SlimOutcome;
  readonly slimAnyway: SlimOutcome;
  readonly undoSlim: SlimOutcome;
  readonly undoSlimAnyway: SlimOutcome;
}

export interface SessionJobsDeps {
  readonly provider: SessionProvider;
  readonly files: Pick<SessionFiles, 'stampNow' | 'names'>;
  readonly entries: SessionEntries;
  readonly cache: SessionCache | null;
  readonly isLive: (sessionId: string) => boolean;
  readonly concurrency: number;
  readonly onEvent: (event: JobEvent<SessionResults>) => void;
}

/** Queues the provider's work on sessions and stores the results in the entries and the cache. */
export class SessionJobs {
  readonly queue: JobQueue<SessionResults>;
  readonly #deps: SessionJobsDeps;
  readonly #lifetime = new AbortController();
  readonly #followers: LiveFollowers;
  /** The files that are being scanned, with their stamps from just before. */
  readonly #scanning = new Map<string, FileStamp | null>();

  constructor(deps: SessionJobsDeps) {
    this.#deps = deps;
    this.#followers = new LiveFollowers(deps);
    const { provider, concurrency, onEvent } = deps;
    this.queue = new JobQueue<SessionResults>({
      work: {
        scan: (filePath) => this.#scan(filePath, { signal: this.#lifetime.signal }),
        judge: (filePath) => this.#scan(filePath, { signal: this.#lifetime.signal, isThorough: true }),
        planRepair: (filePath) => provider.planRepair(filePath),
        planNewestBranch: (filePath) => provider.planRepair(filePath, { code: WRONG_LEAF }),
        repair: (filePath) => this.#change(filePath, () => provider.repair(filePath)),
        newestBranch: (filePath) => this.#change(filePath, () => provider.repair(filePath, { code: WRONG_LEAF })),
        newestBranchAnyway: (filePath) =>
          this.#change(filePath, () => provider.repair(filePath, { code: WRONG_LEAF, mayBeLive: true })),
        automaticRepair: (filePath) => this.#change(filePath, () => provider.repair(filePath, { isAutomatic: true })),
        repairAnyway: (filePath) => this.#change(filePath, () => provider.repair(filePath, { mayBeLive: true })),
        undoRepair: (filePath) => this.#change(filePath, () => provider.undoRepair(filePath)),
        undoRepairAnyway: (filePath) =>
          this.#change(filePath, () => provider.undoRepair(filePath, { mayBeLive: true })),
        planSlim: (filePath) => provider.planSlim(filePath),
        slim: (filePath) => this.#change(filePath, () => provider.slim(filePath)),
        slimAnyway: (filePath) => this.#change(filePath, () => provider.slim(filePath, { mayBeLive: true })),
        undoSlim: (filePath) => this.#change(filePath, () => provider.undoSlim(filePath)),
        undoSlimAnyway: (filePath) => this.#change(filePath, () => provider.undoSlim(filePath, { mayBeLive: true })),
      },
      concurrency,
      onEvent,
    });
  }

  /** Whether a scan is running that began with this stamp. */
  isScanning(filePath: string, stamp: FileStamp | null): boolean {
    return isSameStamp(this.#scanning.get(filePath) ?? null, stamp);
  }

  /** The scan of the file as it is, if it tells all that the API would refuse; null otherwise. */
  judged(filePath: string): ScannedSession | null {
    const stamp = this.#deps.files.stampNow(filePath);
    const known = this.#deps.entries.get(filePath);
    if (stamp === null || known === undefined || !isSameStamp(known.stamp, stamp)) return null;
    const isDone = known.scan?.isJudged === true || !canBeJudged({ fileSize: stamp.size });
    return isDone ? known.scan : null;
  }

  /** Checks whether a repair of the session can be undone. */
  async lookForBackup(filePath: string): Promise<void> {
    const names = await this.#deps.files.names(dirname(filePath));
    const entry = this.#deps.entries.get(filePath);
    const hasBackup = transcriptsWithBackup(names).has(basename(filePath));
    if (entry !== undefined && entry.hasBackup !== hasBackup) this.#deps.entries.set({ ...entry, hasBackup });
  }

  /** Aborts running scans; repairs are completed. */
  async abandon(): Promise<void> {
    this.#lifetime.abort();
    await this.queue.drain();
    this.#followers.close();
  }

  async #change<Outcome>(filePath: string, change: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = await change();
    await this.#scan(filePath);
    await this.lookForBackup(filePath);
    return outcome;
  }

  async #scan(filePath: string, options: Pick<ScanOptions, 'signal' | 'isThorough'> = {}): Promise<ScannedSession> {
    const { files, entries, cache } = this.#deps;
    // Taken before the scan, so that rows appended meanwhile cause another scan after the next listing.
    const stamp = files.stampNow(filePath);
    const running = await this.#followers.read(filePath, stamp?.size ?? 0, options.signal);
    // What was found once in this state of the file is not forgotten by a later scan.
    const isThorough = options.isThorough === true || this.judged(filePath)?.isJudged === true;
    const scan = running ?? (await this.#scanWhole(filePath, stamp, { ...options, isThorough }));
    if (scan.result.status === 'missing') {
      entries.vanish(filePath);
      cache?.delete(filePath);
      return scan;
    }
    // The result of a running session is not cached, because it omits a last line that is still being written.
    if (stamp !== null && running === null) cache?.set(filePath, stamp, scan);
    const entry = entries.get(filePath);
    if (entry === undefined) return scan;
    // Its absence is not kept: a transcript that can be read is there.
    const { found, quickMetadata, hasBackup } = entry;
    const next = { found, quickMetadata, hasBackup, stamp, scan, isOutdated: false };
    // A session that was judged and is as healthy as before is not drawn again.
    if (isSameVerdict(entry, next)) entries.setUnseen(next);
    else entries.set(next);
    return scan;
  }

  async #scanWhole(filePath: string, stamp: FileStamp | null, options: ScanOptions): Promise<ScannedSession> {
    this.#scanning.set(filePath, stamp);
    try {
      const scan = await this.#deps.provider.scan(filePath, options);
      return options.isThorough === true && stamp !== null ? { ...scan, isJudged: true } : scan;
    } finally {
      this.#scanning.delete(filePath);
    }
  }
}

/** Whether the list shows the same of two scans of one state of a file. */
function isSameVerdict(before: SessionEntry, after: SessionEntry): boolean {
  if (before.isOutdated || before.absence !== undefined || before.scan === null || after.scan === null) return false;
  if (!isSameStamp(before.stamp, after.stamp)) return false;
  return shownOf(before.scan) === shownOf(after.scan);
}

/** Whether it was judged is not shown, and findings at `info` are shown by the tooltip, which asks for them. */
function shownOf(scan: ScannedSession): string {
  const { result, ...rest } = plainSession(scan);
  const findings = result.findings.filter(({ severity }) => severity !== 'info');
  return JSON.stringify({ ...rest, result: { ...result, findings } });
}
