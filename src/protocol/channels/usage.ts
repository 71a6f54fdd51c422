import { answeredEvent, call, type Calls, defineChannel, type Events } from '../channel';
import type { PriceOverrides, SessionUsage, UsageGrouping, UsageOverview } from '../usage';

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
