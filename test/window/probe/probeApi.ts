/** Milliseconds since the epoch. All measurements run on one machine, whose clock the processes share. */
export type EpochMs = number;

/** The requests of the runner to the extension that is loaded beside ours: `POST /<name>` with its argument as JSON. */
export interface ProbeApi {
  /** Runs our command; returns the time when it began in the extension host. */
  open(target: { readonly filePath: string }): Promise<EpochMs>;
  /** A viewer in the common design. */
  openSeed(target: SeedTarget): Promise<SeedOpening>;
  closeAll(none: null): Promise<null>;
  /** Shows the list of sessions, and opens its filter. */
  showFilter(none: null): Promise<null>;
  /** Sessions whose health is known, and all that were found. */
  scanned(none: null): Promise<readonly [number, number]>;
}

export interface SeedTarget {
  readonly filePath: string;
  /** Reads the file after the page has reported that it is ready; otherwise at once, while VS Code creates the page. */
  readonly waitsForPage: boolean;
}

export interface SeedOpening {
  readonly startedMs: EpochMs;
  /** When the page's script ran. */
  readonly pageMs: EpochMs;
  readonly readingMs: EpochMs;
  readonly parsedMs: EpochMs;
  /** When the page had all rows. */
  readonly receivedMs: EpochMs;
  readonly rows: number;
}

/** Names the file in which the extension writes the port on which it listens. */
export const PORT_FILE_VARIABLE = 'RETHREAD_WINDOW_PROBE';
