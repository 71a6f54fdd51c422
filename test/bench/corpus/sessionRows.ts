import type { Chance } from './chance';
import { chooseClient, type ChainRowParts, type ClientStyle, type SessionFrame } from './chooseClient';
import { makeProgressData, makeSnapshotRow, makeSystemBody, makeUsage } from './rowBodies';
import type { Texts } from './texts';
import { makeToolCall, type ToolCall } from './makeToolCall';

const MODELS = ['claude-sonnet-4-6', 'claude-opus-5-5'] as const;
/** Between two rows, in milliseconds. */
const STEP_MS = { low: 20, high: 30_000 };

/** The rows of one healthy session, turn by turn, as objects. */
export class SessionRows {
  readonly #frame: SessionFrame;
  readonly #style: ClientStyle;
  readonly #open: object[] = [];
  #parent: string | null = null;
  #timeMs: number;
  #lastPrompt = '';

  constructor(
    private readonly chance: Chance,
    private readonly texts: Texts,
    sessionId: string,
    private readonly maxImageBytes: number,
  ) {
    const { style, frame } = chooseClient(chance, sessionId);
    this.#style = style;
    this.#frame = frame;
    this.#timeMs = Date.UTC(2026, chance.between(0, 5), chance.between(1, 28), chance.between(0, 23));
  }

  /** Time of the newest row, in milliseconds since the epoch. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /** Makes the next row a child of a row that does not exist. */
  breakChain(): void {
    this.#parent = this.chance.uuid();
  }

  first(): object[] {
    const { chance } = this;
    if (this.#style.isLegacy) {
      if (chance.hasLuck(0.3)) this.#add({ type: 'summary', summary: this.texts.prose(60), leafUuid: chance.uuid() });
      this.#snapshot(false);
    } else this.#add({ type: 'mode', mode: 'normal', sessionId: this.#frame.sessionId });
    return this.#open.splice(0);
  }

