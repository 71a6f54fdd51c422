import type { PriceOverrides, SessionUsage, UsageGrouping, UsageOverview } from '../usage';

/** For whom figures are made. */
export interface UsageView {
  /** IANA name; days are those of this zone. */
  readonly timeZone: string;
  readonly priceOverrides: PriceOverrides;
}

/** What the worker tells of tokens. */
export interface UsageApi {
  /**
   * The figures by what is known already, at once; what changed on disk is counted behind it, and told by
   * `usageChanged`. Null ends the watching.
   */
  watchUsage(view: UsageView | null): Promise<UsageOverview | null>;
  /** Null when there is no such transcript. Counts the session and its subagents, if they changed. */
  sessionUsage(filePath: string, view: UsageView): Promise<SessionUsage | null>;
  /** Writes what was used as a CSV file, once all of it is counted; a file that exists is replaced. `target`: absolute path. */
  exportUsage(by: UsageGrouping, view: UsageView, target: string): Promise<UsageExport>;
}

export interface UsageExport {
  /** Why there is no file: one sentence for people. A file that was there is as it was. */
  readonly problem: string | null;
}

export interface UsageEvents {
  /** Its answer asks for the next one. */
  usageChanged(overview: UsageOverview): void | Promise<void>;
}
