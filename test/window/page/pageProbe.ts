import type { EpochMs } from '../probe/probeApi';
import type { ListChanges } from './listChanges';

/** Observations in the page of a panel, from outside the panel. */
export interface PageSeen {
  /** Its first rows are there, and no placeholders are left. */
  readonly filledMs: EpochMs | null;
  /** Those rows have been painted. */
  readonly paintedMs: EpochMs | null;
  /** Bytes that the page had received until then, as JSON in UTF-8. */
  readonly crossed: number;
}

/** The requests of the runner to a page. */
export interface PageProbe {
  seen(): PageSeen;
  /** When a row with that text was visible and painted. */
  paintedWith(text: string): Promise<EpochMs>;
  /** Scrolls from one end of the list to the other, and waits at each step for its rows. */
  scrollThrough(options: ScrollOptions): Promise<void>;
  /** Starts to watch the side bar; returns what was seen so far. */
  watchList(): () => ListChanges;
}

export interface ScrollOptions {
  readonly steps: number;
  readonly isUp: boolean;
  /** The wait for the rows of one step. */
  readonly timeoutMs: number;
}

declare global {
  interface Window {
    readonly rethreadProbe: PageProbe;
  }
}
