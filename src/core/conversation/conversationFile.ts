import { SessionTail } from '../tail/sessionTail';
import { RowSource } from '../transcript/rowSource';
import type { ScannerFactory } from '../transcript/scanner';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import { type RowMemory, TranscriptRows } from '../transcript/transcriptRows';
import { fileProblem, type ScannedIdentity } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import { TranscriptState } from './transcriptState';

/** Read between two turns of the thread. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** Readings that find nothing appended, until a last line without a newline is taken for all that comes of it. */
const QUIET_READINGS = 5;

/** One transcript, followed: what it says, or why it says nothing. */
export class ConversationFile {
  #tail: SessionTail;
  /** What was read before the file could not be read any more. */
  #lost: SessionTail | null = null;
  #replacements = 0;
  #state: TranscriptState | null = null;
  #problem: string | null = null;
  #revision: number;
  #quietReadings = 0;
  #reading: Promise<boolean> | null = null;
  #isClosed = false;

  constructor(
    readonly filePath: string,
    private readonly createScanner: ScannerFactory,
    private readonly pacer: Pacer,
    /** What was read of the file before is void. */
    private readonly onAnew: () => void,
    /** Revisions count up from it. */
    firstRevision = 0,
  ) {
    this.#revision = firstRevision;
    this.#tail = new SessionTail(filePath, createScanner);
  }

  get revision(): number {
    return this.#revision;
  }

  /** Null while it is being read, and when it cannot be. */
  get state(): TranscriptState | null {
    return this.#state;
  }

  get problem(): string | null {
    return this.#problem;
  }

  /** Times that the file was cut or replaced: that it held something else than what was read of it before. */
  get replacements(): number {
    return this.#replacements + this.#tail.replacements;
  }

  /** The file that the state is of. */
  get identity(): ScannedIdentity | null {
    return this.#tail.identity;
  }

  close(): void {
    this.#isClosed = true;
    this.#state = null;
  }

  /** Reads what was appended, or all of another file. True when anything is to be told. Never rejects. */
  refresh(): Promise<boolean> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Resolves once the file was read, or cannot be. */
  async settled(): Promise<void> {
    while (this.#state === null && this.#problem === null && !this.#isClosed) await this.refresh();
  }

  async #read(): Promise<boolean> {
    if (this.#isClosed) return false;
    try {
      return await this.#readOn();
    } catch (error) {
      // What comes back is another file.
      if (this.#tail.bytesRead > 0) this.#lost = this.#tail;
      this.#replacements += this.#tail.replacements;
      this.#tail = new SessionTail(this.filePath, this.createScanner);
      this.#state = null;
      this.onAnew();
      const message = this.#problemOf(error);
      const hasChanged = message !== this.#problem;
      this.#problem = message;
      if (hasChanged) this.#revision++;
      return hasChanged;
    }
  }

  #problemOf(error: unknown): string {
    const { kind, message } = fileProblem(error, this.filePath);
    return kind === 'missing' && this.#lost !== null ? `${this.filePath} is gone: it was deleted or moved.` : message;
  }

  async #readOn(): Promise<boolean> {
    this.#state?.prepareToGrow();
    const isFirst = this.#state === null;
    let hasGrown = false;
    let isAnew = false;
    for (;;) {
      const from = this.#tail.bytesRead;
      const { change, facts } = this.#tail.read(MAX_READ_BYTES);
      hasGrown ||= change !== 'unchanged';
      isAnew ||= change === 'scanned';
      if (this.#tail.isAtEnd || this.#tail.bytesRead === from) return this.#take(facts, { isFirst, hasGrown, isAnew });
      // The facts from before are void, those of half a file are of no use.
      this.#state = null;
      const turn = this.pacer.pause();
      if (turn !== null) await turn;
      if (this.#isClosed) return false;
    }
  }

  #take(
    facts: TranscriptFacts,
    { isFirst, hasGrown, isAnew }: { readonly isFirst: boolean; readonly hasGrown: boolean; readonly isAnew: boolean },
  ): boolean {
    const isUnfinished = facts.fileSize < this.#tail.bytesRead;
    this.#quietReadings = hasGrown ? 0 : this.#quietReadings + 1;
    const isQuiet = isFirst || this.#quietReadings === QUIET_READINGS;
    if (!hasGrown && !(isUnfinished && isQuiet) && this.#state !== null) return false;
    const known = isUnfinished && isQuiet ? this.#tail.finish() : facts;
    const hasChanged = isFirst || isAnew || this.#problem !== null || known.fileSize !== this.#state?.facts.fileSize;
    if (isAnew) this.onAnew();
    this.#problem = null;
    if (this.#lost?.isStillThere() === false) this.#replacements++;
    this.#lost = null;
    if (hasChanged) this.#revision++;
    const grown = isAnew || known !== facts ? null : this.#state?.grow(this.#revision, facts);
    this.#state = grown ?? new TranscriptState(this.#revision, this.filePath, known);
    return hasChanged;
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
    private readonly memory: RowMemory,
    private readonly pacer: Pacer,
  ) {}

  /** Null when there is no file. Never rejects. */
  async ask<T>(read: ReadAnswer<T>): Promise<T | null> {
    for (let tries = 0; tries <= MAX_TRIES; tries++) {
      const state = await this.state();
      if (state === null) return null;
      const source = this.#open(state);
      if (source === null) {
        await this.file.refresh();
        continue;
      }
      const pause = async (): Promise<boolean> => {
        const turn = tries === MAX_TRIES ? null : this.pacer.pause();
        if (turn !== null) await turn;
        return this.file.state === state;
      };
      try {
        const answer = await read(state, new TranscriptRows(state.facts.rows, source, this.memory), pause);
        if (this.file.state === state) return answer;
      } catch {
        // A disk that gives no bytes: the next reading of the file says why.
        return null;
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
      const source = RowSource.open(this.file.filePath, state.facts.fileSize);
      const { ino, dev, size } = source.identity;
      const known = this.file.identity;
      if (ino === known?.ino && dev === known.dev && size >= BigInt(state.facts.fileSize)) return source;
      source.close();
      return null;
    } catch {
      return null;
    }
  }
}
