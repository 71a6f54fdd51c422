import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clientEnvironment, type ClientPlace } from '../../support/realClient';
import { skipFirstQuestions } from './terminalClient';

const run = promisify(execFile);

/** The service of the background starts first. */
const TIMEOUT_MS = 40_000;
const POLL_MS = 100;
const STOP_MS = 20_000;

interface Job {
  readonly state?: string;
  readonly tempo?: string;
}

/** The real client with a session in the background. */
export class BackgroundClient {
  private constructor(
    private readonly client: string,
    private readonly place: ClientPlace,
    /** The first eight characters of the session's id. */
    private readonly id: string,
  ) {}

  /** Resolves when the job exists. */
  static async start(client: string, place: ClientPlace, args: readonly string[]): Promise<BackgroundClient> {
    await skipFirstQuestions(place);
    // It hands its output to the service, which keeps it open.
    const output = openSync(join(place.root, 'background.txt'), 'w');
    const stdio = ['ignore', output, output] as const;
    spawn(client, ['--bg', ...args], {
      cwd: place.cwd,
      env: clientEnvironment(place),
      detached: true,
      stdio: [...stdio],
    }).unref();
    closeSync(output);
    const jobs = join(place.home, '.claude', 'jobs');
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
      await delay(POLL_MS);
      const id = (await readdir(jobs).catch(() => [])).find((name) => /^[0-9a-f]{8}$/u.test(name));
      if (id !== undefined) return new BackgroundClient(client, place, id);
    }
    await new BackgroundClient(client, place, '').close();
    throw new Error('The client started no job');
  }

  /** Resolves when the job has this state, and is as busy as said. */
  async becomes(state: string, tempo?: string): Promise<void> {
    let job: Job = {};
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
      await delay(POLL_MS);
      job = await this.#job();
      if (job.state === state && (tempo === undefined || job.tempo === tempo)) return;
    }
    throw new Error(`The job is not ${state}: ${JSON.stringify(job)}`);
  }

  /** Kills the client that runs the session. The service starts another after some seconds. */
  async kill(): Promise<void> {
    const folder = join(this.place.home, '.claude', 'sessions');
    for (const name of await readdir(folder)) {
      const text = name.endsWith('.json') ? await readFile(join(folder, name), 'utf8') : '{}';
      // SAFETY: the client's own record.
      const record = JSON.parse(text) as { readonly pid?: number; readonly sessionId?: string };
      if (record.pid === undefined || record.sessionId?.startsWith(this.id) !== true) continue;
      process.kill(record.pid, 'SIGKILL');
      return;
    }
    throw new Error('The session has no record');
  }

  async stop(): Promise<void> {
    await this.#run('stop', this.id);
  }

  /** Ends the session and the service of its home. */
  async close(): Promise<void> {
    await this.stop().catch(() => undefined);
    await this.#run('daemon', 'stop', '--any').catch(() => undefined);
  }

  async #job(): Promise<Job> {
    try {
      const path = join(this.place.home, '.claude', 'jobs', this.id, 'state.json');
      // SAFETY: the client's own job.
      return JSON.parse(await readFile(path, 'utf8')) as Job;
    } catch {
      return {};
    }
  }

  async #run(...args: readonly string[]): Promise<void> {
    await run(this.client, args, { cwd: this.place.cwd, env: clientEnvironment(this.place), timeout: STOP_MS });
  }
}
