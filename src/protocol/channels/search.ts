import { answeredEvent, call, type Calls, cancellable, defineChannel, type Events } from '../channel';
import type { ItemRole } from '../conversation';

/** Reading a transcript of several gigabytes takes minutes. */
const CHANGES_TIMEOUT_MS = 10 * 60_000;

/** Searches across all sessions. */
export const searchChannel = defineChannel(
  'search',
  {
    /**
     * Searches sessions in the order of the query, most recent activity first. Matches arrive as events; resolves when all of
     * them were received. `searchId` is chosen by the caller; a later search with the same id ends the earlier one.
     */
    searchSessions: cancellable<(query: SearchQuery, searchId: string) => SearchOutcome>(),
    /** The sessions in which a file was changed, the latest change first. `path`: absolute. */
    sessionsThatChanged: cancellable<(path: string) => readonly SessionOfFile[]>(),
    /** The files that a session changed. `transcriptPath`: absolute. */
    filesChangedBy: call<(transcriptPath: string) => ChangedFiles>({ timeoutMs: CHANGES_TIMEOUT_MS }),
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
  /** Absent for all rows of all sessions. */
  readonly filters?: SearchFilters;
  /**
   * Sessions of a project follow each other: projects come in order of their latest activity, and so do the sessions of each.
   * Otherwise, sessions come in order of activity, whatever their projects are.
   */
  readonly isByProject?: boolean;
}

export const SEARCH_AUTHORS = ['you', 'claude', 'tools'] as const;

/** `you`: prompts of the person. `claude`: replies, thinking and calls. `tools`: calls and their results. */
export type SearchAuthor = (typeof SEARCH_AUTHORS)[number];

/** A row has to meet all of them. */
export interface SearchFilters {
  /** Null for everyone. */
  readonly author: SearchAuthor | null;
  /** Part of a tool's name, as in a `FindQuery`; empty for rows of every kind. */
  readonly tool: string;
  /** The row is not older, in milliseconds since the epoch; null for no limit. A row without a time never meets a limit. */
  readonly sinceMs: number | null;
  /** The row is older, in milliseconds since the epoch; null for no limit. */
  readonly beforeMs: number | null;
  /** Null for sessions anywhere. */
  readonly place: SearchPlace | null;
  /** Part of the name of the Git branch that the row names, regardless of case; empty for any. */
  readonly branch: string;
}

/** `workspace`: projects that belong to the folders of the window. `project`: the folder under `projects/` of a config folder. */
export type SearchPlace = { readonly kind: 'workspace' } | { readonly kind: 'project'; readonly folder: string };

/** A row that matches the query. */
export interface SearchMatch {
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** Absolute path of the folder that holds the transcript. */
  readonly projectFolder: string;
  /** Working directory of the session; null if unknown. */
  readonly cwd: string | null;
  /** Time of the session's last message, in milliseconds since the epoch; null if no message has a time. */
  readonly lastMessageMs: number | null;
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

/** Sessions that the filters exclude as a whole are not counted. */
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

/** A session in which Claude, or a subagent, changed a file with its editing tools. */
export interface SessionOfFile {
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** 1 or more. */
  readonly changes: number;
  /** 1-based line of the last change in the transcript itself; null if only subagents changed the file. */
  readonly line: number | null;
  /** Time of the last change, in milliseconds since the epoch; null if unknown. */
  readonly timeMs: number | null;
}

export interface ChangedFiles {
  /** In the order in which they were first changed. */
  readonly compared: readonly ChangedFile[];
  /** Absolute paths of the files that were changed, too, but whose contents the transcripts do not hold. */
  readonly unknown: readonly string[];
}

/** A file as it was before the first change and after the last. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
}
