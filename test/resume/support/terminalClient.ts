import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { clientEnvironment, type ClientPlace } from '../../support/realClient';

const run = promisify(execFile);

/** A busy machine takes seconds to start the client. */
const TIMEOUT_MS = 45_000;
const POLL_MS = 50;

interface Record {
  readonly pid: number;
  readonly status?: string;
}

/** The real client in a terminal, as a person uses it. */
export class TerminalClient {
  private constructor(
    private readonly place: ClientPlace,
    private readonly socket: string,
  ) {}

  /**
   * Starts the client in a terminal of its own. Resolves when it waits for a prompt.
   *
   * @param variables added to its environment
   */
  static async start(
    client: string,
    place: ClientPlace,
    args: readonly string[],
    variables: readonly string[] = [],
  ): Promise<TerminalClient> {
    await skipFirstQuestions(place);
    const terminal = new TerminalClient(place, join(place.root, 'tmux'));
    const size = ['-x', '120', '-y', '40'];
    // The client saves its sessions if the variable is tmux's own.
    const command = ['env', ...variables, client, ...args];
    await terminal.#tmux(['-f', '/dev/null', 'new-session', '-d', ...size, '-c', place.cwd, ...command]);
    if (variables.length === 0) await terminal.status('idle');
    else await terminal.shows('❯');
    return terminal;
  }

  /** Resolves when the text is on the screen. */
  async shows(text: string): Promise<void> {
    let screen = '';
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
      screen = await this.#tmux(['capture-pane', '-p']);
      if (screen.includes(text)) return;
      await delay(POLL_MS);
    }
    throw new Error(`The client does not show ${text}: ${screen}`);
  }

  /** What is on the screen now. */
  screen(): Promise<string> {
    return this.#tmux(['capture-pane', '-p']);
  }

  async type(text: string): Promise<void> {
    await this.#tmux(['send-keys', '-l', text]);
    // Two keys at once would be a pasted text, which Enter does not send.
    await delay(200);
    await this.press('Enter');
  }

  /** `key`: as tmux names it. */
  async press(key: string): Promise<void> {
    await this.#tmux(['send-keys', key]);
  }

  /** Resolves when the client says that it does this. */
  async status(status: string): Promise<void> {
    for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
      if ((await this.#record())?.status === status) return;
      await delay(POLL_MS);
    }
    const screen = await this.#tmux(['capture-pane', '-p']).catch(String);
    throw new Error(`The client is not ${status}: ${screen}`);
  }

  async kill(): Promise<void> {
    const record = await this.#record();
    if (record === null) throw new Error('The client has no record');
    process.kill(record.pid, 'SIGKILL');
    while (isRunning(record.pid)) await delay(POLL_MS);
  }

  /** Resolves when the client has removed its record. */
  async exit(): Promise<void> {
    await this.type('/exit');
    while ((await this.#record()) !== null) await delay(POLL_MS);
  }

  /** Ends the terminal, and what runs in it. */
  async close(): Promise<void> {
    await this.#tmux(['kill-server']).catch(() => undefined);
  }

  /** Null while there is none, or it is being written. */
  async #record(): Promise<Record | null> {
    const folder = join(this.place.home, '.claude', 'sessions');
    const name = (await readdir(folder).catch(() => [])).find((each) => each.endsWith('.json'));
    if (name === undefined) return null;
    try {
      // SAFETY: the client's own record.
      return JSON.parse(await readFile(join(folder, name), 'utf8')) as Record;
    } catch {
      return null;
    }
  }

  async #tmux(args: readonly string[]): Promise<string> {
    const env = { ...clientEnvironment(this.place), TERM: 'xterm-256color' };
    return (await run('tmux', ['-S', this.socket, ...args], { env })).stdout;
  }
}

/** What the client asks only once: about colours, the key, and the folder. */
export async function skipFirstQuestions(place: ClientPlace): Promise<void> {
  const known = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['not-a-key'], rejected: [] },
    projects: { [place.cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  await writeFile(join(place.home, '.claude.json'), JSON.stringify(known));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
