import { basename } from 'node:path';
import type { SubagentLink } from '../../protocol/message';
import type { SessionRef } from '../../protocol/session';
import { DIAGNOSTICS } from '../diagnose/growingSession';
import type { Diagnostics } from '../diagnose/verdict';
import { type MemoryFile, readMemoryFiles } from '../providers/claude/files/memoryFiles';
import { readPersistedOutput } from '../providers/claude/files/persistedOutput';
import { findSessionSubagents, subagentDescription, SubagentIndex } from '../providers/claude/files/subagents';
import { sessionFolderOf, sessionRefOf } from '../providers/claude/format/paths';
import { readTaskResults } from '../providers/claude/format/taskCalls';
import {
  type LiveTranscript,
  type OpenTranscript,
  readOnceTranscript,
  type SharedView,
} from '../transcript/liveTranscript';
import { OtherFileError, RowSource } from '../transcript/rowSource';
import { RowFlag } from '../transcript/rowFlags';
import type { ScannerFactory } from '../transcript/scanner';
import { RetainedRows, TranscriptRows } from '../transcript/transcriptRows';
import type { Pacer } from '../util/scheduling';
import { oneLine } from './items/itemText';
import { ItemReader } from './itemReader';
import type { ConversationOrder } from './order/conversationOrder';
import { type TranscriptState, transcriptStateBy } from './transcriptState';

/** A transcript with the caches of one reader, which stay valid while the file only grows. */
export class ConversationFile {
  readonly transcript: LiveTranscript;
  readonly #open: OpenTranscript;
  readonly #onReplaced: () => void;
  readonly #firstRevision: number;
  readonly #state: SharedView<TranscriptState>;
  #generation: number;
  /** As of the last refresh; null before the first. */
  #seenRevision: number | null = null;
  #isClosed = false;

  /**
   * @param open closed together with this object
   * @param onReplaced called when everything read before is invalid
   * @param firstRevision the value that revisions start from
   * @param diagnostics the client whose view of the file is shown; by default the newest measured one
   */
  constructor(open: OpenTranscript, onReplaced: () => void, firstRevision = 0, diagnostics = DIAGNOSTICS) {
    this.#open = open;
    this.#state = transcriptStateBy(diagnostics);
    this.#onReplaced = onReplaced;
    this.transcript = open.transcript;
    this.transcript.takeLastLine();
    // Another reader may have read the transcript already.
    this.#firstRevision = firstRevision - this.transcript.revision;
    this.#generation = this.transcript.generation;
  }

  get revision(): number {
    return this.#firstRevision + this.transcript.revision;
  }

  /** Null while the file is being read, and if it cannot be read. */
  get state(): TranscriptState | null {
    this.noteChanges();
    return this.#isClosed ? null : this.transcript.get(this.#state);
  }

  /** Why the file cannot be read, or why nothing in it can. */
  get problem(): string | null {
    return this.transcript.problem ?? this.state?.session.problem ?? null;
  }

  /** How often the file was truncated or replaced. */
  get replacements(): number {
    return this.transcript.replacements;
  }

  close(): void {
    this.#isClosed = true;
    this.#open.close();
  }

  /** Reads appended rows, or all of a replaced file. Resolves to true if anything changed. Never rejects. */
  async refresh(): Promise<boolean> {
    if (this.#isClosed) return false;
    await this.transcript.refresh();
    this.noteChanges();
    const hasChanged = this.#seenRevision !== this.transcript.revision;
    this.#seenRevision = this.transcript.revision;
    return hasChanged;
  }

  /** Must be called after another reader has refreshed the transcript. */
  noteChanges(): void {
    if (this.#generation === this.transcript.generation) return;
    this.#generation = this.transcript.generation;
    this.#onReplaced();
  }

  /** Resolves once the file was read or turned out to be unreadable. */
  async settled(): Promise<void> {
    const { transcript } = this;
    const isWaiting = (): boolean => transcript.reading === null && transcript.failure === null;
    // The owner of the transcript may have closed it.
    const isOver = (): boolean => this.#isClosed || transcript.isClosed;
    while (!isOver() && (this.#seenRevision === null || isWaiting())) await this.refresh();
  }
}

/**
 * Creates an answer from a transcript. `pause` yields from time to time and resolves to false if the file changed in
 * the meantime, so that the answer is invalid.
 */
export type ReadAnswer<T> = (
  state: TranscriptState,
  rows: TranscriptRows,
  pause: () => Promise<boolean>,
) => Promise<T | null> | T | null;

/** How often a file may change during an answer before the answer is created without yielding. */
const MAX_TRIES = 3;

/** Answers from a file that may change at any time. Each answer is made from one state of the file. */
export class FileAnswers {
  constructor(
    private readonly file: ConversationFile,
    private readonly memory: RetainedRows,
  ) {}

  /** Null if there is no file. Never rejects. */
  async ask<T>(read: ReadAnswer<T>): Promise<T | null> {
    return this.#ask(read, (state) => this.#open(state));
  }

  /** Like `ask`, but without checking the file first, for callers that have just refreshed it. */
  async askRefreshed<T>(read: ReadAnswer<T>): Promise<T | null> {
    return this.#ask(read, (state) => this.#source(state));
  }

  async #ask<T>(read: ReadAnswer<T>, open: (state: TranscriptState) => RowSource | null): Promise<T | null> {
    for (let tries = 0; tries <= MAX_TRIES; tries++) {
      const state = await this.state();
      if (state === null) return null;
      const source = open(state);
      if (source === null) {
        await this.file.refresh();
        continue;
      }
      const pause = async (): Promise<boolean> => {
        const turn = tries === MAX_TRIES ? null : this.file.transcript.pacer.yieldIfDue();
        if (turn !== null) await turn;
        return this.file.state === state;
      };
      try {
        const answer = await read(state, new TranscriptRows(state.index.rows, source, this.memory), pause);
        if (this.file.state === state) return answer;
      } catch (error) {
        // The disk failed; the next reading of the file reports the reason.
        if (!(error instanceof OtherFileError)) return null;
        await this.file.refresh();
      } finally {
        source.close();
      }
    }
    return null;
  }

  /** The state once the file was read; null if it cannot be read. */
  async state(): Promise<TranscriptState | null> {
    await this.file.settled();
    // The state may have become invalid while other work ran.
    return this.file.state;
  }

  /** Null if the file is gone or was replaced. */
  #open(state: TranscriptState): RowSource | null {
    try {
      const source = this.#source(state);
      source.open();
      return source;
    } catch {
      return null;
    }
  }

  #source({ index }: TranscriptState): RowSource {
    const { transcript } = this.file;
    return RowSource.of(transcript, index.fileSize);
  }
}

export interface SessionPartsDeps {
  /** The client whose view of the session is shown; by default the newest measured one. */
  readonly diagnostics?: Diagnostics;
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  /** The transcript if other readers use it, too; it is closed with the session's parts. */
  readonly open?: OpenTranscript | undefined;
  /** The first revision: higher than those of the session's previous reader. */
  readonly firstRevision?: number | undefined;
}

/**
 * All parts of a session on disk, read in one way for the panel, `show`, exports and tasks: its transcript, the
 * transcripts of its subagents and the calls that started them, outputs in separate files, and the memory files of its
 * project. Its owner must close it.
 */
export class SessionParts {
  readonly filePath: string;
  readonly file: ConversationFile;
  readonly answers: FileAnswers;
  readonly subagents: SubagentIndex;
  readonly #memory = new RetainedRows();

