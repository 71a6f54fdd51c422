import type { CountedInfo, SessionDetails, SessionsCalls } from '../../protocol/channels/sessions';
import type { ClientInfo } from '../../protocol/client';
import { type SessionOverview, withoutLines } from '../../protocol/message';
import {
  type RepairManner,
  type RepairOutcome,
  type RepairPlanOutcome,
  type RepairScope,
  WRONG_LEAF,
} from '../../protocol/repair';
import type { ScannedSession, SessionRef } from '../../protocol/session';
import { isRunningState } from '../../protocol/sessionActivity';
import { describeSessionInfo } from '../../protocol/sessionInfo';
import type { SlimOutcome } from '../../protocol/slim';
import type { Activities, SessionProvider } from '../providers/provider';
import { isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { SessionAlarms } from './alarms/sessionAlarms';
import { MAX_UNASKED_BYTES } from './backgroundJudge';
import type { SessionActivities } from './sessionActivities';
import { plainSession, type SessionCache } from './sessionCache';
import type { SessionEntries } from './sessionEntries';
import type { SessionJobs, SessionResults } from './sessionJobs';
import type { UpdateFeed } from './updateAssembler';

const REPAIR_JOBS = {
  all: { plan: 'planRepair', asked: 'repair', automatic: 'automaticRepair', anyway: 'repairAnyway' },
  // It decides what Claude remembers, so nothing does it without being asked.
  [WRONG_LEAF]: {
    plan: 'planNewestBranch',
    asked: 'newestBranch',
    automatic: 'newestBranch',
    anyway: 'newestBranchAnyway',
  },
} as const satisfies Record<RepairScope, Record<RepairManner | 'plan', keyof SessionResults>>;

/** Dependencies of `CallsOnSessions`. */
export interface CallsOnSessionsDeps {
  readonly provider: Pick<SessionProvider, 'id' | 'capabilities'>;
  /** The client that the provider's verdicts speak for. */
  readonly client: ClientInfo;
  readonly cache: Pick<SessionCache, 'get'> | null;
  readonly files: Pick<SessionFiles, 'stamp'>;
  /** Never rejects; null if the transcript cannot be read. */
  readonly readOverview: (filePath: string, activityOf: Activities['of']) => Promise<SessionOverview | null>;
  readonly entries: Pick<SessionEntries, 'get' | 'delete'>;
  readonly jobs: Pick<SessionJobs, 'queue' | 'judged' | 'lookForBackup'>;
  readonly feed: Pick<UpdateFeed, 'sendNow'>;
  readonly activities: Pick<SessionActivities, 'read'>;
  readonly reading: Pick<Activities, 'of'>;
  /** Null if nobody is to be warned. */
  readonly alarms: Pick<SessionAlarms, 'sweepOf'> | null;
}

/**
 * The calls on one session of a config folder: what is known of it, a scan, and what changes its transcript. A change is in the list
 * when its call is answered.
 */
export class CallsOnSessions implements Omit<SessionsCalls, 'scanAll'> {
  readonly #deps: CallsOnSessionsDeps;

  constructor(deps: CallsOnSessionsDeps) {
    this.#deps = deps;
  }

  async scanSession({ path: filePath }: SessionRef): Promise<ScannedSession> {
    const scan = await this.#deps.jobs.queue.add('judge', filePath, 'active');
    await this.#deps.jobs.lookForBackup(filePath);
    await this.#deps.feed.sendNow();
    return scan;
  }

  /** Uses the known scan unless the file has changed since. */
  async details({ path: filePath }: SessionRef): Promise<SessionDetails> {
    const stamp = await this.#deps.files.stamp(filePath);
    const entry = this.#deps.entries.get(filePath);
    const isKnown = entry?.isOutdated === false && isSameStamp(entry.stamp, stamp);
    const known = isKnown ? entry.scan : stamp === null ? null : this.#deps.cache?.get(filePath, stamp);
    return this.#detailsOf(filePath, known ?? (await this.#deps.jobs.queue.waitFor(filePath)));
  }

  /** The details with what the API would refuse, for a session that is about to be resumed. */
  async judge({ path: filePath }: SessionRef): Promise<SessionDetails> {
    const scan = this.#deps.jobs.judged(filePath) ?? (await this.#deps.jobs.queue.add('judge', filePath, 'active'));
    return this.#detailsOf(filePath, scan);
  }

  /**
   * The same for a session that is looked at, but not resumed: a large one that was not judged in its present state is not judged for
   * this, because nobody would be answered meanwhile.
   */
  async lookClosely(session: SessionRef): Promise<SessionDetails> {
    const { path: filePath } = session;
    if (this.#deps.jobs.judged(filePath) !== null) return this.judge(session);
    const bytes = (await this.#deps.files.stamp(filePath))?.size ?? 0;
    if (bytes > MAX_UNASKED_BYTES) return this.details(session);
    return this.#detailsOf(filePath, await this.#deps.jobs.queue.add('judge', filePath, 'visible'));
  }

  async info({ path: filePath }: SessionRef): Promise<CountedInfo | null> {
    const overview = await this.#deps.readOverview(filePath, (path, end) => this.#deps.reading.of(path, end));
    const sweptMs = (await this.#deps.alarms?.sweepOf(filePath))?.sweptMs ?? null;
    if (overview === null) return null;
    const { remembered, hasSummary, losesMessages, firstPrompt, lastAnswer } = overview;
    const info = describeSessionInfo(overview, { spending: null, sweptMs });
    const lost = losesMessages === undefined ? {} : { losesMessages };
    return { info, remembered, hasSummary, ...lost, firstPrompt, lastAnswer };
  }

  async forget({ path: filePath }: SessionRef): Promise<void> {
    if (this.#deps.entries.get(filePath)?.absence === 'gone') this.#deps.entries.delete(filePath);
    await this.#deps.feed.sendNow();
  }

  async planRepair({ path: filePath }: SessionRef, scope: RepairScope = 'all'): Promise<RepairPlanOutcome> {
    this.#refuseWithoutRepair();
    return this.#deps.jobs.queue.add(REPAIR_JOBS[scope].plan, filePath, 'active');
  }

  async repair(
    { path: filePath }: SessionRef,
    manner: RepairManner = 'asked',
    scope: RepairScope = 'all',
  ): Promise<RepairOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#deps.jobs.queue.add(REPAIR_JOBS[scope][manner], filePath, 'active');
    await this.#deps.feed.sendNow();
    return outcome;
  }

  async undoRepair({ path: filePath }: SessionRef, mayBeLive = false): Promise<RepairOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#deps.jobs.queue.add(mayBeLive ? 'undoRepairAnyway' : 'undoRepair', filePath, 'active');
    await this.#deps.feed.sendNow();
    return outcome;
  }

  async planSlim({ path: filePath }: SessionRef): Promise<SlimOutcome> {
    this.#refuseWithoutRepair();
    return this.#deps.jobs.queue.add('planSlim', filePath, 'active');
  }

  async slim({ path: filePath }: SessionRef, mayBeLive = false): Promise<SlimOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#deps.jobs.queue.add(mayBeLive ? 'slimAnyway' : 'slim', filePath, 'active');
    await this.#deps.feed.sendNow();
    return outcome;
  }

  async undoSlim({ path: filePath }: SessionRef, mayBeLive = false): Promise<SlimOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#deps.jobs.queue.add(mayBeLive ? 'undoSlimAnyway' : 'undoSlim', filePath, 'active');
    await this.#deps.feed.sendNow();
    return outcome;
  }

  #refuseWithoutRepair(): void {
    const { id, capabilities } = this.#deps.provider;
    if (!capabilities.repair) throw new Error(`Failed to repair the session: sessions of ${id} cannot be repaired`);
  }

  async #detailsOf(filePath: string, scan: ScannedSession): Promise<SessionDetails> {
    const { activity, tail } = await this.#deps.activities.read(filePath, scan);
    return {
      scan: plainSession(scan),
      metadata: scan.metadata,
      client: this.#deps.client,
      activity,
      end: tail === null || isRunningState(activity.state) ? null : withoutLines(tail.end),
      sweep: (await this.#deps.alarms?.sweepOf(filePath)) ?? null,
    };
  }
}
