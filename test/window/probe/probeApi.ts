/** Milliseconds since the epoch. All that is measured runs on one machine, whose clock the processes share. */
export type EpochMs = number;

/** What the runner asks of the extension that is loaded beside ours: `POST /<name>` with its argument as JSON. */
export interface ProbeApi {
  /** Runs our command; the answer is the moment it began in the extension host. */
  open(target: { readonly filePath: string }): Promise<EpochMs>;
  /** A viewer as viewers are commonly written. */
  openSeed(target: SeedTarget): Promise<SeedOpening>;
  closeAll(none: null): Promise<null>;
  /** Sessions whose health is known, and all that were found. */
  scanned(none: null): Promise<readonly [number, number]>;
}

export interface SeedTarget {
  readonly filePath: string;
  /** Reads the file once the page has said that it is there; else at once, while VS Code makes the page. */
  readonly waitsForPage: boolean;
}

export interface SeedOpening {
  readonly startedMs: EpochMs;
  /** The page's script ran. */
  readonly pageMs: EpochMs;
  readonly readingMs: EpochMs;
  readonly parsedMs: EpochMs;
  /** The page has all rows. */
  readonly receivedMs: EpochMs;
  readonly rows: number;
}

/** Names the file in which the extension writes the port that it listens on. */
export const PORT_FILE_VARIABLE = 'RETHREAD_WINDOW_PROBE';