  /** @param onReplaced called when everything read before is invalid */
  constructor(deps: SessionPartsDeps, onReplaced?: () => void) {
    this.filePath = deps.filePath;
    const forget = (): void => {
      this.#memory.clear();
      onReplaced?.();
    };
    this.file = new ConversationFile(
      deps.open ?? readOnceTranscript(deps),
      forget,
      deps.firstRevision,
      deps.diagnostics,
    );
    this.answers = new FileAnswers(this.file, this.#memory);
    this.subagents = new SubagentIndex(deps.filePath);
  }

  get session(): SessionRef {
    return sessionRefOf(this.filePath);
  }

  /** The id of the session that a client runs: for a subagent's transcript, the session that started it. */
  get ownerId(): string {
    return basename(sessionFolderOf(this.filePath));
  }

  /** Increases with the transcript, and with the transcripts of subagents. */
  get revision(): number {
    return this.file.revision + this.subagents.revision;
  }

  /**
   * Why the transcript, or anything in it, cannot be read, in one sentence for people; null if it can be read, and before the
   * first reading.
   */
  get problem(): string | null {
    return this.file.problem;
  }

  close(): void {
    this.file.close();
    this.#memory.clear();
  }

  /** Reads the items of a view, with the subagents that its calls started. */
  itemReader(state: TranscriptState, order: ConversationOrder, rows: TranscriptRows): ItemReader {
    return new ItemReader(state, order, rows, (callId, agentId) => this.subagents.find(callId, agentId));
  }

  /** The description of the call that started this subagent, on one line; null for a session, and if there is none. */
  subagentTitle(): string | null {
    const description = subagentDescription(this.filePath);
    return description === null ? null : oneLine(description);
  }

  /**
   * The subagents of the session, each with the call that started it if known. Null if the transcript cannot be read.
   */
  async subagentLinks(): Promise<readonly SubagentLink[] | null> {
    const found = await findSessionSubagents(this.filePath);
    return this.answers.ask((_state, rows, pause) => linkSubagents(found, rows, pause));
  }

  /** An output that the client stored in a separate file; null if it does not exist. */
  persistedOutput(outputPath: string): Promise<string | null> {
    return readPersistedOutput(this.filePath, outputPath);
  }

  /** The files in which the client keeps its memory of the session's project. */
  memoryFiles(): Promise<readonly MemoryFile[]> {
    return readMemoryFiles(this.filePath);
  }
}

/** Results of subagents are shorter. The agent's id follows the text. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024;
/** A row whose bytes lack this contains no id of a subagent. */
const NEEDLE = '"agentId"';

/**
 * The subagents, each with the call that started it. Clients up to 2.1.50 wrote no `meta.json` with the id of the call,
 * but the call's result contains the subagent's id (`toolUseResult.agentId`). Results are read only if a call is
 * unknown. Null if `pause` reports that the file changed.
 */
async function linkSubagents(
  subagents: readonly SubagentLink[],
  rows: TranscriptRows,
  pause: () => Promise<boolean>,
): Promise<readonly SubagentLink[] | null> {
  const wanted = new Set(subagents.filter(({ toolUseId }) => toolUseId === null).map(({ agentId }) => agentId));
  if (wanted.size === 0) return subagents;
  const calls = new Map<string, string>();
  for (let row = 0; row < rows.table.count && wanted.size > 0; row++) {
    if (!rows.table.has(row, RowFlag.hasToolResult)) continue;
    if (!(await pause())) return null;
    if (!rows.bytes(row, MAX_RESULT_BYTES).includes(NEEDLE)) continue;
    const object = rows.object(row);
    for (const { agentId, callId } of object === null ? [] : readTaskResults(object)) {
      if (agentId !== null && wanted.delete(agentId)) calls.set(agentId, callId);
    }
  }
  return subagents.map((link) => ({ ...link, toolUseId: link.toolUseId ?? calls.get(link.agentId) ?? null }));
}
