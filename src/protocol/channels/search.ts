import { answeredEvent, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { ItemRole } from '../conversation';

/** Searches of all sessions. */
export const searchChannel = defineChannel(
  'search',
  {
    /**
     * Those with the latest activity come first. Matches come as events; resolves when all of them were taken. `searchId` is
     * the caller's; a later search of the same id ends the one before.
     */
    searchSessions: cancellable<(query: SearchQuery, searchId: string) => SearchOutcome>(),
  },
  {
    /** The search continues when this was taken. */
    searchFound: answeredEvent<(news: SearchUpdateEvent) => void>(),
  },
);

export type SearchCalls = Calls<typeof searchChannel>;
export type SearchEvents = Events<typeof searchChannel>;

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

/** Matches in their order, and how far the search is; without matches it says the progress alone, a few times a second. */
export interface SearchUpdateEvent {
  readonly searchId: string;
  readonly matches: readonly SearchMatch[];
  readonly progress: SearchProgress;
}
