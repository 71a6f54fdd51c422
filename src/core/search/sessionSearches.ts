import type { SearchApi, SearchEvents, SearchOutcome, SearchQuery } from '../../shared/api/search';
import type { SearchUpdate } from './searchSessions';

/** Starts a search; it goes on as its updates are taken. */
export type StartSearch = (
  query: SearchQuery,
  signal: AbortSignal,
) => AsyncGenerator<SearchUpdate, SearchOutcome, undefined>;

/** The searches that run, by the ids that their callers gave them. */
export class SessionSearches implements SearchApi {
  readonly #start: StartSearch;
  readonly #events: SearchEvents;
  readonly #running = new Map<string, AbortController>();

  constructor(start: StartSearch, events: SearchEvents) {
    this.#start = start;
    this.#events = events;
  }

  async searchSessions(query: SearchQuery, searchId: string): Promise<SearchOutcome> {
    this.#running.get(searchId)?.abort();
    const controller = new AbortController();
    this.#running.set(searchId, controller);
    try {
      const updates = this.#start(query, controller.signal);
      for (;;) {
        const step = await updates.next();
        if (step.done === true) return step.value;
        // Who cancelled wants to hear no more; the end comes with the next step.
        if (!controller.signal.aborted)
          await this.#events.searchFound(searchId, step.value.matches, step.value.progress);
      }
    } finally {
      if (this.#running.get(searchId) === controller) this.#running.delete(searchId);
    }
  }

  cancelSearch(searchId: string): Promise<void> {
    this.#running.get(searchId)?.abort();
    return Promise.resolve();
  }

  /** The thread is about to end, or other sessions take the place of these. */
  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }
}
