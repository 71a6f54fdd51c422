import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SearchFilters } from '../../../../src/protocol/channels/search';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { jsonl, messageRow, searchBytes, searchFiles, type SearchResult } from './searchFiles';

const ALL: SearchFilters = { author: null, tool: '', sinceMs: null, beforeMs: null, place: null, branch: '' };

const call = (id: string, name: unknown, text = 'needle'): object =>
  messageRow('assistant', [{ type: 'tool_use', id, name, input: { text } }]);
const result = (id: unknown, text = 'needle'): object =>
  messageRow('user', [{ type: 'tool_result', tool_use_id: id, content: text }]);

/** The lines with a match. */
async function linesOf(rows: readonly object[], filters: Partial<SearchFilters>): Promise<readonly number[]> {
  const { matches } = await searchBytes(jsonl(...rows), { text: 'needle', filters: { ...ALL, ...filters } });
  return matches.map(({ line }) => line);
}

describe('A search limited to an author', () => {
  const rows = [
    messageRow('user', 'needle'),
    messageRow('assistant', [{ type: 'text', text: 'needle' }]),
    call('1', 'Bash'),
    result('1'),
    messageRow('user', 'needle, says the client', { isMeta: true }),
    messageRow('user', 'needle, says a summary', { isCompactSummary: true }),
    messageRow('user', 'needle, says Claude to a subagent', { isSidechain: true }),
    { type: 'attachment', attachment: { type: 'queued_command', prompt: 'needle' } },
    { type: 'attachment', attachment: { type: 'edited_text_file', filename: 'a', snippet: 'needle' } },
  ];

  it('finds in what the person said, also while Claude was at work', async () => {
    assert.deepEqual(await linesOf(rows, { author: 'you' }), [1, 8]);
  });

  it('finds in what Claude said and called', async () => {
    assert.deepEqual(await linesOf(rows, { author: 'claude' }), [2, 3]);
  });

  it('finds in the calls and results of tools, also in a result whose call is gone', async () => {
    assert.deepEqual(await linesOf([...rows, result('another')], { author: 'tools' }), [3, 4, 10]);
  });
});

describe('A search limited to a tool', () => {
  it('finds in its calls and in their results, by a part of its name in any case', async () => {
    const rows = [call('1', 'Bash'), call('2', 'Read'), result('2'), result('1'), messageRow('user', 'needle')];
    assert.deepEqual(await linesOf(rows, { tool: 'bas' }), [1, 4]);
  });

  it('finds in a result although nothing in its call matches', async () => {
    assert.deepEqual(await linesOf([call('1', 'Bash', 'hay'), result('1')], { tool: 'Bash' }), [2]);
  });

  it('finds nothing that the person said', async () => {
    assert.deepEqual(await linesOf([call('1', 'Bash'), result('1')], { tool: 'Bash', author: 'you' }), []);
  });

  it('takes results for what Claude said, as a conversation does', async () => {
    assert.deepEqual(await linesOf([call('1', 'Bash'), result('1')], { tool: 'Bash', author: 'claude' }), [1, 2]);
  });

  it('is not misled by names and ids that are no texts', async () => {
    const rows = [call('1', 7), call('2', null), result(7), messageRow('assistant', { name: 'Bash' })];
    assert.deepEqual(await linesOf(rows, { tool: 'Bash' }), []);
  });
});

describe('A search limited to a time', () => {
  const at = (timestamp: unknown): object => messageRow('user', 'needle', { timestamp });
  const rows = [at('2026-01-01T00:00:00.000Z'), at('2026-01-02T00:00:00.000Z'), at('2026-01-03T00:00:00.000Z')];
  const second = Date.parse('2026-01-02T00:00:00.000Z');

  it('finds in rows from its first moment on, and before its last one', async () => {
    assert.deepEqual(await linesOf(rows, { sinceMs: second }), [2, 3]);
    assert.deepEqual(await linesOf(rows, { beforeMs: second }), [1]);
    assert.deepEqual(await linesOf(rows, { sinceMs: second, beforeMs: second + 1 }), [2]);
  });

  it('finds nothing in rows without a time', async () => {
    const timeless = [at(undefined), at('soon'), at({ toString: 'x' }), at(second)];
    assert.deepEqual(await linesOf(timeless, { sinceMs: 0 }), []);
    assert.deepEqual(await linesOf(timeless, { beforeMs: Number.MAX_SAFE_INTEGER }), []);
    assert.deepEqual(await linesOf(timeless, {}), [1, 2, 3, 4]);
  });

  it('does not read transcripts that were not written since', () =>
    withTemporaryFolder(async (folder) => {
      const [stale, fresh] = [join(folder, 'stale.jsonl'), join(folder, 'fresh.jsonl')];
      for (const path of [stale, fresh]) await writeFile(path, jsonl(...rows));
      await utimes(stale, second / 1000, second / 1000);
      const sinceMs = Date.parse('2026-01-02T12:00:00.000Z');
      const { matches, outcome } = await searchFiles([stale, fresh], { text: 'needle', filters: { ...ALL, sinceMs } });
      // The last message of both is later than the time of the file that says otherwise.
      assert.equal(matches.length, 2);
      const late = Date.parse('2026-01-04T00:00:00.000Z');
      const later = await searchFiles([stale, fresh], { text: 'needle', filters: { ...ALL, sinceMs: late } });
      assert.deepEqual(
        [outcome.progress.sessionsTotal, later.outcome.progress.sessionsTotal, later.matches.length],
        [2, 1, 0],
      );
    }));
});

