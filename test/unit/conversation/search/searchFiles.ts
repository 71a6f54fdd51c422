import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { searchSessions, type SearchUpdate } from '../../../rooms/conversation';
import { readQuickMetadata } from '../../../rooms/sessions';
import { createPacer, diskSessionFiles } from '../../../rooms/util';
import type { SearchMatch, SearchOutcome, SearchQuery } from '../../../../src/protocol/channels/search';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { sessionRefOf } from '../../../rooms/format';
import { type FoundTranscript } from '../../../rooms/providers';

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  readonly updates: readonly SearchUpdate[];
  readonly outcome: SearchOutcome;
}

/** Defaults for the fields that a query does not set. */
const QUERY: SearchQuery = { text: '', isRegExp: false, isCaseSensitive: false, roles: [], limit: 1_000_000 };

/** Searches files to the end. `onUpdate` is called with each update. */
export async function searchFiles(
  filePaths: readonly string[],
  query: Partial<SearchQuery>,
  options: {
    readonly signal?: AbortSignal;
    readonly onUpdate?: (update: SearchUpdate) => void;
    readonly isInWorkspace?: (projectFolder: string, cwd: string | null) => boolean;
  } = {},
): Promise<SearchResult> {
  async function* found(): AsyncGenerator<FoundTranscript> {
    await Promise.resolve();
    for (const filePath of filePaths) {
      yield { ...sessionRefOf(filePath), projectFolder: dirname(filePath) };
    }
  }
  const { isInWorkspace } = options;
  const parts = { files: diskSessionFiles, readQuickMetadata, pacer: createPacer(10), isInWorkspace };
  const search = searchSessions({ ...QUERY, ...query }, found(), parts, options.signal);
  const updates: SearchUpdate[] = [];
  for (;;) {
    const step = await search.next();
    if (step.done === true) {
      return { matches: updates.flatMap(({ matches }) => matches), updates, outcome: step.value };
    }
    updates.push(step.value);
    options.onUpdate?.(step.value);
  }
}

/** Searches one transcript of these bytes. */
export function searchBytes(bytes: Buffer | string, query: Partial<SearchQuery>): Promise<SearchResult> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, 'session.jsonl');
    await writeFile(filePath, bytes);
    return searchFiles([filePath], query);
  });
}

/** A transcript of rows. */
export function jsonl(...rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** A row with a message. */
export function messageRow(type: 'user' | 'assistant', content: unknown, fields: object = {}): object {
  return {
    parentUuid: null,
    type,
    message: { role: type, content },
    uuid: '00000000-0000-4000-8000-000000000001',
    timestamp: '2026-01-01T10:00:00.000Z',
    ...fields,
  };
}
