import type { Random } from './random';

type Row = Record<string, unknown>;

const MAX_ROWS = 40;
const START_MS = Date.UTC(2026, 5, 1, 10);
const NO_RESPONSE = 'No response requested.';

/**
 * A transcript as clients write it, with random values for what the resume depends on: branches, parallel calls,
 * missing, late or duplicate results, progress rows, compactions, API errors, copies of files, contents that some
 * client cannot read, broken links near and far in time, rewinds.
 */
export function randomSession(random: Random): Buffer {
  const maker = new SessionMaker(random);
  const count = 1 + random.below(MAX_ROWS);
  while (maker.count < count) maker.addStep();
  return maker.bytes();
}

class SessionMaker {
  readonly #random: Random;
  readonly #lines: string[] = [];
  readonly #uuids: string[] = [];
  /** Calls, each with the row that makes it. */
  readonly #calls: { readonly id: string; readonly row: string }[] = [];
  readonly #messages: string[] = [];
  /** The probability that a row of this session is odd. Most sessions have only a few oddities. */
  readonly #oddity: number;
  readonly #stepMs: number;
  #timeMs = START_MS;

  constructor(random: Random) {
    this.#random = random;
    this.#oddity = random.pick([0, 0.02, 0.1, 0.3]);
    this.#stepMs = random.pick([100, 1500, 30_000]);
  }

  get count(): number {
    return this.#lines.length;
  }

  bytes(): Buffer {
    const torn = this.#isOdd() ? '{"type":"user","message"' : '';
    return Buffer.from(`${this.#lines.join('\n')}\n${torn}`);
  }

  addStep(): void {
    const random = this.#random;
    switch (random.below(8)) {
      case 0:
        this.#chain('user', { message: { role: 'user', content: this.#promptContent() } });
        break;
      case 1:
        this.#result();
        break;
      case 2:
        this.#chain('progress', { data: { type: 'bash_progress' }, toolUseID: 'toolu_p' });
        break;
      case 3:
        this.#other();
        break;
      default:
        this.#answer();
    }
  }

  #answer(): void {
    const random = this.#random;
    const isSame = this.#messages.length > 0 && random.below(2) === 0;
    const id = isSame ? pickOf(random, this.#messages.slice(-3)) : `msg_${this.#messages.length}`;
    if (!isSame) this.#messages.push(id);
    const calls: string[] = [];
    const content: unknown[] = [];
    for (let left = random.below(3); left > 0; left--) {
      const call =
        this.#isOdd() && this.#calls.length > 0
          ? pickOf(random, this.#calls).id
          : `toolu_${this.#calls.length + calls.length}`;
      calls.push(call);
      content.push({ type: 'tool_use', id: call, name: 'Bash', input: {} });
    }
    if (content.length === 0 || random.below(3) === 0) content.push(this.#textBlock());
    const error = this.#isOdd() ? { isApiErrorMessage: true } : {};
    const model = random.below(2) === 0 ? '<synthetic>' : 'claude-test';
    const oddContent = random.pick<unknown>([5, 'said', ' ', [null], ['x', this.#textBlock()], undefined]);
    const message = {
      id: this.#isOdd() ? undefined : id,
      role: 'assistant',
      model: error.isApiErrorMessage ? model : 'claude-test',
      content: this.#isOdd() ? oddContent : content,
    };
    const row = this.#chain('assistant', { message: this.#isOdd() && this.#isOdd() ? null : message, ...error });
    for (const call of calls) this.#calls.push({ id: call, row });
  }

  #textBlock(): unknown {
    const text = this.#isOdd() ? NO_RESPONSE : this.#isOdd() ? '' : 'said';
    return this.#isOdd() ? { type: 'thinking', thinking: 'so' } : { type: 'text', text };
  }

  #promptContent(): unknown {
    if (this.#isOdd())
      return this.#random.pick<unknown>(['', '  ', null, 7, [], [null, this.#textBlock()], HOOK_FEEDBACK]);
    return this.#random.below(2) === 0 ? 'asked' : [{ type: 'text', text: 'asked' }];
  }

  #result(): void {
    const random = this.#random;
    if (this.#calls.length === 0) return;
    const recent = this.#isOdd() ? this.#calls : this.#calls.slice(-4);
    const { id, row } = pickOf(random, recent);
    const content: unknown[] = [{ type: 'tool_result', tool_use_id: id, content: 'out' }];
    if (this.#isOdd()) content.push({ type: 'tool_result', tool_use_id: pickOf(random, recent).id, content: 'out' });
    if (this.#isOdd()) content.push({ type: 'text', text: 'and' });
    const parent = random.below(2) === 0 ? { parentUuid: row } : {};
    this.#chain('user', { message: { role: 'user', content }, sourceToolAssistantUUID: row, ...parent });
  }

  #other(): void {
    const random = this.#random;
    switch (random.below(5)) {
      case 0:
        this.#chain('system', {
          subtype: 'compact_boundary',
          compactMetadata: { trigger: 'auto' },
          ...(this.#isOdd() ? {} : { parentUuid: null }),
        });
        break;
      case 1:
      case 2:
        this.#add({ type: 'last-prompt', lastPrompt: 'asked', leafUuid: this.#someUuid() ?? 'none', sessionId: 's' });
        break;
      case 3:
        this.#chain('attachment', { attachment: { type: 'x' } });
        break;
      default:
        this.#chain('system', {
          subtype: random.pick(['informational', 'local_command', 'file_snapshot']),
          content: 'told',
        });
    }
  }

  #chain(type: string, body: Row): string {
    const random = this.#random;
    const uuid = uuidOf(this.#uuids.length);
    this.#timeMs += random.below(this.#stepMs * 2) - (this.#isOdd() ? 40_000 : 0);
    const timestamp = this.#isOdd() ? random.pick(['', 'x', this.#timeMs]) : new Date(this.#timeMs).toISOString();
    const row: Row = { parentUuid: this.#parent(), type, ...body, uuid, timestamp, sessionId: 's' };
    if (this.#isOdd()) row['forkedFrom'] = { sessionId: 'f' };
    if (this.#isOdd()) row['isMeta'] = true;
    if (this.#isOdd())
      row[random.pick(['sourceToolUseID', 'turnCompanion', 'isDisplayOnly'])] = random.pick<unknown>(['t1', true]);
    this.#uuids.push(uuid);
    const line = JSON.stringify(row);
    const mangled = random.pick([line + line, `\0\0${line}`, line]);
    this.#lines.push(this.#isOdd() ? mangled : line);
    return uuid;
  }

  #parent(): string | null {
    const random = this.#random;
    if (!this.#isOdd()) return this.#uuids.at(-1) ?? null;
    return random.pick([null, uuidOf(9000 + this.count), this.#someUuid(), this.#someUuid()]);
  }

  /** A row of the session, usually one of the last. */
  #someUuid(): string | null {
    if (this.#uuids.length === 0) return null;
    return pickOf(this.#random, this.#random.below(2) === 0 ? this.#uuids.slice(-3) : this.#uuids);
  }

  #add(row: Row): void {
    this.#lines.push(JSON.stringify(row));
  }

  #isOdd(): boolean {
    return this.#random.chance(this.#oddity);
  }
}

const HOOK_FEEDBACK = 'Stop hook feedback:\n- not yet';

function uuidOf(at: number): string {
  return `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`;
}

/** `from` is not empty. */
function pickOf<T>(random: Random, from: readonly T[]): T {
  const [first, ...others] = from;
  if (first === undefined) throw new RangeError('There is nothing to pick from');
  return random.pick([first, ...others]);
}
