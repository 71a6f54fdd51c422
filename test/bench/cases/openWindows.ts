import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCase } from '../context';
import { judge, notMeasured, type GoalLine } from '../goal';
import type { WindowTask } from '../openWindow';

const WINDOWS = 3;
const GOAL = {
  goal: `Nothing happens in ${WINDOWS} open windows: processor time of all of them, of one core`,
  unit: '%',
  atMost: 0.01,
} as const;
const AT_FULL_SIZE = { sessions: 10_000, near: 500, running: 100, settleMs: 120_000, measuredMs: 600_000 };
const AT_SMALL_SIZE = { sessions: 1_000, near: 60, running: 10, settleMs: 10_000, measuredMs: 15_000 };
const FAR_PROJECTS = 100;

/**
 * Windows on different folders share one config folder. What they do while nothing happens is what a person pays for all day: each
 * looks at the sessions of its folder and at the running ones every second, and one of them lists all sessions every thirty.
 */
export const openWindows: BenchCase = async ({ isFullSize, measuring, log }) => {
  if (process.platform !== 'linux') return [notMeasured(GOAL, 'it needs the start times of processes')];
  const size = isFullSize ? AT_FULL_SIZE : AT_SMALL_SIZE;
  const home = join(measuring.home, 'windows');
  const configDir = join(home, '.claude');
  const clients: ChildProcess[] = [];
  const windows: OpenWindow[] = [];
  try {
    writeSessions(configDir, size);
    for (let at = 0; at < size.running; at++) clients.push(startClient(configDir, at));
    log(`open windows: ${size.sessions} sessions, ${size.running} of them running, ${size.measuredMs / 1000} s`);
    for (let at = 0; at < WINDOWS; at++) {
      const task = { configDir, cacheDir: join(home, 'cache'), workspaceFolder: folderOf(at) };
      windows.push(new OpenWindow(measuring.programs.openWindow, task));
    }
    for (const window of windows) await window.next();
    await sleep(size.settleMs);
    const startMs = performance.now();
    const before = await Promise.all(windows.map((window) => window.cpuMs()));
    await sleep(size.measuredMs);
    const after = await Promise.all(windows.map((window) => window.cpuMs()));
    return [lineOf(before, after, performance.now() - startMs, size, isFullSize)];
  } finally {
    for (const window of windows) await window.close();
    for (const client of clients) client.kill();
  }
};

function lineOf(
  before: readonly number[],
  after: readonly number[],
  wallMs: number,
  size: typeof AT_FULL_SIZE,
  isFullSize: boolean,
): GoalLine {
  const shares = after.map((cpuMs, at) => (cpuMs - (before[at] ?? Number.NaN)) / wallMs);
  const all = shares.reduce((sum, share) => sum + share, 0);
  const each = shares.map((share) => `${(share * 100).toFixed(2)} %`).join(', ');
  const note = `${size.sessions} sessions, ${size.near} in the ${WINDOWS} folders, ${size.running} running; ${(wallMs / 1000).toFixed(0)} s; each: ${each}`;
  return judge(GOAL, { all: { median: all, least: all, most: all } }, isFullSize, note);
}

class OpenWindow {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, task: WindowTask) {
    const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  /** What it prints next. */
  async next(): Promise<number> {
    const line: IteratorResult<string, unknown> = await this.#lines.next();
    if (line.done === true) throw new Error('Failed to measure a window: it has ended');
    return Number(line.value);
  }

  cpuMs(): Promise<number> {
    this.#process.stdin?.write('now\n');
    return this.next();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#process.once('close', resolve));
    this.#process.stdin?.end();
    if (this.#process.exitCode === null) await closed;
  }
}

function folderOf(window: number): string {
  return `/window${window}`;
}

function idOf(session: number): string {
  return `${session.toString(16).padStart(8, '0')}-4444-4444-8444-444444444444`;
}

/** Two rows each. */
function writeSessions(configDir: string, { sessions, near }: typeof AT_FULL_SIZE): void {
  for (let at = 0; at < sessions; at++) {
    const project = at < near ? folderOf(at % WINDOWS).replace('/', '-') : `-elsewhere-${at % FAR_PROJECTS}`;
    const folder = join(configDir, 'projects', project);
    mkdirSync(folder, { recursive: true });
    const sessionId = idOf(at);
    const cwd = at < near ? folderOf(at % WINDOWS) : '/elsewhere';
    const [prompt, reply] = [0, 1].map(
      (row) => `${(2 * at + row).toString(16).padStart(8, '0')}-5555-4555-8555-555555555555`,
    );
    const common = {
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: '2.1.330',
      timestamp: '2026-11-20T10:00:00.000Z',
    };
    const content = [{ type: 'text', text: 'Done.' }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const rows = [
      { ...common, parentUuid: null, type: 'user', uuid: prompt, message: { role: 'user', content: 'Begin.' } },
      {
        ...common,
        parentUuid: prompt,
        type: 'assistant',
        uuid: reply,
        message: {
          id: `msg_${at}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content,
          stop_reason: 'end_turn',
          usage,
        },
      },
    ];
    writeFileSync(join(folder, `${sessionId}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  mkdirSync(join(configDir, 'sessions'));
}

/** A process and a record that says that it runs the session. */
function startClient(configDir: string, session: number): ChildProcess {
  const client = spawn('sleep', ['3600'], { stdio: 'ignore' });
  const { pid } = client;
  if (pid === undefined) throw new Error('Failed to start a process');
  const procStart = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
  const nowMs = Date.now();
  const record = {
    pid,
    procStart,
    sessionId: idOf(session),
    cwd: folderOf(session % WINDOWS),
    version: '2.1.330',
    kind: 'interactive',
    entrypoint: 'cli',
    status: 'idle',
    startedAt: nowMs,
    updatedAt: nowMs,
    statusUpdatedAt: nowMs,
  };
  writeFileSync(join(configDir, 'sessions', `${pid}.json`), JSON.stringify(record));
  return client;
}
