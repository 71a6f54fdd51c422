import type { LiveTranscript, OpenTranscript } from '../transcript/liveTranscript';
import { OtherFileError, RowSource } from '../transcript/rowSource';
import { type RetainedRows, TranscriptRows } from '../transcript/transcriptRows';
import { transcriptState, type TranscriptState } from './transcriptState';

/** A transcript as one reader sees it, who keeps things that are good as long as the file only grows. */
export class ConversationFile {
  readonly transcript: LiveTranscript;
  readonly #open: OpenTranscript;
  readonly #onAnew: () => void;
  readonly #firstRevision: number;
  #generation: number;
  /** Of the last refreshing; null before the first. */
  #seenRevision: number | null = null;
  #isClosed = false;

  /**
   * @param open is closed with this
   * @param onAnew is called when what was read of the file before is void
   * @param firstRevision is what revisions count up from
   */
  constructor(open: OpenTranscript, onAnew: () => void, firstRevision = 0) {
    this.#open = open;
    this.#onAnew = onAnew;
    this.transcript = open.transcript;
    this.transcript.takeLastLine();
    // Others may have read the transcript before: it need not be told anew.
    this.#firstRevision = firstRevision - this.transcript.revision;
    this.#generation = this.transcript.generation;
  }

  get revision(): number {
    return this.#firstRevision + this.transcript.revision;
  }

  /** Null while it is being read, and when it cannot be. */
  get state(): TranscriptState | null {
    this.noteChanges();
    return this.#isClosed ? null : this.transcript.get(transcriptState);
  }

  get problem(): string | null {
    return this.transcript.problem;
  }

  /** Times that the file was cut or replaced: that it held something else than what was read of it before. */
  get replacements(): number {
    return this.transcript.replacements;
  }

  close(): void {
    this.#isClosed = true;
    this.#open.close();
  }

  /** Reads what was appended, or all of another file. True when anything is to be told. Never rejects. */
  async refresh(): Promise<boolean> {
    if (this.#isClosed) return false;
    await this.transcript.refresh();
    this.noteChanges();
    const hasChanged = this.#seenRevision !== this.transcript.revision;
    this.#seenRevision = this.transcript.revision;
    return hasChanged;
  }

  /** To be called after others have refreshed the transcript. */
  noteChanges(): void {
    if (this.#generation === this.transcript.generation) return;
    this.#generation = this.transcript.generation;
    this.#onAnew();
  }

  /** Resolves once the file was read, or cannot be. */
  async settled(): Promise<void> {
    const { transcript } = this;
    const isWaiting = (): boolean => transcript.reading === null && transcript.failure === null;
    // Whoever opened the transcript may have closed it.
    const isOver = (): boolean => this.#isClosed || transcript.isClosed;
    while (!isOver() && (this.#seenRevision === null || isWaiting())) await this.refresh();
  }
}

/**
 * Makes an answer of a transcript. `pause` gives the thread away now and then; false when the file changed meanwhile, and
 * the answer is of no use.
 */
export type ReadAnswer<T> = (
  state: TranscriptState,
  rows: TranscriptRows,
  pause: () => Promise<boolean>,
) => Promise<T | null> | T | null;

/** How often a file may change under an answer until it is made without giving the thread away. */
const MAX_TRIES = 3;

/** Answers out of a file that changes at any time: each is made of what it says at one time. */
export class FileAnswers {
  constructor(
    private readonly file: ConversationFile,
    private readonly memory: RetainedRows,
  ) {}

  /** Null when there is no file. Never rejects. */
  async ask<T>(read: ReadAnswer<T>): Promise<T | null> {
    return this.#ask(read, (state) => this.#open(state));
  }

  /** The same, for those who have just refreshed the file: it is not looked at again unless rows of it have to be read. */
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
        // A disk that gives no bytes: the next reading of the file says why.
        if (!(error instanceof OtherFileError)) return null;
        await this.file.refresh();
      } finally {
        source.close();
      }
    }
    return null;
  }

  /** The state once the file was read; null when it cannot be. */
  async state(): Promise<TranscriptState | null> {
    await this.file.settled();
    // What it was before the turn of other work may be void.
    return this.file.state;
  }

  /** Null when the file is gone, or another one than the state is of. */
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
