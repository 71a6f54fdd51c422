import type { ItemRole } from '../conversation';

/** What is searched for in all sessions. */
export interface SearchQuery {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly isCaseSensitive: boolean;
  /** Empty: everybody. */
  readonly roles: readonly ItemRole[];
  /** The search ends with so many matches; 1 or more. */
  readonly limit: number;
}

/** A row with a hit. */
export interface SearchMatch {
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** 1-based line of the transcript: what a row is named by. */
  readonly line: number;
  readonly uuid: string | null;
  readonly role: ItemRole;
  /** It holds what a tool gave, which the client hands on in the person's name. */
  readonly isResult: boolean;
  /** Milliseconds since the epoch; null where the row tells no time. */
  readonly timeMs: number | null;
  /** The text around the first hit, on one line, of at most 200 UTF-16 units. */
  readonly excerpt: string;
  /** The hit in the excerpt, in UTF-16 units; cut where it is longer than the excerpt. */
  readonly hit: { readonly start: number; readonly end: number };
}

export interface SearchProgress {
  readonly sessionsDone: number;
  readonly sessionsTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface SearchOutcome {
  readonly matches: number;
  readonly progress: SearchProgress;
  /** It ended at its limit, or gave up on a text that took too long; there may be more. */
  readonly isCut: boolean;
  readonly isCancelled: boolean;
  /** Transcripts that could not be read, and why: one sentence each. */
  readonly unreadable: readonly { readonly filePath: string; readonly problem: string }[];
  /** Why nothing was searched: the regular expression is none, or there is no text. One sentence for people. */
  readonly problem: string | null;
}

/** Calls from the host to the worker. */
export interface SearchApi {
  /**
   * Searches all sessions, those with the latest activity first. Matches come as events; resolves when all of them were
   * told. `searchId` is the caller's, and no two searches that run at the same time share one.
   */
  searchSessions(query: SearchQuery, searchId: string): Promise<SearchOutcome>;
  /** The search resolves soon. One that is not running is no error. */
  cancelSearch(searchId: string): Promise<void>;
}

/** Calls from the worker to the host. */
export interface SearchEvents {
  /**
   * Matches in their order, and how far the search is; without matches it tells the progress alone, a few times a
   * second. The search goes on when the host has taken it.
   */
  searchFound(searchId: string, matches: readonly SearchMatch[], progress: SearchProgress): void | Promise<void>;
}
