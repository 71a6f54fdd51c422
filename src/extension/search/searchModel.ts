import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { SearchFilters, SearchMatch, SearchOutcome, SearchQuery } from '../../protocol/channels/search';
import {
  EMPTY_FORM,
  type FoundHit,
  type FoundSession,
  type HitAuthor,
  type HitPlace,
  MAX_HITS,
  type SearchDate,
  type SearchForm,
  type SearchNavigation,
  type SearchNews,
  type SearchStatus,
  searchViewSchemas,
} from '../../protocol/channels/searchView';
import { Disposable, Emitter } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';

const DAY_MS = 24 * 3600_000;

export interface SearchModelDeps {
  readonly client: { readonly search: Pick<WorkerClient['search'], 'searchSessions' | 'onSearchFound'> };
  /** How the session of a match is shown. */
  readonly describeSession: (match: SearchMatch) => Omit<FoundSession, 'filePath' | 'hits'>;
  /** The message shown to the person when something failed. */
  readonly describe: (error: unknown) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What is stored of a search. Without the results: the texts of messages are not written to the disk. */
export interface KeptSearch {
  readonly form: SearchForm;
  readonly navigation: SearchNavigation;
  readonly current: HitPlace | null;
}

/** The search of the Search view: what the person looks for, what was found, and the hit that was opened last. */
export class SearchModel extends Disposable {
  readonly #deps: SearchModelDeps;
  readonly #news = this._register(new Emitter<SearchNews>());
  #kept: KeptSearch;
  #sessions: FoundSession[] = [];
  /** The hits in the order of the view. */
  #hits: HitPlace[] = [];
  #status: SearchStatus = { kind: 'idle' };
  #running: AbortController | null = null;

  readonly onNews = this.#news.event;

  /** `kept`: as stored before the window was reloaded. */
  constructor(deps: SearchModelDeps, kept: unknown) {
    super();
    this.#deps = deps;
    this.#kept = readKeptSearch(kept);
    this._register({
      dispose: () => {
        this.#running?.abort();
      },
    });
  }

  get kept(): KeptSearch {
    return this.#kept;
  }

  get sessions(): readonly FoundSession[] {
    return this.#sessions;
  }

  get status(): SearchStatus {
    return this.#status;
  }

  get hasHits(): boolean {
    return this.#hits.length > 0;
  }

  /** Searches for what the person looked for before the window was reloaded, unless that was done. */
  resume(): void {
    if (this.#status.kind === 'idle' && isSearchable(this.#kept.form)) void this.#run(this.#kept.form);
  }

  /** Ends the running search. Searching for the same again keeps the current hit. */
  search(form: SearchForm): void {
    const isSame = JSON.stringify(form) === JSON.stringify(this.#kept.form);
    this.#kept = isSame
      ? this.#kept
      : { ...this.#kept, form, current: null, navigation: { ...this.#kept.navigation, folded: [], scrollTop: 0 } };
    if (isSearchable(form)) void this.#run(form);
    else this.#clear();
  }

  navigated(navigation: SearchNavigation): void {
    this.#kept = { ...this.#kept, navigation };
  }

  /** The hit that is opened. */
  choose(current: HitPlace): void {
    this.#kept = { ...this.#kept, current };
  }

  /** Moves to the next hit (1) or the previous one (-1), wrapping at the ends; null if there is none. */
  step(by: 1 | -1): HitPlace | null {
    const { current } = this.#kept;
    const at = this.#hits.findIndex(({ filePath, line }) => filePath === current?.filePath && line === current.line);
    const from = at < 0 && by < 0 ? 0 : at;
    const hit = this.#hits[(from + by + this.#hits.length) % Math.max(1, this.#hits.length)] ?? null;
    if (hit === null) return null;
    this.choose(hit);
    this.#news.fire({ kind: 'current', current: hit });
    return hit;
  }

  async #run(form: SearchForm): Promise<void> {
    const { client, describe, now } = this.#deps;
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#begin();
    const searchId = randomUUID();
    const listening = client.search.onSearchFound(({ searchId: id, matches, progress }) => {
      if (id !== searchId || running.signal.aborted) return;
      if (matches.length > 0) this.#add(matches);
      const { sessionsDone, sessionsTotal } = progress;
      this.#setStatus({ kind: 'searching', sessionsDone, sessionsTotal });
    });
    try {
      const outcome = await client.search.searchSessions(searchQuery(form, now()), searchId, running.signal);
      if (running.signal.aborted) return;
      // The worker ends all searches when it is configured for other folders or another client.
      if (outcome.isCancelled) void this.#run(form);
      else this.#setStatus(statusOf(outcome));
    } catch (error) {
      if (!running.signal.aborted) this.#setStatus({ kind: 'failed', problem: describe(error) });
    } finally {
      listening.dispose();
    }
  }

  #begin(): void {
    this.#sessions = [];
    this.#hits = [];
    this.#status = { kind: 'searching', sessionsDone: 0, sessionsTotal: 0 };
    this.#news.fire({ kind: 'started' });
  }

  #clear(): void {
    this.#running?.abort();
    this.#running = null;
    this.#begin();
    this.#setStatus({ kind: 'idle' });
  }

