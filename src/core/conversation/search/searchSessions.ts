import type {
  SearchCalls,
  SearchEvents,
  SearchFilters,
  SearchMatch,
  SearchOutcome,
  SearchProgress,
  SearchQuery,
} from '../../../protocol/channels/search';
import type { QuickMetadata } from '../../../protocol/session';
import type { FoundTranscript } from '../../providers/provider';
import type { SessionFiles } from '../../util/diskFiles';
import { fileProblem } from '../../util/openForeignFile';
import type { Pacer } from '../../util/scheduling';
import { searchTranscript, type TranscriptStep } from './searchTranscript';
import { createMatcher, type TextMatcher } from './textMatcher';

/** The matches since the previous update, and the progress of the search. */
export interface SearchUpdate {
  readonly matches: readonly SearchMatch[];
  readonly progress: SearchProgress;
}

export interface SearchDeps extends ListingDeps {
  readonly pacer: Pacer;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** An update is due after this many matches or milliseconds. */
const MAX_MATCHES = 50;
const UPDATE_MS = 50;

/**
 * Searches the displayed text of transcripts in the order of the query, and each in line order. Those in which no row can meet
 * the filters are not read. Returns how
 * the search ended: an invalid query, an unreadable file and an abort are outcomes, not errors.
 */
export async function* searchSessions(
  query: SearchQuery,
  found: AsyncIterable<FoundTranscript>,
  deps: SearchDeps,
  signal?: AbortSignal,
): AsyncGenerator<SearchUpdate, SearchOutcome, undefined> {
  const created = createMatcher(query);
  if (created.kind === 'problem') return { ...NOTHING, problem: created.problem };
  let sessions: readonly SearchedSession[];
  try {
    sessions = await listSessions(query, found, deps, signal);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return { ...NOTHING, isCancelled: true };
  }
  const run = new SearchRun(query, created.matcher, sessions, deps, signal);
  yield* run.updates();
  return run.outcome();
}

const NOTHING: SearchOutcome = {
  matches: 0,
  progress: { sessionsDone: 0, sessionsTotal: 0, bytesDone: 0, bytesTotal: 0 },
  isCut: false,
  isCancelled: false,
  unreadable: [],
  problem: null,
};

class SearchRun {
  readonly #query: SearchQuery;
  readonly #matcher: TextMatcher;
  readonly #sessions: readonly SearchedSession[];
  readonly #deps: SearchDeps;
  readonly #now: () => number;
  readonly #signal: AbortSignal | undefined;
  readonly #limit: number;
  readonly #bytesTotal: number;
  readonly #unreadable: { filePath: string; problem: string }[] = [];
  #pending: SearchMatch[] = [];
  #matches = 0;
  #sessionsDone = 0;
  /** Bytes of the completed sessions; `#bytesRead` has those of the current one. */
  #bytesDone = 0;
  #bytesRead = 0;
  #updatedMs: number;
  #isCut = false;

  constructor(
    query: SearchQuery,
    matcher: TextMatcher,
    sessions: readonly SearchedSession[],
    deps: SearchDeps,
    signal: AbortSignal | undefined,
  ) {
    this.#query = query;
    this.#matcher = matcher;
    this.#sessions = sessions;
    this.#deps = deps;
    this.#now = deps.now ?? ((): number => performance.now());
    this.#signal = signal;
    this.#limit = Math.max(1, Math.floor(query.limit));
    this.#bytesTotal = sessions.reduce((sum, { size }) => sum + size, 0);
    this.#updatedMs = this.#now();
  }

