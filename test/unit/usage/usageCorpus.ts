import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRandom, type Random } from '../../support/random';

type Row = Record<string, unknown>;

const PROJECTS = ['-home-user-one', '-home-user-two', '-home-user-three'] as const;
/** Some with several kinds of prices, some without a price. */
const KNOWN_MODELS = [
  'claude-opus-5-5',
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-6',
  'claude-haiku-4-5-20251001',
] as const;
const MODELS = [...KNOWN_MODELS, 'claude-never-seen-9', '<synthetic>'] as const;
/** Around the clock changes in Berlin, New York and Lord Howe, and around midnight in all of them. */
const TIMES = [
  Date.UTC(2026, 2, 8, 6, 50),
  Date.UTC(2026, 2, 29, 0, 50),
  Date.UTC(2026, 3, 4, 14, 50),
  Date.UTC(2026, 9, 25, 0, 40),
  Date.UTC(2026, 10, 1, 5, 40),
  Date.UTC(2026, 10, 21, 18, 0),
] as const;

/**
 * Writes a config folder with valid and malformed sessions: forks, branches, resumes, subagents of three generations of
 * clients, and, with oddities, rows with every kind of error. The same seed writes the same bytes.
 */
export function writeUsageCorpus(configDir: string, seed: number, sessions = 12, hasOddities = true): void {
  new CorpusMaker(configDir, createRandom(seed), hasOddities).make(sessions);
}

class CorpusMaker {
  readonly #random: Random;
  readonly #projects: string;
  /** Lines of the sessions created so far, by path. */
  readonly #sessions = new Map<string, { readonly id: string; readonly lines: string[] }>();
  #ids = 0;
  #files = 0;

