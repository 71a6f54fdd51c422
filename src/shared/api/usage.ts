import type { PriceOverrides, SessionUsage, UsageGrouping, UsageOverview, UsageReport } from '../usage';

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
  /** Everything, once it is counted. */
  usageReport(by: UsageGrouping, view: UsageView): Promise<UsageReport>;
}

export interface UsageEvents {
  /** Its answer asks for the next one. */
  usageChanged(overview: UsageOverview): void | Promise<void>;
}