  /** The rows of one step: a prompt, a reply with its calls, or one of the rows that clients write between them. */
  next(): object[] {
    const drawn = this.chance.next();
    if (drawn < 0.05 || this.#parent === null) this.#prompt();
    else if (drawn < 0.9) this.#answer();
    else if (drawn < 0.95) this.#chain('system', makeSystemBody(this.chance, this.texts));
    else if (drawn < 0.985) this.#snapshot(true);
    else if (drawn < 0.987) this.#compaction();
    else this.#queueOperation();
    return this.#open.splice(0);
  }

  #prompt(): void {
    const { chance, texts } = this;
    this.#lastPrompt = texts.prose(chance.around(300, 1, 20, 8000));
    this.#chain('user', { message: { role: 'user', content: this.#lastPrompt } }, { permissionMode: 'default' });
    if (this.#style.isLegacy) return;
    for (const type of ['date', 'skill_listing', 'task_reminder']) {
      if (!chance.hasLuck(0.5)) continue;
      const attachment = { type, content: texts.prose(chance.between(20, 900)), names: ['init', 'run', 'code-review'] };
      this.#chain('attachment', { attachment }, { rendered: [{ content: texts.prose(80) }], renderedRole: 'system' });
    }
    const leafUuid = this.#parent;
    this.#add({
      type: 'last-prompt',
      lastPrompt: this.#lastPrompt.slice(0, 200),
      leafUuid,
      sessionId: this.#frame.sessionId,
    });
  }

  /** Thinking, text and calls of one message are separate rows; results of parallel calls fork the tree. */
  #answer(): void {
    const { chance, texts } = this;
    const message = { id: `msg_01${chance.hex(22)}`, requestId: `req_011${chance.hex(20)}`, usage: makeUsage(chance) };
    if (chance.hasLuck(0.3)) {
      const signature = texts.base64(chance.between(300, 1500));
      this.#assistant(message, {
        type: 'thinking',
        thinking: texts.prose(chance.around(700, 0.8, 50, 12_000)),
        signature,
      });
    }
    if (chance.hasLuck(0.5)) {
      this.#assistant(message, { type: 'text', text: texts.prose(chance.around(400, 1.1, 20, 15_000)) });
    }
    const calls = Array.from({ length: chance.hasLuck(0.1) ? chance.between(2, 3) : 1 }, () => ({
      id: `toolu_01${chance.hex(22)}`,
      call: makeToolCall({ chance, texts, cwd: this.#frame.cwd, maxImageBytes: this.maxImageBytes }),
    }));
    const asked = calls.map(({ id, call }) => {
      const { name, input } = call;
      return { id, call, row: this.#assistant(message, { type: 'tool_use', id, name, input }) };
    });
    if (this.#style.isLegacy && (calls[0]?.call.name === 'Task' || chance.hasLuck(0.1)))
      this.#progress(asked[0]?.id ?? '');
    for (const { id, call, row } of asked) this.#result(id, call, row, asked.length > 1);
  }

  #assistant(message: { id: string; requestId: string; usage: object }, block: object): string {
    const { id, requestId, usage } = message;
    const model = this.#model();
    const content = [block];
    const stop = { stop_reason: 'type' in block && block.type === 'tool_use' ? 'tool_use' : null, stop_sequence: null };
    return this.#chain('assistant', {
      message: { id, type: 'message', role: 'assistant', model, content, ...stop, usage },
      requestId,
    });
  }

  #result(toolUseId: string, call: ToolCall, source: string, isParallel: boolean): void {
    if (isParallel) this.#parent = source;
    const block = { tool_use_id: toolUseId, type: 'tool_result', content: call.content, is_error: false };
    this.#chain(
      'user',
      { message: { role: 'user', content: [block] } },
      { toolUseResult: call.kept, sourceToolAssistantUUID: source },
    );
  }

  #progress(toolUseId: string): void {
    for (let left = this.chance.between(1, 4); left > 0; left--) {
      this.#chain('progress', makeProgressData(this.chance, this.texts, toolUseId, this.#time()));
    }
  }

  #snapshot(isSnapshotUpdate: boolean): void {
    const messageId = this.#parent ?? this.chance.uuid();
    this.#add(makeSnapshotRow(this.chance, messageId, this.#time(), isSnapshotUpdate));
  }

  #compaction(): void {
    const { chance, texts } = this;
    const logicalParentUuid = this.#parent;
    this.#parent = null;
    const compactMetadata = { trigger: 'auto', preTokens: chance.between(100_000, 200_000) };
    const boundary = { subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false, level: 'info' };
    this.#chain('system', { logicalParentUuid, ...boundary, compactMetadata });
    const content = `This session is being continued from a previous conversation.\n${texts.prose(3000)}`;
    this.#chain(
      'user',
      { message: { role: 'user', content } },
      { isVisibleInTranscriptOnly: true, isCompactSummary: true },
    );
  }

  #queueOperation(): void {
    const { sessionId } = this.#frame;
    const timestamp = this.#tick();
    this.#add({ type: 'queue-operation', operation: 'enqueue', timestamp, sessionId, content: this.texts.prose(60) });
  }

  #model(): string {
    return MODELS[this.#frame.version.length % 2] ?? MODELS[0];
  }

  /** Adds a row after the newest one and returns its uuid. */
  #chain(type: ChainRowParts['type'], body: object, behind: object = {}): string {
    const uuid = this.chance.uuid();
    const row = { type, parentUuid: this.#parent, uuid, timestamp: this.#tick(), body, behind };
    this.#add(this.#style.chainRow(this.#frame, row));
    this.#parent = uuid;
    return uuid;
  }

  #tick(): string {
    this.#timeMs += this.chance.between(STEP_MS.low, STEP_MS.high);
    return this.#time();
  }

  #time(): string {
    return new Date(this.#timeMs).toISOString();
  }

  #add(row: object): void {
    this.#open.push(row);
  }
}
