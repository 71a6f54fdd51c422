import { answeredEvent, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { ItemRole } from '../conversation';

/** Searches across all sessions. */
export const searchChannel = defineChannel(
  'search',
  {
    /**
     * Searches sessions in order of activity, most recent first. Matches arrive as events; resolves when all of them were
     * received. `searchId` is chosen by the caller; a later search with the same id ends the earlier one.
     */
    searchSessions: cancellable<(query: SearchQuery, searchId: string) => SearchOutcome>(),
  },
  {
    /** The search continues once the caller has answered. */
    searchFound: answeredEvent<(news: SearchUpdateEvent) => void>(),
  },
);

export type SearchCalls = Calls<typeof searchChannel>;
export type SearchEvents = Events<typeof searchChannel>;

/** A query over all sessions. */
export interface SearchQuery {
  readonly text: string;
  readonly isRegExp: boolean;
  readonly isCaseSensitive: boolean;
  /** Empty for all roles. */
  readonly roles: readonly ItemRole[];
  /** The search ends after this many matches; 1 or more. */
  readonly limit: number;
}

/** A row that matches the query. */
export interface SearchMatch {
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** 1-based line of the transcript; it identifies the row. */
  readonly line: number;
  readonly uuid: string | null;
  readonly role: ItemRole;
  /** The row holds a tool result, which the client sends as a user message. */
  readonly isResult: boolean;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
  /** The text around the first hit, on one line, at most 200 UTF-16 units. */
  readonly excerpt: string;
  /** Position of the hit in the excerpt, in UTF-16 units; truncated if longer than the excerpt. */
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
  /** The search reached its limit or gave up on a text that took too long; there may be more. */
  readonly isCut: boolean;
  readonly isCancelled: boolean;
  /** Transcripts that could not be read, each with one sentence why. */
  readonly unreadable: readonly { readonly filePath: string; readonly problem: string }[];
  /** Why nothing was searched: the regular expression is invalid, or the text is empty. One sentence for people. */
  readonly problem: string | null;
}

/** Matches in order, with the progress of the search. Updates without matches report only progress, a few times a second. */
export interface SearchUpdateEvent {
  readonly searchId: string;
  readonly matches: readonly SearchMatch[];
  readonly progress: SearchProgress;
}
