import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { clientEnvironment, type ClientPlace } from './realClient';

const ANSWER_TIMEOUT_MS = 60_000;

/** A line that the client writes. */
export interface WireMessage {
  readonly type?: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly session_id?: string;
  readonly request_id?: string;
  readonly request?: WireRequest;
  readonly response?: {
    readonly subtype?: string;
    readonly request_id?: string;
    readonly error?: string;
    readonly response?: unknown;
  };
  /** In `session_state_changed`. */
  readonly state?: string;
  /** In `status`. */
  readonly status?: string | null;
  /** In `task_started`. */
  readonly task_id?: string;
  readonly message?: { readonly role?: string; readonly content?: unknown };
}

/** What the client asks. */
export interface WireRequest {
  readonly subtype?: string;
  readonly tool_name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

export interface StreamOptions {
  readonly client: string;
  readonly place: ClientPlace;
  readonly args: readonly string[];
  /** A command that runs the client. */
  readonly within?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Its answer to a request of the client; null for none. */
  readonly answer?: (request: WireRequest) => object | null;
}

/** The real client, driven as by the Agent SDK: one JSON object per line in both directions. */
export class StreamClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answer: (request: WireRequest) => object | null;
  readonly #ended: Promise<void>;
  readonly #log: WireMessage[] = [];
  #watchers: ((message: WireMessage) => void)[] = [];
  #stderr = '';
  #requests = 0;
  #hasEnded = false;

  constructor({ client, place, args, within = [], env = {}, answer = () => null }: StreamOptions) {
    this.#answer = answer;
    const fixed = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const [program, ...before] = [...within, client];
    this.#child = spawn(program, [...before, ...fixed, ...args], {
      cwd: place.cwd,
      env: { ...clientEnvironment(place), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    // Whatever waits for an answer reports that the client is gone.
    this.#child.stdin.on('error', () => undefined);
    let rest = '';
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    });
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        resolve();
      };
      this.#child.on('error', end).on('close', end);
    });
  }

  /** Every line so far. */
  get log(): readonly WireMessage[] {
    return this.#log;
  }

  /** Sends a prompt and does not wait. `more`: further fields of the message. */
  sendPrompt(content: unknown, uuid: string, more: object = {}): void {
    const message = { role: 'user', content };
    this.#send({ type: 'user', uuid, message, parent_tool_use_id: null, session_id: '', ...more });
  }

  /** Resolves with the next line that matches; `from`: the place in the log where the search starts, by default now. */
  async next(matches: (message: WireMessage) => boolean, from = this.#log.length): Promise<WireMessage> {
    const known = this.#log.slice(from).find(matches);
    if (known !== undefined) return known;
    return await this.#beforeEnd(
      new Promise((resolve) => {
        const watcher = (message: WireMessage): void => {
          if (!matches(message)) return;
          this.#watchers = this.#watchers.filter((each) => each !== watcher);
          resolve(message);
        };
        this.#watchers.push(watcher);
      }),
    );
  }

  /** Resolves with the client's answer to a control request. */
  async control(request: object): Promise<WireMessage['response']> {
    this.#requests += 1;
    const id = `request-${this.#requests}`;
    const answered = this.next(({ response }) => response?.request_id === id);
    this.#send({ type: 'control_request', request_id: id, request });
    return (await answered).response;
  }

  /** Ends the input, upon which an idle client ends. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends the client by a signal. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal);
    await this.#ended;
  }

  async #beforeEnd<T>(answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`The client did not answer. ${this.#stderr}`));
      }, ANSWER_TIMEOUT_MS);
    });
    const gone = this.#ended.then(() => Promise.reject(new Error(`The client ended. ${this.#stderr}`)));
    // The later one can be ignored.
    gone.catch(() => undefined);
    try {
      return await Promise.race([answer, late, gone]);
    } finally {
      clearTimeout(timer);
    }
  }

  #send(message: object): void {
    if (!this.#hasEnded) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    if (line === '') return;
    // SAFETY: the client writes one JSON object per line; fields that it lacks are undefined.
    const message = JSON.parse(line) as WireMessage;
    this.#log.push(message);
    for (const watcher of [...this.#watchers]) watcher(message);
    if (message.type !== 'control_request' || message.request === undefined) return;
    const response = this.#answer(message.request);
    if (response === null) return;
    this.#send({
      type: 'control_response',
      response: { subtype: 'success', request_id: message.request_id, response },
    });
  }
}
