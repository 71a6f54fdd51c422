import { answeredEvent, call, type Calls, defineChannel, type Events } from '../channel';
import type { PriceOverrides, SessionUsage, UsageGrouping, UsageOverview } from '../usage';

const MINUTE_MS = 60_000;

/** What was used of tokens. */
export const usageChannel = defineChannel(
  'usage',
  {
    /**
     * The figures by what is known already, at once; what changed on disk is counted behind it, and sent by `usageChanged`.
     * Null ends the watching.
     */
    watchUsage: call<(view: UsageView | null) => UsageOverview | null>({ timeoutMs: 2 * MINUTE_MS }),
    /** Null when there is no such transcript. Counts the session and its subagents, if they changed. */
    sessionUsage: call<(filePath: string, view: UsageView) => SessionUsage | null>({ timeoutMs: 10 * MINUTE_MS }),
    /** Writes what was used as a CSV file, once all of it is counted; a file that exists is replaced. `target`: absolute path. */
    exportUsage: call<(by: UsageGrouping, view: UsageView, target: string) => UsageExport>({
      timeoutMs: 20 * MINUTE_MS,
    }),
  },
  {
    /** Its answer asks for the next one. */
    usageChanged: answeredEvent<(overview: UsageOverview) => void>(),
  },
);

export type UsageCalls = Calls<typeof usageChannel>;
export type UsageEvents = Events<typeof usageChannel>;

/** For whom figures are made. */
export interface UsageView {
  /** IANA name; days are those of this zone. */
  readonly timeZone: string;
  readonly priceOverrides: PriceOverrides;
}

export interface UsageExport {
  /** Why there is no file: one sentence for people. A file that was there is as it was. */
  readonly problem: string | null;
}
