import type {
  FoundSession,
  SearchForm,
  SearchNavigation,
  SearchNews,
  SearchStart,
} from '../../../src/protocol/channels/searchView';

/** What the page asked of the extension, by the name of the call. */
export type SearchAsk = readonly [call: string, ...args: readonly unknown[]];

/** The changes to the Search view that a test can trigger in it. */
export interface FakeSearch {
  /** Sends news, as the extension would. */
  tell(news: SearchNews): void;
  /** Adds sessions to what was found. */
  find(sessions: readonly FoundSession[]): void;
  /** Sessions with as many hits each. */
  sessions(count: number, hits: number, project?: string): readonly FoundSession[];
  focusInput(): void;
  asked(): readonly SearchAsk[];
  /** What was searched for last. */
  form(): SearchForm | null;
  navigation(): SearchNavigation | null;
  /** The next start answers with this. */
  start(change: Partial<SearchStart>): void;
}

declare global {
  interface Window {
    readonly search: FakeSearch;
  }
}
