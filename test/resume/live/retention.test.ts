import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readExemption, readRetention, sweptAtMs } from '../../rooms/providers';
import { findClient, isStoredClient } from '../../support/findClient';
import { startMockApi } from '../../support/mockApi';
import { clientEnvironment } from '../../support/realClient';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const DAY_MS = 86_400_000;
/** The client deletes 5 s after its start, and its first request comes about 1 s after that. */
const NOTHING_DELETED_MS = 7_000;
const DELETED_MS = 40_000;
/** Between the client's mark that it has cleaned up and the last deletion. */
const SETTLE_MS = 500;

interface Transcript {
  readonly ageDays: number;
  /** The entrypoint of its rows; null for an empty transcript. */
  readonly entrypoints?: readonly string[] | null;
  /** Reason and age in days of the mark of the desktop app. */
  readonly mark?: readonly [string, number];
}

interface Case {
  /** By path below the home folder; the client starts in `work`. */
  readonly settings: Readonly<Record<string, object | string>>;
  readonly transcripts: Readonly<Record<string, Transcript>>;
  readonly cwd?: string;
  /** Which of the transcripts are deleted. */
  readonly deleted: readonly string[];
}

const days = (cleanupPeriodDays: unknown): object => ({ cleanupPeriodDays });
const PROJECT = 'work/.claude/settings.json';
const LOCAL = 'work/.claude/settings.local.json';
const USER = '.claude/settings.json';
const DESKTOP = ['claude-desktop'];

const CASES: Readonly<Record<string, Case>> = {
  'are deleted by the shortest period, that of another project, except those of the desktop app': {
    settings: { [USER]: days(365), [PROJECT]: days(5) },
    transcripts: {
      fresh: { ageDays: 4.9 },
      aged: { ageDays: 5.1 },
      older: { ageDays: 10 },
      vscode: { ageDays: 10, entrypoints: ['claude-vscode'] },
      desktop: { ageDays: 400, entrypoints: DESKTOP },
      desktop3p: { ageDays: 10, entrypoints: ['claude-desktop-3p'] },
      agent: { ageDays: 10, entrypoints: ['local-agent'] },
      otherAgent: { ageDays: 10, entrypoints: ['local_agent'] },
      startedByDesktop: { ageDays: 10, entrypoints: ['claude-desktop', 'cli'] },
      endedByDesktop: { ageDays: 10, entrypoints: ['cli', 'claude-desktop'] },
      onceByDesktop: { ageDays: 10, entrypoints: ['cli', 'claude-desktop', 'cli'] },
      empty: { ageDays: 400, entrypoints: null },
      released: { ageDays: 10, entrypoints: DESKTOP, mark: ['delete', 0] },
      releasedFresh: { ageDays: 4.9, entrypoints: DESKTOP, mark: ['delete', 0] },
      archived: { ageDays: 10, entrypoints: DESKTOP, mark: ['archive', 4.9] },
      archivedLongAgo: { ageDays: 10, entrypoints: DESKTOP, mark: ['archive', 5.1] },
      archivedPlain: { ageDays: 10, mark: ['archive', 4.9] },
      otherMark: { ageDays: 10, entrypoints: DESKTOP, mark: ['moved', 8] },
    },
    deleted: ['aged', 'older', 'vscode', 'onceByDesktop', 'released', 'archivedLongAgo'],
  },
  'are deleted after 30 days by default, and those of the desktop app after their own period': {
    settings: { [USER]: { desktopSessionCleanupPeriodDays: 60 }, [PROJECT]: { desktopSessionCleanupPeriodDays: 40 } },
    transcripts: {
      fresh: { ageDays: 29 },
      aged: { ageDays: 31 },
      desktop: { ageDays: 50, entrypoints: DESKTOP },
      desktopAged: { ageDays: 61, entrypoints: DESKTOP },
      archived: { ageDays: 50, mark: ['archive', 1] },
      archivedAged: { ageDays: 61, mark: ['archive', 1] },
    },
    deleted: ['aged', 'desktopAged', 'archivedAged'],
  },
  'are deleted after the period of the person if no project has one': {
    settings: { [USER]: days(365) },
    transcripts: { fresh: { ageDays: 364 }, aged: { ageDays: 366 } },
    deleted: ['aged'],
  },
  'are deleted by the local settings of the repository when the client starts in a subfolder': {
    settings: { [LOCAL]: days(20), 'work/sub/.claude/settings.local.json': days(5) },
    transcripts: { fresh: { ageDays: 19 }, aged: { ageDays: 21 } },
    cwd: 'work/sub',
    deleted: ['aged'],
  },
  'are not deleted if the period is invalid': {
    settings: { [LOCAL]: days(5), [PROJECT]: days(0), [USER]: days(0) },
    transcripts: { aged: { ageDays: 400 } },
    deleted: [],
  },
  'are not deleted if the settings cannot be read': {
    settings: { [USER]: '{"cleanupPeriodDays":' },
    transcripts: { aged: { ageDays: 400 } },
    deleted: [],
  },
};

