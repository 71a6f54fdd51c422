import { fileProblem } from '../scan/fileProblem';
import type { ScannedIdentity } from '../scan/openRegularFile';
import type { ScannerFactory } from '../scan/scanner';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { SessionTail } from '../tail/sessionTail';
import type { Pacer } from '../util/pacer';
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