describe('A search limited to a branch', () => {
  it('finds in the rows that name it, by a part of its name in any case', async () => {
    const on = (gitBranch: unknown): object => messageRow('user', 'needle', { gitBranch });
    const rows = [on('feature/Rain'), on('main'), on(undefined), on(7), on(['feature/rain']), on('')];
    assert.deepEqual(await linesOf(rows, { branch: 'rain' }), [1]);
    assert.deepEqual(await linesOf(rows, { branch: 'a'.repeat(100_000) }), []);
  });
});

describe('A search of projects', () => {
  /** Sessions by the names of their projects and their own, each with a time or none; two matches in each. */
  async function search(
    sessions: readonly (readonly [project: string, name: string, day: number | null])[],
    change: { readonly filters?: Partial<SearchFilters>; readonly isByProject?: boolean; readonly limit?: number },
  ): Promise<{ readonly found: readonly string[]; readonly result: SearchResult; readonly folder: string }> {
    return withTemporaryFolder(async (folder) => {
      const paths: string[] = [];
      for (const [project, name, day] of sessions) {
        const path = join(folder, project, `${name}.jsonl`);
        await mkdir(dirname(path), { recursive: true });
        const timestamp = day === null ? undefined : new Date(Date.UTC(2026, 0, day)).toISOString();
        const row = messageRow('user', 'needle', { timestamp, cwd: `/work/${project}` });
        await writeFile(path, jsonl(row, row));
        paths.push(path);
      }
      const { filters, ...query } = change;
      const place =
        filters?.place?.kind === 'project' ? { ...filters.place, folder: join(folder, 'b') } : filters?.place;
      const result = await searchFiles(
        paths,
        { text: 'needle', ...query, filters: { ...ALL, ...filters, place: place ?? null } },
        { isInWorkspace: (projectFolder, cwd) => projectFolder === join(folder, 'a') && cwd === '/work/a' },
      );
      const found = [...new Set(result.matches.map(({ filePath }) => filePath.slice(folder.length + 1, -6)))];
      return { found, result, folder };
    });
  }
  const SESSIONS = [
    ['a', 'one', 5],
    ['b', 'two', 4],
    ['a', 'three', 3],
    ['b', 'four', 6],
  ] as const;

  it('finds in the most recent session first, whatever its project is', async () => {
    const { found } = await search(SESSIONS, {});
    assert.deepEqual(found, ['b/four', 'a/one', 'b/two', 'a/three']);
  });

  it('finds in the sessions of a project one after the other, if the query says so', async () => {
    const { found } = await search(SESSIONS, { isByProject: true });
    assert.deepEqual(found, ['b/four', 'b/two', 'a/one', 'a/three']);
  });

  it('reads only the sessions of the project that is named', async () => {
    const { found, result } = await search(SESSIONS, { filters: { place: { kind: 'project', folder: '' } } });
    assert.deepEqual([found, result.outcome.progress.sessionsTotal], [['b/four', 'b/two'], 2]);
  });

  it('reads only the sessions that belong to the window', async () => {
    const { found, result } = await search(SESSIONS, { filters: { place: { kind: 'workspace' } } });
    assert.deepEqual([found, result.outcome.progress.sessionsTotal], [['a/one', 'a/three'], 2]);
  });

  it('names the project, its folder and the time of each session', async () => {
    const { result, folder } = await search([['a', 'one', 5]], {});
    const [match] = result.matches;
    assert.deepEqual(
      [match?.projectFolder, match?.cwd, match?.lastMessageMs],
      [join(folder, 'a'), '/work/a', Date.UTC(2026, 0, 5)],
    );
  });

  it('names no time of a session whose messages have none, and finds in it by the time of its file', async () => {
    const { found, result } = await search([...SESSIONS, ['a', 'undated', null]], {});
    assert.equal(found[0], 'a/undated');
    assert.equal(result.matches[0]?.lastMessageMs, null);
  });
});