/** The names of the transcripts that the client deletes, and of those that Rethread expects it to delete. */
async function compare(client: string, home: string, { settings, transcripts, cwd = 'work' }: Case) {
  const configDir = join(home, '.claude');
  const project = join(home, cwd);
  await mkdir(project, { recursive: true });
  execFileSync('git', ['init', '--quiet', join(home, 'work')]);
  for (const [name, content] of Object.entries(settings))
    await write(join(home, name), typeof content === 'string' ? content : JSON.stringify(content), 0);
  const paths = new Map<string, string>();
  for (const [name, transcript] of Object.entries(transcripts))
    paths.set(name, await writeTranscript(configDir, paths.size, transcript));
  const retention = readRetention({ configDir, projectFolders: [project], homeFolder: home });
  const expected: string[] = [];
  for (const [name, path] of paths) {
    const at = sweptAtMs(retention, { mtimeMs: (await stat(path)).mtimeMs, ...(await readExemption(path)) });
    if (at !== null && at <= Date.now()) expected.push(name);
  }
  await runUntilCleanup(client, home, project, expected.length > 0);
  return { deleted: [...paths].filter(([, path]) => !existsSync(path)).map(([name]) => name), expected };
}

async function writeTranscript(configDir: string, number: number, transcript: Transcript): Promise<string> {
  const id = `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`;
  const path = join(configDir, 'projects', '-other', `${id}.jsonl`);
  const { entrypoints = ['cli'], mark, ageDays } = transcript;
  const rows = (entrypoints ?? []).map((entrypoint, at) =>
    JSON.stringify({ type: 'user', entrypoint, sessionId: id, message: { role: 'user', content: `${at}` } }),
  );
  // Longer than what the client reads of each end.
  const filler = `${JSON.stringify({ type: 'summary', summary: 'x'.repeat(1000) })}\n`.repeat(100);
  await write(path, rows.map((row) => `${row}\n`).join(filler), ageDays);
  if (mark !== undefined)
    await write(path.replace(/\.jsonl$/, '.desktop-released.json'), JSON.stringify({ reason: mark[0] }), mark[1]);
  return path;
}

async function write(path: string, text: string, ageDays: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  const at = (Date.now() - ageDays * DAY_MS) / 1000;
  await utimes(path, at, at);
}

/** Runs the client until it has cleaned up, or until it would have. */
async function runUntilCleanup(client: string, home: string, cwd: string, isExpected: boolean): Promise<void> {
  let ask: () => void = () => undefined;
  let reply: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const until = new Promise<void>((resolve) => (reply = resolve));
  const api = await startMockApi(() => {
    ask();
    return { content: [{ type: 'text', text: 'OK.' }], until };
  });
  const place = { home, cwd, root: dirname(home), baseUrl: api.urlFor('retention') };
  const child = spawn(client, ['-p', 'Hello'], { cwd, env: clientEnvironment(place), stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await Promise.race([asked, ended]);
    assert.equal(child.exitCode, null, 'The client ended before it asked');
    const mark = join(home, '.claude', '.last-cleanup');
    const end = Date.now() + (isExpected ? DELETED_MS : NOTHING_DELETED_MS);
    while (!existsSync(mark) && Date.now() < end) await wait(100);
    await wait(SETTLE_MS);
    reply();
    await ended;
  } finally {
    child.kill('SIGKILL');
    await api.close();
  }
}

describe('Old transcripts, as the real client treats them,', () => {
  /** All at once: they only wait. */
  const runs = new Map<string, ReturnType<typeof compare>>();

  before(async function () {
    this.timeout(600_000);
    // Older clients have other rules.
    if (!isStoredClient()) this.skip();
    const client = await skipWhenUnavailable(this, () => findClient());
    for (const [name, each] of Object.entries(CASES))
      runs.set(
        name,
        withTemporaryFolder((folder) => compare(client, join(folder, 'home'), each)),
      );
    await Promise.allSettled(runs.values());
  });

  for (const [name, { deleted }] of Object.entries(CASES))
    it(name, async () => {
      assert.deepEqual(await runs.get(name), { deleted, expected: deleted });
    });
});
