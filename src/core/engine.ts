import type { SearchOutcome, SearchQuery } from '../protocol/channels/search';
import { type ListingDeps, searchSessions, type SearchUpdate } from './conversation/search/searchSessions';
import { type Diagnostics, diagnosticsFor } from './diagnose/verdict';
import { type ClaudeProviderDeps, createClaudeProvider } from './providers/claude/claudeProvider';
import type { SessionProvider } from './providers/provider';
import { readQuickMetadata } from './sessions/quickMetadata';
import { diskSessionFiles } from './util/diskFiles';
import { createPacer } from './util/scheduling';

export interface SearchOptions {
  /** As for `find`. */
  readonly paths?: readonly string[];
  readonly known?: ListingDeps['known'];
  readonly signal?: AbortSignal;
}

/** The interface of core for the worker and the command line. */
export interface Engine extends SessionProvider {
  /** The rules and checks of the provider's verdicts, for code that forks or rewinds a transcript. */
  readonly diagnostics: Diagnostics;
  /** Searches the displayed text; see `searchSessions`. Advances as its updates are consumed. */
  search(query: SearchQuery, options?: SearchOptions): AsyncGenerator<SearchUpdate, SearchOutcome, undefined>;
}

export interface EngineDeps extends Omit<ClaudeProviderDeps, 'diagnostics'> {
  /** By default, all checks, by the rules of the newest measured client. */
  readonly diagnostics?: Diagnostics;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

/** Connects the parts of core. */
export function createEngine(deps: EngineDeps): Engine {
  const diagnostics = deps.diagnostics ?? diagnosticsFor();
  const provider = createClaudeProvider({ ...deps, diagnostics });
  const pacer = createPacer(MAX_WORK_MS);
  return {
    ...provider,
    diagnostics,
    search: (query, { paths = [], known, signal } = {}) =>
      searchSessions(
        query,
        provider.find(paths, signal),
        { files: diskSessionFiles, readQuickMetadata, known, pacer },
        signal,
      ),
  };
}
