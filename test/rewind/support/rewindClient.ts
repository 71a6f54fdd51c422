import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { clientEnvironment, type ClientPlace } from '../../support/realClient';

const ANSWER_TIMEOUT_MS = 60_000;

/** The client's answer to `rewind_files`. (docs/format.md, "File history") */
export interface ClientRewind {
  readonly canRewind: boolean;
  readonly error?: string;
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  readonly skippedLinks?: number;
}

interface Message {
  readonly type?: string;
  readonly response?: {
    readonly subtype?: string;
    readonly request_id?: string;
    readonly error?: string;
    readonly response?: ClientRewind;
  };
}

/** The real client, driven as by the Agent SDK, with its file checkpoints on. */
export class RewindClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<string, (message: Message) => void>();
  #turn: (() => void) | null = null;
  #stderr = '';
  #requests = 0;
  readonly #ended: Promise<void>;
  #hasEnded = false;

  constructor(client: string, place: ClientPlace, args: readonly string[]) {
    const fixed = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    this.#child = spawn(client, [...fixed, '--permission-mode', 'bypassPermissions', ...args], {
      cwd: place.cwd,
      env: { ...clientEnvironment(place), CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1' },
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

  /** Resolves when Claude's turn is over. `uuid`: the id of the prompt's row. */
  async prompt(text: string, uuid: string): Promise<void> {
    const over = new Promise<void>((resolve) => {
      this.#turn = resolve;
    });
    this.#send({
      type: 'user',
      uuid,
      message: { role: 'user', content: text },
      parent_tool_use_id: null,
      session_id: '',
    });
    await this.#answered(over);
  }

  async rewind(promptUuid: string, isDryRun: boolean): Promise<ClientRewind> {
    this.#requests += 1;
    const id = `request-${this.#requests}`;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    const request = { subtype: 'rewind_files', user_message_id: promptUuid, dry_run: isDryRun };
    this.#send({ type: 'control_request', request_id: id, request });
    const { response } = await this.#answered(answer);
    return response?.response ?? { canRewind: false, error: response?.error ?? 'no answer' };
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), ANSWER_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  async #answered<T>(answer: Promise<T>): Promise<T> {
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
    const message = JSON.parse(line) as Message;
    if (message.type === 'result') this.#turn?.();
    if (message.type !== 'control_response') return;
    const id = message.response?.request_id ?? '';
    this.#waiting.get(id)?.(message);
    this.#waiting.delete(id);
  }
}
