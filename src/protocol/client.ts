/** What a client is known to lose that the newest measured one loads. */
export type ClientLimit =
  /** What comes before a broken link: it does not go on by time. */
  | 'no-healing'
  /** Rows behind NUL bytes. */
  | 'nul-lines'
  /** Rows that share a line. */
  | 'glued-lines'
  /** Results of calls that ran in parallel. */
  | 'parallel-results'
  /** It resumes from the row with the newest time. */
  | 'leaf-by-time';

/**
 * How well the rules of a client are known. `newer`: than the newest measured one, whose rules stand in for its own.
 * `between`: somewhere between two measured clients, one of which has other rules. `older`: it loads less than the newest
 * measured one, at least by its `limits`.
 */
export type ClientStanding = 'exact' | 'newer' | 'between' | 'older';

/** The Claude Code client that a verdict speaks for. */
export interface ClientInfo {
  /** Such as `2.1.330`. */
  readonly version: string;
  /** Its rules were measured: the verdict says what it does. Otherwise the verdict is approximate. */
  readonly isExact: boolean;
  readonly standing: ClientStanding;
  readonly limits: readonly ClientLimit[];
  /** The newest version whose rules were measured. */
  readonly newestMeasured: string;
}

/** A Claude Code client that is installed on this machine. */
export interface FoundClient {
  /** Absolute path of the program; null if there is none that can be run, as in an extension that brings none for this machine. */
  readonly path: string | null;
  /** Null if it does not say. */
  readonly version: string | null;
}

export interface FoundClients {
  /** What `claude` starts in a terminal. */
  readonly onPath: FoundClient | null;
  /** What Claude Code's own extension brings. */
  readonly ofExtension: FoundClient | null;
}

/** Three numbers, such as `2.1.330`. */
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

export function isClientVersion(text: string): boolean {
  return VERSION.test(text);
}
