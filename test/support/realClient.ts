import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseRow, type LooseRow } from './countedRows';
import { removeFolder } from './removeFolder';
import { copySideFolder } from './workingCopies';
import type { ApiMessage, MockApi } from './mockApi';

/** The prompt that asks the resumed session for its history. No fixture contains this text. */
const PROBE = 'RETHREAD-RESUME-PROBE';

const CLIENT_TIMEOUT_MS = 60_000;

export interface ClientRun {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly stderr: string;
  /** The messages of the request with the probe; null if the client sent none. */
  readonly messages: readonly ApiMessage[] | null;
  /** The system prompt and the tools of that request. */
  readonly frame: unknown;
  /**
   * uuid of the nearest ancestor of the probe that is in the given transcript; rows that the client added in this run
   * are skipped. Null if there is no such ancestor, undefined if the client wrote no row for the probe.
   */
  readonly attachedTo: string | null | undefined;
}

export interface ClientOptions {
  /** Path of the client's binary. */
  readonly client: string;
  readonly api: MockApi;
  /** The person's settings; by default, there are none. */
  readonly settings?: object;
}

/**
 * Lets the real client resume a copy of the transcript (and of the folder of the same name beside it) in a HOME for
 * this run only. The session's id is the file's name. The client's traffic goes to the mock; the given transcript is
 * only read.
 */
export async function resumeWithRealClient(filePath: string, options: ClientOptions): Promise<ClientRun> {
  const bytes = await readFile(filePath);
  const sessionId = basename(filePath, '.jsonl');
  const root = await realpath(await mkdtemp(join(tmpdir(), 'rethread-client-')));
  try {
    const home = join(root, 'home');
    const cwd = join(root, 'work');
    const project = join(home, '.claude', 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    await mkdir(cwd, { recursive: true });
    await mkdir(project, { recursive: true });
    const copy = join(project, `${sessionId}.jsonl`);
    await writeFile(copy, bytes);
    await copySideFolder(filePath, copy);
    if (options.settings !== undefined) {
      await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(options.settings));
    }
    const tag = `run-${randomBytes(6).toString('hex')}`;
    const ended = await runClient(options.client, sessionId, { home, cwd, root, baseUrl: options.api.urlFor(tag) });
    const request = options.api.take(tag).find(({ messages }) => JSON.stringify(messages).includes(PROBE));
    return {
      ...ended,
      messages: request?.messages ?? null,
      frame: request === undefined ? null : { system: request.system, tools: request.tools },
      attachedTo: findAttachment(bytes.toString('utf8'), await readFile(copy, 'utf8')),
    };
  } finally {
    removeFolder(root);
  }
}

/** The folders of a client for one run. */
export interface ClientPlace {
  readonly home: string;
  readonly cwd: string;
  readonly root: string;
  readonly baseUrl: string;
}

function runClient(
  client: string,
  sessionId: string,
  place: ClientPlace,
): Promise<Pick<ClientRun, 'exitCode' | 'timedOut' | 'stderr'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(client, ['--resume', sessionId, '-p', PROBE, '--output-format', 'json'], {
      cwd: place.cwd,
      env: clientEnvironment(place),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, CLIENT_TIMEOUT_MS);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (cause) => {
      clearTimeout(timer);
      reject(new Error(`Failed to start the client ${client}`, { cause }));
    });
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, timedOut, stderr: stderr.trim() });
    });
  });
}

/** Only PATH of the caller's environment, so that no account, setting or proxy of the machine has an effect. */
export function clientEnvironment(place: ClientPlace): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    ...(process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] } : {}),
    HOME: place.home,
    USERPROFILE: place.home,
    TMPDIR: place.root,
    TEMP: place.root,
    TMP: place.root,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    IS_SANDBOX: '1',
    ANTHROPIC_API_KEY: 'not-a-key',
    ANTHROPIC_BASE_URL: place.baseUrl,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

/**
 * Up from the probe's row, through the rows that the client wrote in this run, to the first row that already existed.
 */
function findAttachment(before: string, after: string): string | null | undefined {
  const known = new Set(readRows(before).map(({ uuid }) => uuid));
  const written = readRows(after).filter(({ uuid }) => !known.has(uuid));
  const probe = written.find(({ type, message }) => type === 'user' && JSON.stringify(message ?? null).includes(PROBE));
  if (probe === undefined) return undefined;
  const byUuid = new Map(written.map((row) => [row.uuid, row]));
  let parent = probe.parentUuid;
  for (let row = byUuid.get(parent); row !== undefined; row = byUuid.get(parent)) parent = row.parentUuid;
  return typeof parent === 'string' ? parent : null;
}

function readRows(transcript: string): LooseRow[] {
  return transcript.split('\n').flatMap((line): LooseRow[] => {
    const row = parseRow(line);
    return row !== null && typeof row.uuid === 'string' ? [row] : [];
  });
}