  async *updates(): AsyncGenerator<SearchUpdate, void, undefined> {
    for (const session of this.#sessions) {
      if (this.#isOver()) break;
      try {
        yield* this.#search(session);
      } catch (error) {
        this.#unreadable.push({ filePath: session.filePath, problem: fileProblem(error, session.filePath).message });
      }
      if (this.#isOver()) break;
      this.#sessionsDone += 1;
      this.#bytesDone += session.size;
      this.#bytesRead = 0;
    }
    if (this.#pending.length > 0) yield this.#update();
  }

  outcome(): SearchOutcome {
    return {
      matches: this.#matches,
      progress: this.#progress(),
      isCut: this.#isCut || this.#matcher.skippedTexts > 0,
      isCancelled: this.#signal?.aborted === true,
      unreadable: this.#unreadable,
      problem: null,
    };
  }

  async *#search(session: SearchedSession): AsyncGenerator<SearchUpdate, void, undefined> {
    for (const step of searchTranscript(session.filePath, this.#matcher, this.#query)) {
      this.#take(step, session);
      if (this.#isDue()) yield this.#update();
      if (this.#isOver()) return;
      const turn = this.#deps.pacer.yieldIfDue();
      if (turn !== null) await turn;
      if (this.#isOver()) return;
    }
  }

  #take(
    { matches, bytesRead, skippedLines }: TranscriptStep,
    { size, writtenMs: _written, activityMs: _activity, ...session }: SearchedSession,
  ): void {
    this.#bytesRead = Math.min(bytesRead, size);
    if (skippedLines > 0) this.#isCut = true;
    for (const match of matches) {
      this.#matches += 1;
      this.#pending.push({ ...session, ...match });
      if (this.#matches < this.#limit) continue;
      this.#isCut = true;
      return;
    }
  }

  #isOver(): boolean {
    return this.#matches === this.#limit || this.#matcher.isTooSlow || this.#signal?.aborted === true;
  }

  #isDue(): boolean {
    return this.#pending.length >= MAX_MATCHES || this.#now() - this.#updatedMs >= UPDATE_MS;
  }

  #update(): SearchUpdate {
    const matches = this.#pending;
    this.#pending = [];
    this.#updatedMs = this.#now();
    return { matches, progress: this.#progress() };
  }

  #progress(): SearchProgress {
    return {
      sessionsDone: this.#sessionsDone,
      sessionsTotal: this.#sessions.length,
      bytesDone: Math.min(this.#bytesDone + this.#bytesRead, this.#bytesTotal),
      bytesTotal: this.#bytesTotal,
    };
  }
}

/** A session to search. */
interface SearchedSession extends Pick<
  SearchMatch,
  'filePath' | 'sessionId' | 'title' | 'projectFolder' | 'cwd' | 'lastMessageMs'
> {
  /** Time of its last message, or else of the last change of its file, in milliseconds since the epoch. */
  readonly activityMs: number;
  /** Bytes. */
  readonly size: number;
  /** When the file was last written, in milliseconds since the epoch; null if it is not there. */
  readonly writtenMs: number | null;
}

export interface ListingDeps {
  readonly files: Pick<SessionFiles, 'stamp'>;
  readonly readQuickMetadata: (filePath: string) => Promise<QuickMetadata | null>;
  /** The cached metadata of a session; null if there is none. */
  readonly known?: ((filePath: string) => QuickMetadata | null) | undefined;
  /** Whether a project belongs to the folders of the window; none does without it. */
  readonly isInWorkspace?: ((projectFolder: string, cwd: string | null) => boolean) | undefined;
}

/** Maximum number of sessions whose metadata is read concurrently. */
const LOOKS_AT_ONCE = 32;

/** The sessions in which rows may meet the filters, in order. Rejects with the signal's reason. */
async function listSessions(
  { filters, isByProject = false }: SearchQuery,
  found: AsyncIterable<FoundTranscript>,
  deps: ListingDeps,
  signal?: AbortSignal,
): Promise<readonly SearchedSession[]> {
  const transcripts: FoundTranscript[] = [];
  const place = filters?.place ?? null;
  for await (const each of found) {
    if (place?.kind !== 'project' || place.folder === each.projectFolder) transcripts.push(each);
  }
  const sessions: SearchedSession[] = [];
  for (let at = 0; at < transcripts.length; at += LOOKS_AT_ONCE) {
    signal?.throwIfAborted();
    const group = transcripts.slice(at, at + LOOKS_AT_ONCE);
    sessions.push(...(await Promise.all(group.map((each) => lookAt(each, deps)))));
  }
  const searched = sessions.filter((session) => mayMatch(session, filters, deps)).sort(byActivity);
  return isByProject ? groupByProject(searched) : searched;
}

async function lookAt(
  { path: filePath, id: sessionId, projectFolder }: FoundTranscript,
  deps: ListingDeps,
): Promise<SearchedSession> {
  const stamp = await deps.files.stamp(filePath);
  const look = stamp === null ? null : (deps.known?.(filePath) ?? (await deps.readQuickMetadata(filePath)));
  return {
    filePath,
    sessionId,
    projectFolder,
    title: look?.title ?? null,
    cwd: look?.cwd ?? null,
    lastMessageMs: look?.lastMessageMs ?? null,
    activityMs: look?.lastMessageMs ?? stamp?.mtimeMs ?? 0,
    size: stamp?.size ?? 0,
    writtenMs: stamp?.mtimeMs ?? null,
  };
}

/** A file that is not there is searched all the same, so that the outcome names it. */
function mayMatch(
  { projectFolder, cwd, activityMs, writtenMs }: SearchedSession,
  filters: SearchFilters | undefined,
  { isInWorkspace }: ListingDeps,
): boolean {
  if (filters === undefined) return true;
  if (filters.place?.kind === 'workspace' && isInWorkspace?.(projectFolder, cwd) !== true) return false;
  // Nothing was appended later than the file was written, unless somebody set its time.
  return filters.sinceMs === null || writtenMs === null || Math.max(writtenMs, activityMs) >= filters.sinceMs;
}

function byActivity(a: SearchedSession, b: SearchedSession): number {
  return b.activityMs - a.activityMs || (a.filePath < b.filePath ? -1 : 1);
}

/** Keeps the order within each project. */
function groupByProject(sessions: readonly SearchedSession[]): readonly SearchedSession[] {
  const projects = new Map<string, SearchedSession[]>();
  for (const session of sessions) {
    const project = projects.get(session.projectFolder);
    if (project === undefined) projects.set(session.projectFolder, [session]);
    else project.push(session);
  }
  return [...projects.values()].flat();
}

/** Starts a search, which advances as its updates are consumed. */
export type StartSearch = (
  query: SearchQuery,
  signal: AbortSignal,
) => AsyncGenerator<SearchUpdate, SearchOutcome, undefined>;

/** The running searches, by the ids that their callers assigned. */
export class SessionSearches implements Pick<SearchCalls, 'searchSessions'> {
  readonly #start: StartSearch;
  readonly #events: SearchEvents;
  readonly #running = new Map<string, AbortController>();

  constructor(start: StartSearch, events: SearchEvents) {
    this.#start = start;
    this.#events = events;
  }

  async searchSessions(query: SearchQuery, searchId: string, signal: AbortSignal): Promise<SearchOutcome> {
    this.#running.get(searchId)?.abort();
    const controller = new AbortController();
    this.#running.set(searchId, controller);
    const ending = AbortSignal.any([signal, controller.signal]);
    try {
      const updates = this.#start(query, ending);
      for (;;) {
        const step = await updates.next();
        if (step.done === true) return step.value;
        // No updates are sent after a cancellation; the search ends with its next step.
        if (!ending.aborted) await this.#events.searchFound({ searchId, ...step.value });
      }
    } finally {
      if (this.#running.get(searchId) === controller) this.#running.delete(searchId);
    }
  }

  /** Called when the thread shuts down, or when other sessions replace these. */
  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }
}
