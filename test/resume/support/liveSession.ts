import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fastGlob from 'fast-glob';
import type { ReplyBlock } from '../../support/mockApi';
import type { ClientPlace } from '../../support/realClient';
import { StreamClient, type WireMessage, type WireRequest } from '../../support/streamClient';
import type { LiveModel } from './liveModel';
import { BackgroundClient } from './backgroundClient';
import { PrintClient } from './printClient';
import { TerminalClient } from './terminalClient';

/** Answers a question of the client. */
export type Answerer = (request: WireRequest) => object | null;

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Its answers to questions, instead of permission for everything. */
  readonly answer?: Answerer;
  /** The folder in the project where it starts; by default the project's own. */
  readonly folder?: string;
}

/** A call that lasts. */
export interface EndlessCommand {
  readonly call: ReplyBlock;
  /** Resolves when it runs. */
  readonly started: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Something that waits until it is opened. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const allow: Answerer = ({ input }) => ({ behavior: 'allow', updatedInput: input });

/** A home and a project of their own for one shape, whose sessions the real client writes. */
export class LiveSession {
  readonly cwd: string;
  readonly #home: string;
  readonly #clients: StreamClient[] = [];
  readonly #terminals: TerminalClient[] = [];
  #within: readonly string[] = [];
  readonly #backgrounds: BackgroundClient[] = [];
  readonly #prints: PrintClient[] = [];
  /** A file for each command that runs as long as it exists. */
  readonly #running: string[] = [];

  constructor(
    private readonly client: string,
    private readonly root: string,
    private readonly baseUrl: string,
    readonly model: LiveModel,
    /** Text that no other text of the shape contains. */
    readonly numbered: (words: string) => string,
  ) {
    this.cwd = join(root, 'project');
    this.#home = join(root, 'home');
  }

