import { basename } from 'node:path';
import type { ConversationView } from '../../shared/conversation';
import type { SessionMessage, SessionOverview, SessionState } from '../../shared/message';
import type { LiveStatus } from '../../shared/session';
import type { JsonObject } from '../claude/json';
import { ConversationFile } from '../read/conversationFile';
import { FileAnswers } from '../read/fileAnswers';
import { ItemReader } from '../read/itemReader';
import { readText } from '../read/rowValues';
import { rowAtLine } from '../read/order/rowAtLine';
import { RowMemory, type TranscriptRows } from '../read/rows/transcriptRows';
import { SubagentIndex } from '../read/subagentIndex';
import type { TranscriptState } from '../read/transcriptState';
import { NO_ID } from '../scan/idTable';
import { RowFlag, RowKind } from '../scan/rowFlags';
import type { RowTable } from '../scan/rowTable';
import type { ScannerFactory } from '../scan/scanner';
import type { Pacer } from '../util/pacer';
import { findSessionSubagents } from './findSessionSubagents';
import { END_ROWS, inferState, type EndRow } from './inferState';
import { linkSubagents } from './linkSubagents';
import { toMessage, type MessageSource } from './toMessage';

export interface SessionReaderParts {
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  /** Sessions with a running client. */
  readonly liveSessions: () => Promise<ReadonlyMap<string, LiveStatus>>;
}

/** Messages that are held at a time while more are taken. */
const PAGE = 64;

const CHAIN: ConversationView = { kind: 'chain' };

/** Reads one session: what is known of it, and its messages. To be closed by its owner. */
export class SessionReader {
  readonly #parts: SessionReaderParts;
  readonly #file: ConversationFile;
  readonly #answers: FileAnswers;
  readonly #subagents: SubagentIndex;

  constructor(parts: SessionReaderParts) {
    this.#parts = parts;
    const { filePath, createScanner, pacer } = parts;
    const memory = new RowMemory();
    const forget = (): void => {
      memory.clear();
    };
    this.#file = new ConversationFile(filePath, createScanner, pacer, forget);
    this.#answers = new FileAnswers(this.#file, memory, pacer);
    this.#subagents = new SubagentIndex(filePath);
  }

  /** Why nothing can be read, in one sentence for people; null when it can, and before the first reading. */
  get problem(): string | null {
    return this.#file.problem;
  }

  close(): void {
    this.#file.close();
  }

  /** Null when the transcript cannot be read: `problem` says why. */
  async overview(): Promise<SessionOverview | null> {
    const { filePath } = this.#parts;
    const sessionId = basename(filePath, '.jsonl');
    const live = (await this.#parts.liveSessions()).get(sessionId);
    const found = await findSessionSubagents(filePath);
    return this.#answers.ask(async (state, rows, pause) => {
      const subagents = await linkSubagents(found, rows, pause);
      if (subagents === null) return null;
      const { result, metadata } = state.session;
      const { title, cwd, gitBranch, model, clientVersion, lastMessageMs } = metadata;
      return {
        sessionId,
        filePath,
        ...{ title, cwd, gitBranch, model, clientVersion },
        createdMs: firstMessageMs(rows.table),
        updatedMs: lastMessageMs,
        state: live === undefined ? stateOf(state, rows) : { kind: 'running', status: live },
        health: result.status,
        resume: { loads: result.resume.loads, of: result.resume.of },
        fileSize: state.facts.fileSize,
        subagents,
      };
    });
  }

  /** Messages of a view. */
  async count(view: ConversationView = CHAIN): Promise<number> {
    return (await this.#answers.ask((state) => state.order(view).count)) ?? 0;
  }

  /**
   * Messages of a view, from the `from`th on, counted from 0. Read as they are taken: no more than some dozens are held.
   */
  async *messages(view: ConversationView = CHAIN, from = 0, count = Infinity): AsyncGenerator<SessionMessage> {
    const end = from + count;
    for (let at = from; at < end;) {
      const page = await this.#page(view, at, Math.min(PAGE, end - at));
      if (page.length === 0) return;
      yield* page;
      at += page.length;
    }
  }

  /** The line of the row that a branch ends with: of its uuid, or of a number of a line. Null when there is none. */
  async leafLine(leaf: string): Promise<number | null> {
    return this.#answers.ask(({ facts: { ids, rows } }) => {
      const line = /^\d{1,12}$/.test(leaf) ? Number(leaf) : null;
      for (let row = rows.count - 1; row >= 0; row--) {
        if (rows.kind(row) === RowKind.other) continue;
        if (line === null ? ids.text(rows.uuid(row)) === leaf : rows.line(row) === line) return rows.line(row);
      }
      return null;
    });
  }

  async #page(view: ConversationView, from: number, count: number): Promise<readonly SessionMessage[]> {
    const page = await this.#answers.ask(async (state, rows, pause) => {
      const order = state.order(view);
      const reader = new ItemReader(state, order, rows, (call, agent) => this.#subagents.find(call, agent));
      const source = sourceOf(rows);
      const messages: SessionMessage[] = [];
      const end = Math.min(order.count, from + count);
      for (let index = from; index < end; index++) {
        messages.push(toMessage(reader.item(index), index, source));
        if (!(await pause())) return null;
      }
      return messages;
    });
    return page ?? [];
  }
}

function sourceOf(rows: TranscriptRows): MessageSource {
  return {
    row: (line): JsonObject | null => {
      const row = rowAtLine(rows.table, line);
      return row === NO_ID ? (rows.objectsOfLine(line)[0] ?? null) : rows.object(row);
    },
    text: (line, path) => readText(rows, line, path),
  };
}

/** The earliest time that a user or assistant row tells. */
function firstMessageMs(rows: RowTable): number | null {
  let first: number | null = null;
  for (let row = 0; row < rows.count; row++) {
    const kind = rows.kind(row);
    if (kind !== RowKind.user && kind !== RowKind.assistant) continue;
    const time = rows.timeMs(row);
    if (!Number.isNaN(time) && time < (first ?? Infinity)) first = time;
  }
  return first;
}

function stateOf(state: TranscriptState, rows: TranscriptRows): SessionState {
  const order = state.order(CHAIN);
  const isMainLane = state.session.result.resume.of > 0;
  const ends: number[] = [];
  for (let row = rows.table.count - 1; row >= 0 && ends.length < END_ROWS; row--) {
    const kind = rows.table.kind(row);
    // Hundreds of progress rows, which say nothing, may stand behind the last message of old clients.
    if ((order.itemOfRow[row] ?? NO_ID) === NO_ID || kind === RowKind.other || kind === RowKind.progress) continue;
    // What a subagent says in the session's own file is not the session's.
    if (!isMainLane || !rows.table.has(row, RowFlag.sidechain)) ends.push(row);
  }
  const read = ends.reverse().flatMap((row): EndRow[] => {
    const object = rows.object(row);
    return object === null ? [] : [{ line: rows.table.line(row), object }];
  });
  return inferState(read);
}
