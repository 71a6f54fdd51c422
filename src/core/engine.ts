import type { ChangedFiles, SearchOutcome, SearchQuery, SessionOfFile } from '../protocol/channels/search';
import { filesChangedBy, sessionsThatChanged } from './conversation/search/fileEdits';
import { type ListingDeps, searchSessions, type SearchUpdate } from './conversation/search/searchSessions';
import { type Diagnostics, diagnosticsFor } from './diagnose/verdict';
import { type ClaudeProviderDeps, createClaudeProvider } from './providers/claude/claudeProvider';
import { readRetention, sweptAtMs } from './providers/claude/live/retention';
import { readExemption } from './providers/claude/live/sweepExemption';
import type { SessionProvider } from './providers/provider';
import { readQuickMetadata } from './sessions/quickMetadata';
import { diskSessionFiles } from './util/diskFiles';
import { createPacer } from './util/scheduling';

export interface SearchOptions {
  /** As for `find`. */
  readonly paths?: readonly string[];
  readonly known?: ListingDeps['known'];
  readonly isInWorkspace?: ListingDeps['isInWorkspace'];
  readonly signal?: AbortSignal;
}

/** The interface of core for the worker and the command line. */
export interface Engine extends SessionProvider {
  /** The rules and checks of the provider's verdicts, for code that forks or rewinds a transcript. */
  readonly diagnostics: Diagnostics;
  /** Searches the displayed text; see `searchSessions`. Advances as its updates are consumed. */
  search(query: SearchQuery, options?: SearchOptions): AsyncGenerator<SearchUpdate, SearchOutcome, undefined>;
  /** The sessions in which a file was changed; see `sessionsThatChanged`. */
  sessionsThatChanged(path: string, options?: SearchOptions): Promise<readonly SessionOfFile[]>;
  /** The files that a session changed; see `filesChangedBy`. */
  filesChangedBy(transcriptPath: string): Promise<ChangedFiles>;
  /**
   * Returns when clients delete a transcript because of its age, in milliseconds since the epoch; null if never. Reads the settings
   * of every project of the config folder once. Never rejects.
   */
  readRetention(): Promise<(filePath: string) => Promise<number | null>>;
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
    async readRetention() {
      const projectFolders = await workingFolders(provider).catch(() => []);
      const retention = readRetention({ configDir: deps.configDir, projectFolders });
      return async (filePath) => {
        const mtimeMs = diskSessionFiles.stampNow(filePath)?.mtimeMs;
        if (mtimeMs === undefined) return null;
        return sweptAtMs(retention, { mtimeMs, ...(await readExemption(filePath)) });
      };
    },
    search: (query, { paths = [], known, isInWorkspace, signal } = {}) =>
      searchSessions(
        query,
        provider.find(paths, signal),
        { files: diskSessionFiles, readQuickMetadata, known, isInWorkspace, pacer },
        signal,
      ),
    filesChangedBy: (transcriptPath) => filesChangedBy(transcriptPath, pacer),
    sessionsThatChanged: (path, { paths = [], known, signal } = {}) =>
      sessionsThatChanged(path, provider.findBatches(paths, signal), { readQuickMetadata, known, pacer }, signal),
  };
}

/** How many transcripts of a project are looked at for the folder in which its sessions run. */
const MAX_LOOKS = 3;

/** The working folders of the projects, each from one of its sessions. */
async function workingFolders(provider: Pick<SessionProvider, 'findBatches'>): Promise<readonly string[]> {
  const folders: string[] = [];
  for await (const batch of provider.findBatches([])) {
    for (const { path } of batch.slice(-MAX_LOOKS)) {
      const cwd = (await readQuickMetadata(path))?.cwd ?? null;
      if (cwd === null) continue;
      folders.push(cwd);
      break;
    }
  }
  return folders;
}