  constructor(
    configDir: string,
    random: Random,
    private readonly hasOddities: boolean,
  ) {
    this.#projects = join(configDir, 'projects');
    this.#random = random;
    mkdirSync(this.#projects, { recursive: true });
  }

  make(sessions: number): void {
    const random = this.#random;
    for (let at = 0; at < sessions; at++) {
      const id = `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
      const project = random.pick(PROJECTS);
      const copied = random.chance(0.5) ? this.#copyOf(id) : [];
      const lines = [...copied, ...this.#lines(id, 1 + random.below(12), false)];
      const path = join(this.#projects, project, `${id}.jsonl`);
      this.#sessions.set(path, { id, lines });
      this.#write(path, lines);
      if (random.chance(0.3)) {
        this.#write(join(this.#projects, project, id, 'subagents', `agent-${at}a.jsonl`), this.#agent(id, lines));
      }
      if (random.chance(0.2)) {
        this.#write(join(this.#projects, project, `agent-${at}b.jsonl`), this.#agent(id, lines));
      }
    }
    // Not a transcript but a list of prompts, which is usually elsewhere.
    if (this.hasOddities) {
      this.#write(join(this.#projects, PROJECTS[0], 'history.jsonl'), [this.#answer('none', false)]);
    }
  }

  /** A fork or a branch. The copied rows may or may not be marked as copies. */
  #copyOf(id: string): string[] {
    const random = this.#random;
    const [first, ...others] = [...this.#sessions.values()];
    if (first === undefined) return [];
    const { lines, id: from } = random.pick([first, ...others]);
    const isMarked = random.chance(0.5);
    return lines.slice(0, 1 + random.below(lines.length)).map((line) => {
      const row = parse(line);
      if (row === null) return line;
      return JSON.stringify({ ...row, sessionId: id, ...(isMarked ? { forkedFrom: { sessionId: from } } : {}) });
    });
  }

  /** Sometimes with a row that is in the session's own transcript, too. */
  #agent(id: string, lines: readonly string[]): string[] {
    const shared = this.#random.chance(0.3) ? lines.slice(0, 1) : [];
    return [...this.#lines(id, 1 + this.#random.below(4), true), ...shared];
  }

  #lines(id: string, messages: number, isSidechain: boolean): string[] {
    const lines: string[] = [];
    for (let at = 0; at < messages; at++) {
      const isSide = isSidechain || this.#random.chance(0.1);
      lines.push(JSON.stringify({ type: 'user', uuid: this.#uuid(), sessionId: id, message: { content: 'x' } }));
      const [rows, messageId] = [1 + this.#random.below(3), this.#messageId()];
      if (this.hasOddities) {
        for (let row = 0; row < rows; row++) lines.push(this.#answer(id, isSide, messageId));
        if (this.#random.chance(0.1)) lines.push(this.#badLine(id));
      } else lines.push(...this.#fragments(this.#answer(id, isSide, messageId), rows));
    }
    return lines;
  }

  /** The rows of a streamed message: all have the same values except for the output, which is complete in the last. */
  #fragments(answer: string, rows: number): string[] {
    return Array.from({ length: rows }, (_, at) =>
      at === rows - 1 ? answer : answer.replace(/"output_tokens":\d+/, '"output_tokens":0'),
    );
  }

  #isOdd(probability: number): boolean {
    return this.hasOddities && this.#random.chance(probability);
  }

  #answer(sessionId: string, isSidechain: boolean, id: unknown = this.#messageId()): string {
    const random = this.#random;
    const timeMs = random.pick(TIMES) + random.below(12 * 60) * 60_000;
    const row: Row = {
      parentUuid: null,
      isSidechain,
      type: 'assistant',
      uuid: this.#uuid(),
      sessionId,
      timestamp: this.#isOdd(0.1) ? this.#oddTime() : new Date(timeMs).toISOString(),
      cwd: '/home/user/one',
      requestId: `req_${String(id)}`,
      message: {
        id,
        role: 'assistant',
        model: random.pick(this.hasOddities ? MODELS : KNOWN_MODELS),
        content: [],
        usage: this.#usage(),
      },
    };
    if (this.#isOdd(0.03)) delete row['uuid'];
    if (this.#isOdd(0.03)) delete row['timestamp'];
    return JSON.stringify(row);
  }

  #messageId(): unknown {
    return this.#isOdd(0.07) ? this.#random.pick([undefined, null, '', 7]) : `msg_${this.#ids++}`;
  }

  #usage(): unknown {
    const random = this.#random;
    if (this.#isOdd(0.05)) return random.pick<unknown>([null, [], 'x', {}, { input_tokens: '7' }]);
    const writes1h = random.chance(0.3) ? random.below(3000) : 0;
    const writes5m = random.below(9000);
    const isSplit = random.chance(0.7);
    return {
      input_tokens: this.#count(300),
      output_tokens: this.#count(2000),
      cache_creation_input_tokens: this.#count(1) + (isSplit ? writes1h + writes5m : writes5m),
      cache_read_input_tokens: this.#count(random.chance(0.2) ? 400_000 : 90_000),
      ...(isSplit
        ? { cache_creation: { ephemeral_5m_input_tokens: writes5m, ephemeral_1h_input_tokens: writes1h } }
        : {}),
      ...(random.chance(0.1)
        ? { server_tool_use: { web_search_requests: random.below(4), web_fetch_requests: random.below(3) } }
        : {}),
    };
  }

  #count(below: number): number {
    const odd = this.#random.pick([-5, 0.5, 4_294_967_296, 4_294_967_295]);
    return this.#isOdd(0.01) ? odd : this.#random.below(below);
  }

  #oddTime(): unknown {
    return this.#random.pick<unknown>([
      '',
      'yesterday',
      7,
      null,
      '2090-01-01T00:00:00.000Z',
      '1969-12-31T23:59:00.000Z',
    ]);
  }

  #badLine(id: string): string {
    const [one, two] = [this.#answer(id, false), this.#answer(id, false)];
    return this.#random.pick([one + two, `\0\0${one}`, one.slice(0, one.length >> 1), '', '{"type":"progress"}']);
  }

  #uuid(): string {
    return `00000000-0000-4000-8000-${(this.#ids++).toString(16).padStart(12, '0')}`;
  }

  /** Each file is older than the next one, independent of the machine's clock. */
  #write(path: string, lines: readonly string[]): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
    const ms = Date.UTC(2026, 0, 1) + this.#files++ * 1000;
    utimesSync(path, new Date(ms), new Date(ms));
  }
}

function parse(line: string): Row | null {
  try {
    // SAFETY: the lines are objects, or invalid JSON.
    return JSON.parse(line) as Row;
  } catch {
    return null;
  }
}