  #add(matches: readonly SearchMatch[]): void {
    const hits = this.#hits.length;
    const sessions: FoundSession[] = [];
    for (const match of matches) {
      const { filePath, line } = match;
      this.#hits.push({ filePath, line });
      const last = sessions.at(-1);
      if (last?.filePath === filePath) sessions[sessions.length - 1] = withHits(last, [hitOf(match)]);
      else sessions.push({ filePath, ...this.#deps.describeSession(match), hits: [hitOf(match)] });
    }
    this.#sessions = addFound(this.#sessions, sessions);
    this.#news.fire({ kind: 'found', hits, sessions });
  }

  #setStatus(status: SearchStatus): void {
    this.#status = status;
    this.#news.fire({ kind: 'status', status });
  }
}

function addFound(before: readonly FoundSession[], found: readonly FoundSession[]): FoundSession[] {
  const [first, ...others] = found;
  const last = before.at(-1);
  if (first === undefined || last?.filePath !== first.filePath) return [...before, ...found];
  return [...before.slice(0, -1), withHits(last, first.hits), ...others];
}

function withHits(session: FoundSession, hits: readonly FoundHit[]): FoundSession {
  return { ...session, hits: [...session.hits, ...hits] };
}

function hitOf({ line, timeMs, excerpt, hit, role, isResult }: SearchMatch): FoundHit {
  const authors: Partial<Record<SearchMatch['role'], HitAuthor>> = { user: 'you', assistant: 'claude' };
  return { line, timeMs, excerpt, hit, author: isResult ? 'tools' : (authors[role] ?? 'client') };
}

function statusOf({ problem, progress, isCut, unreadable }: SearchOutcome): SearchStatus {
  if (problem !== null) return { kind: 'failed', problem };
  return {
    kind: 'done',
    sessionsTotal: progress.sessionsTotal,
    isCut,
    unreadable: unreadable.map(({ filePath, problem: why }) => ({
      name: filePath.replace(/^.*[/\\]/, ''),
      problem: why,
    })),
  };
}

function isSearchable({ text }: SearchForm): boolean {
  return text.trim() !== '';
}

/** The query of a form. `nowMs`: milliseconds since the epoch. */
export function searchQuery(form: SearchForm, nowMs: number): SearchQuery {
  const { text, isRegExp, isCaseSensitive, author, place } = form;
  const filters: SearchFilters = {
    author,
    place,
    // Nobody but Claude and the tools calls tools.
    tool: author === 'you' ? '' : form.tool.trim(),
    branch: form.branch.trim(),
    ...timesOf(form.date, nowMs),
  };
  return { text, isRegExp, isCaseSensitive, roles: [], limit: MAX_HITS, isByProject: true, filters };
}

function timesOf(date: SearchDate, nowMs: number): Pick<SearchFilters, 'sinceMs' | 'beforeMs'> {
  switch (date) {
    case 'any':
      return { sinceMs: null, beforeMs: null };
    case 'today':
      return { sinceMs: new Date(nowMs).setHours(0, 0, 0, 0), beforeMs: null };
    case 'week':
      return { sinceMs: nowMs - 7 * DAY_MS, beforeMs: null };
    case 'month':
      return { sinceMs: nowMs - 30 * DAY_MS, beforeMs: null };
    case 'older':
      return { sinceMs: null, beforeMs: nowMs - 30 * DAY_MS };
  }
}

/** A search as it was stored; an empty one if that cannot be read. */
function readKeptSearch(kept: unknown): KeptSearch {
  const read = v.safeParse(searchViewSchemas.KEPT, kept);
  if (read.success) return read.output;
  return { form: EMPTY_FORM, navigation: { hasFilters: false, folded: [], scrollTop: 0 }, current: null };
}