  async prepare(): Promise<void> {
    await mkdir(join(this.#home, '.claude'), { recursive: true });
    await mkdir(this.cwd, { recursive: true });
  }

  get #place(): ClientPlace {
    return { home: this.#home, cwd: this.cwd, root: this.root, baseUrl: this.baseUrl };
  }

  /** Writes a file of the project. */
  async write(path: string, content: string | Buffer): Promise<string> {
    const file = join(this.cwd, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: 0o755 });
    return file;
  }

  /** Writes the settings of the project. */
  async settings(settings: object): Promise<void> {
    await this.write('.claude/settings.json', JSON.stringify(settings));
  }

  /** Starts the client; it starts a new session unless the arguments resume one. */
  start({ args = [], env = {}, answer = allow, folder = '.' }: StartOptions = {}): LiveClient {
    const place: ClientPlace = { ...this.#place, cwd: join(this.cwd, folder) };
    const client = new LiveClient(
      {
        client: this.client,
        within: this.#within,
        place,
        args: ['--permission-prompt-tool', 'stdio', ...args],
        env: { CLAUDE_CODE_MAX_RETRIES: '1', CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1', ...env },
        answer: (request) => (request.subtype === 'can_use_tool' ? answer(request) : null),
      },
      this.numbered,
    );
    this.#clients.push(client);
    return client;
  }

  /** Starts the client in a terminal, where it asks for every approval. Needs tmux. `variables`: added to its environment. */
  async startTerminal(
    args: readonly string[] = ['--permission-mode', 'default'],
    variables: readonly string[] = [],
  ): Promise<TerminalClient> {
    const terminal = await TerminalClient.start(this.client, this.#place, args, variables);
    this.#terminals.push(terminal);
    return terminal;
  }

  /** From now on, the command runs the clients. */
  within(command: readonly string[]): this {
    this.#within = command;
    return this;
  }

  /** Starts the client with one prompt, after whose answer it ends. */
  print(args: readonly string[]): PrintClient {
    const print = new PrintClient(this.client, this.#place, args);
    this.#prints.push(print);
    return print;
  }

  /** Starts the client in the background. */
  async startInBackground(args: readonly string[]): Promise<BackgroundClient> {
    const background = await BackgroundClient.start(this.client, this.#place, args);
    this.#backgrounds.push(background);
    return background;
  }

  /** Resumes the session that the client had last. */
  resume(before: LiveClient, { args = [], ...options }: StartOptions = {}): LiveClient {
    return this.start({ ...options, args: ['--resume', before.sessionId, ...args] });
  }

  /** A command that runs until it is ended, with its call. */
  endlessCommand(more: object = {}): EndlessCommand {
    const file = join(this.cwd, `running-${randomUUID()}`);
    this.#running.push(file);
    const output = this.numbered('it ran');
    const command = `touch '${file}'; while [ -e '${file}' ]; do sleep 0.05; done; echo '${output}'`;
    return {
      call: this.model.bash(command, more),
      started: async () => {
        while (!existsSync(file)) await delay(20);
      },
      end: () => rm(file),
    };
  }

  /** Makes the project a repository with one commit. */
  async repository(): Promise<void> {
    await this.write('a.txt', 'one\n');
    const git = (...args: readonly string[]): void => {
      const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.test'];
      execFileSync('git', [...identity, ...args], { cwd: this.cwd, stdio: 'ignore' });
    };
    git('init', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--message', 'first');
  }

  /** The transcripts of its sessions, oldest first. */
  async transcripts(): Promise<string[]> {
    const found = await fastGlob('.claude/projects/*/*.jsonl', { cwd: this.#home, absolute: true, dot: true });
    const timed = await Promise.all(
      found
        .filter((path) => !basename(path).startsWith('agent-'))
        .map(async (path) => {
          const text = await readFile(path, 'utf8');
          return { path, since: /"timestamp":"([^"]+)"/.exec(text)?.[1] ?? '' };
        }),
    );
    return timed.sort((a, b) => (a.since < b.since ? -1 : 1)).map(({ path }) => path);
  }

  /** Resolves when a transcript contains the text: a client writes its rows some time after it has answered. */
  async wrote(text: string): Promise<void> {
    for (;;) {
      const texts = await Promise.all((await this.transcripts()).map((path) => readFile(path, 'utf8')));
      if (texts.some((each) => each.includes(text))) return;
      await delay(20);
    }
  }

  /** Ends every client that still runs, and the commands of those that were killed. */
  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#clients, ...this.#prints].map((client) => client.kill()),
      ...[...this.#terminals, ...this.#backgrounds].map((each) => each.close()),
    ]);
    await Promise.all(this.#running.map((file) => rm(file, { force: true })));
  }
}

export class LiveClient extends StreamClient {
  #posted = 0;

  constructor(
    options: ConstructorParameters<typeof StreamClient>[0],
    private readonly numbered: (words: string) => string,
  ) {
    super(options);
  }

  get sessionId(): string {
    const id = this.log.findLast(({ type, subtype }) => type === 'system' && subtype === 'init')?.session_id;
    if (id === undefined) throw new Error('The client has no session yet');
    return id;
  }

  /** Sends a prompt and waits until the turn is over. Resolves with the uuid of the prompt's row. */
  async prompt(words = 'Go on.', blocks: readonly object[] = []): Promise<string> {
    const text = this.numbered(words);
    return await this.raw(blocks.length === 0 ? text : [{ type: 'text', text }, ...blocks]);
  }

  /** The same with the content as it is. */
  async raw(content: unknown): Promise<string> {
    const uuid = randomUUID();
    const over = this.result();
    this.sendPrompt(content, uuid);
    await over;
    return uuid;
  }

  /** Sends a prompt and does not wait for its turn. */
  post(words = 'Go on.', more: object = {}): void {
    this.postRaw(this.numbered(words), more);
  }

  postRaw(content: string, more: object = {}): void {
    this.#posted = this.log.length;
    this.sendPrompt(content, randomUUID(), more);
  }

  /** Resolves when so many blocks of the reply to the posted prompt are complete. */
  async replied(blocks = 1): Promise<void> {
    let left = blocks;
    await this.next(({ type }) => type === 'assistant' && --left === 0, this.#posted);
  }

  /** Resolves at the end of the next turn. */
  async result(): Promise<WireMessage> {
    return await this.next(({ type }) => type === 'result');
  }

  /** Resolves when no turn runs and none is waiting. */
  async settled(): Promise<void> {
    const last = this.log.findLast(({ subtype }) => subtype === 'session_state_changed');
    if (last?.state !== 'idle') await this.next(({ state }) => state === 'idle');
  }

  /** The row of the last reply. */
  lastReply(): string {
    return this.log.findLast(({ type }) => type === 'assistant')?.uuid ?? '';
  }

  async interrupt(): Promise<void> {
    const over = this.result();
    await this.control({ subtype: 'interrupt' });
    await over;
  }
}
