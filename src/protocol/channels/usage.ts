import { answeredEvent, call, type Calls, defineChannel, type Events } from '../channel';
import type { PriceOverrides, SessionResume, SessionUsage, ToolUsage, UsageGrouping, UsageOverview } from '../usage';

const MINUTE_MS = 60_000;

/** Token usage. */
export const usageChannel = defineChannel(
  'usage',
  {
    /**
     * Returns the figures known so far at once. Changes on disk are counted in the background and sent with `usageChanged`.
     * Null stops watching.
     */
    watchUsage: call<(view: UsageView | null) => UsageOverview | null>({ timeoutMs: 2 * MINUTE_MS }),
    /** Null if there is no such transcript. Counts the session and its subagents if they changed. */
    sessionUsage: call<(filePath: string, view: UsageView) => SessionUsage | null>({ timeoutMs: 10 * MINUTE_MS }),
    /**
     * The sessions of the last 30 days whose next request costs most without a cache, most expensive first, of those that are
     * counted so far. At most 20.
     */
    resumeCosts: call<(view: UsageView) => readonly SessionResume[]>({ timeoutMs: 10 * MINUTE_MS }),
    /**
     * The tools that were called in the transcripts whose tokens are counted so far. Reads transcripts for some seconds at most
     * and says how many are left: the caller asks again for as long as it shows the figures.
     */
    toolUsage: call<(view: UsageView) => ToolUsage>({ timeoutMs: 10 * MINUTE_MS }),
    /** All tokens of each session and its subagents, by the path of its transcript. Resolves once everything is counted. */
    sessionTokens: call<(view: UsageView) => readonly (readonly [filePath: string, tokens: number])[]>({
      timeoutMs: 20 * MINUTE_MS,
    }),
    /** Writes the usage to a CSV file once everything is counted, replacing an existing file. `target`: absolute path. */
    exportUsage: call<(by: UsageGrouping, view: UsageView, target: string) => UsageExport>({
      timeoutMs: 20 * MINUTE_MS,
    }),
  },
  {
    /** Answering it requests the next update. */
    usageChanged: answeredEvent<(overview: UsageOverview) => void>(),
  },
);

export type UsageCalls = Calls<typeof usageChannel>;
export type UsageEvents = Events<typeof usageChannel>;

/** Settings that the figures depend on. */
export interface UsageView {
  /** IANA name; days are calendar days in this zone. */
  readonly timeZone: string;
  readonly priceOverrides: PriceOverrides;
}

export interface UsageExport {
  /** Why no file was written: one sentence for people. An existing file is unchanged. */
  readonly problem: string | null;
}
