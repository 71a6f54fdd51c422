import type { EpochMs } from '../probe/probeApi';

/** What was seen in the page of a panel, from outside of it. */
export interface PageSeen {
  /** Its first rows are there, and no place is still empty. */
  readonly filledMs: EpochMs | null;
  /** Those rows have been painted. */
  readonly paintedMs: EpochMs | null;
  /** Bytes that the page was sent until then, as JSON in UTF-8. */
  readonly crossed: number;
}

/** What the runner asks in a page. */
export interface PageProbe {
  seen(): PageSeen;
  /** When a row with that text was in sight, and painted. */
  paintedWith(text: string): Promise<EpochMs>;
  /** Scrolls from one end of the list to the other, and waits at each step for its rows to come. */
  scrollThrough(options: ScrollOptions): Promise<void>;
}

export interface ScrollOptions {
  readonly steps: number;
  readonly isUp: boolean;
  /** For the rows of one step. */
  readonly timeoutMs: number;
}

declare global {
  interface Window {
    readonly rethreadProbe: PageProbe;
  }
}
