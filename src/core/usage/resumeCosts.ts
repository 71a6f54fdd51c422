import type { SessionResume } from '../../protocol/usage';
import { NO_TIME, quarterOf } from './buckets';
import type { ConfigDirUsage } from './configDirUsage';
import { contextOf, QUARTERS_PER_DAY, resumeCostOf } from './describeReport';
import { statUsageFile } from './listUsageFiles';
import type { PriceBook } from './prices';
import type { SessionContexts } from './sessionContexts';
import type { UsageFollower } from './usageReading';

/** Only sessions with a message in this time before now. */
const RECENT_MS = 30 * 24 * 60 * 60_000;
/** At most so many sessions are listed. */
const MAX_LISTED = 20;
/** So many transcripts are read to list them: some turn out to have less context than their last message suggests. */
const MAX_READ = 30;

export interface ResumeQuestion {
  readonly usage: ConfigDirUsage;
  /** Reads and keeps the contexts of sessions. */
  readonly contexts: Pick<SessionContexts, 'read'>;
  readonly followerOf: (filePath: string) => UsageFollower | null;
  readonly prices: PriceBook;
  readonly nowMs: number;
}

/**
 * The sessions of the last 30 days whose next request costs most if nothing of their context is cached any more, most
 * expensive first. The candidates are found by the last message of each transcript, which is in memory; only their
 * transcripts are read, so that the list is the same for the sessions that it contains as their own figures. A transcript that
 * cannot be read is left out.
 */
export async function listResumeCosts(question: ResumeQuestion): Promise<readonly SessionResume[]> {
  const { usage, contexts, followerOf, prices } = question;
  const found: SessionResume[] = [];
  for (const filePath of candidates(question)) {
    const stamp = statUsageFile(filePath)?.stamp ?? null;
    if (stamp === null) continue;
    const read = await contexts.read(filePath, stamp, followerOf(filePath)).catch(() => null);
    const answer = read?.answer ?? null;
    const file = usage.files.get(filePath);
    if (answer === null || file === undefined) continue;
    found.push({
      filePath,
      sessionId: file.place.sessionId,
      title: file.notes.title,
      context: contextOf(answer),
      resumeCost: resumeCostOf(answer, prices),
    });
  }
  return found.sort(byCost).slice(0, MAX_LISTED);
}

/** The transcripts of sessions whose last message suggests the highest costs. */
function candidates({ usage, prices, nowMs }: ResumeQuestion): readonly string[] {
  const { index } = usage;
  index.prepare();
  const { columns, models } = index;
  const first = quarterOf(nowMs - RECENT_MS);
  // Clocks of several machines differ; a message from further in the future has a wrong time.
  const end = quarterOf(nowMs) + QUARTERS_PER_DAY;
  const guesses: { readonly filePath: string; readonly usd: number; readonly tokens: number }[] = [];
  for (const { place, records } of index.files) {
    if (place.isAgent) continue;
    let last = -1;
    for (let at = records.count - 1; at >= 0 && last < 0; at--) {
      const record = records.at(at);
      if (record >= 0 && !columns.isSidechain(record)) last = record;
    }
    const quarter = last < 0 ? NO_TIME : columns.quarter.get(last);
    if (quarter < first || quarter > end) continue;
    const { model, ...counts } = columns.message(last, models);
    const { usd } = resumeCostOf({ model, counts }, prices);
    guesses.push({ filePath: place.filePath, usd: usd ?? -1, tokens: contextOf({ model, counts }).tokens });
  }
  return guesses
    .sort((a, b) => b.usd - a.usd || b.tokens - a.tokens)
    .slice(0, MAX_READ)
    .map(({ filePath }) => filePath);
}

function byCost(a: SessionResume, b: SessionResume): number {
  return (b.resumeCost.usd ?? -1) - (a.resumeCost.usd ?? -1) || b.context.tokens - a.context.tokens;
}
