import { fileProblem, type FileProblem, type ScannedIdentity } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import type { ScannerFactory } from './scanner';
import type { TranscriptIndex } from './transcriptIndex';
import { type FileChange, nodeTranscriptFiles, type TranscriptFiles, TranscriptTail } from './transcriptTail';

/** Read between two turns of the thread. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** Readings that find nothing appended, until a last line without a newline is taken for all that comes of it. */
const QUIET_READINGS = 5;
/** Appended bytes that are kept, so that whoever wants the rows in them need not open the file. */
const MAX_RECENT_BYTES = 256 * 1024;

/**
 * What happened to a transcript. `vanished`: it cannot be read any more. `appeared`: it can be read, for the first time or
 * again.
 */
export type TranscriptChange = FileChange | 'vanished' | 'appeared';

/** What a transcript said at one time. Its facts are good until the file is read on. */
export interface Reading {
  readonly index: TranscriptIndex;
  /** The file as it was before it was read. */
  readonly identity: ScannedIdentity;
  readonly revision: number;
  /** Within one generation, each reading holds the rows of the one before it, and more. */
  readonly generation: number;
  /** The last line counts, although no newline ends it: the next reading is of another generation. */
  readonly isFinished: boolean;
}

/** What is made of readings, and shared by all who ask for it. */
export interface SharedView<T> {
  /** Views of one name are one view, also when they are loaded twice. */
  readonly name: string;
  create(reading: Reading, transcript: LiveTranscript): T;
  /**
   * `value` with the rows that were appended to what it was made of; null when it has to be created anew. `value` is of no
   * use afterwards.
   */
  grow(value: T, reading: Reading, transcript: LiveTranscript): T | null;
  /** Called while the facts that `value` was made of are good, before the file is read on. */
  prepareToGrow(value: T): void;
}

/** A transcript that somebody uses; it is followed as long as somebody does. */
export interface OpenTranscript {
  readonly transcript: LiveTranscript;
  /** For good. May be called again. */
  close(): void;
}

export interface LiveTranscriptDeps {
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly files?: TranscriptFiles;
  /** The facts hold the token counts of the messages. */
  readonly withUsage?: boolean;
  /** Called in the turn in which a change is seen, before anybody can ask for what comes of it. Must not throw. */
  readonly onChange?: (change: Exclude<TranscriptChange, 'unchanged'>) => void;
}

interface SharedValue {
  readonly value: unknown;
  readonly reading: Reading;
  readonly prepare: () => void;
}

/**
 * One transcript that is followed, whoever asks for it: what it says, or why it says nothing. A refreshing costs one look at
 * the file and the reading of what was appended. Memory: the index, which is some dozens of bytes a row, and 256 KiB.
 */
export class LiveTranscript {
  readonly #deps: LiveTranscriptDeps;
  #tail: TranscriptTail | null;
  /** What was read before the file could not be read any more. */
  #lost: TranscriptTail | null = null;
  #lostReplacements = 0;
  #reading: Reading | null = null;
  #failure: FileProblem | null = null;
  #revision = 0;
  #generation = 0;
  #quietReadings = 0;
  #refreshing: Promise<void> | null = null;
  #isClosed = false;
  #takesLastLine = false;
  #isLastLineAsked = false;
  #recent: { readonly start: number; readonly bytes: Buffer } | null = null;
  readonly #shared = new Map<string, SharedValue>();

  constructor(deps: LiveTranscriptDeps) {
    this.#deps = deps;
    this.#tail = this.#newTail();
  }

  get filePath(): string {
    return this.#deps.filePath;
  }

  get files(): TranscriptFiles {
    return this.#deps.files ?? nodeTranscriptFiles;
  }

  get pacer(): Pacer {
    return this.#deps.pacer;
  }

  /** Null before the first refreshing, while much is read, and when the file cannot be read. */
  get reading(): Reading | null {
    return this.#reading;
  }

  /** Why the file cannot be read; null when it can. */
  get failure(): FileProblem | null {
    return this.#failure;
  }

  /** The same in one sentence for people, who are told when the file was there before. */
  get problem(): string | null {
    if (this.#failure === null) return null;
    const { kind, message } = this.#failure;
    return kind === 'missing' && this.#lost !== null ? `${this.filePath} is gone: it was deleted or moved.` : message;
  }

  /** Counts up with everything that the transcript says, and with its problems. */
  get revision(): number {
    return this.#revision;
  }

  /** Counts up when what was read of the file before is void. */
  get generation(): number {
    return this.#generation;
  }

  /** Times that the file was cut or replaced: that it held something else than what was read of it before. */
  get replacements(): number {
    return this.#lostReplacements + (this.#tail?.replacements ?? 0);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** For good. A reading that is under way ends at its next turn, and changes nothing. */
  close(): void {
    this.#isClosed = true;
    this.#reading = null;
    this.#tail = null;
    this.#lost = null;
    this.#recent = null;
    this.#shared.clear();
  }

  /**
   * From now on, a last line without a newline counts at the next refreshing and whenever nothing comes of it for some
   * refreshings: people are shown it.
   */
  takeLastLine(): void {
    this.#takesLastLine = true;
    this.#isLastLineAsked = true;
  }

  /** Looks at the file, and reads what was appended, or all of another one. Who asks meanwhile gets its end. Never rejects. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** What the view makes of the present reading; null when there is none. */
  get<T>(view: SharedView<T>): T | null {
    const reading = this.#reading;
    if (reading === null) return null;
    const known = this.#shared.get(view.name);
    // SAFETY: only this method sets values, and views of one name are one view.
    const before = known === undefined ? null : (known.value as T);
    if (before !== null && known?.reading === reading) return before;
    const mayGrow = before !== null && known?.reading.generation === reading.generation && !reading.isFinished;
    const value = (mayGrow ? view.grow(before, reading, this) : null) ?? view.create(reading, this);
    const prepare = (): void => {
      view.prepareToGrow(value);
    };
    this.#shared.set(view.name, { value, reading, prepare });
    return value;
  }

  /** The bytes of the file from `start` to `end` where they were appended of late and are kept; else null. */
  recentBytes(start: number, end: number): Buffer | null {
    const recent = this.#recent;
    if (recent === null || start < recent.start || end > recent.start + recent.bytes.length) return null;
    return recent.bytes.subarray(start - recent.start, end - recent.start);
  }

  async #refresh(): Promise<void> {
    const tail = this.#tail;
    if (tail === null) return;
    try {
      await this.#readOn(tail);
    } catch (error) {
      if (!this.#isClosed) this.#fail(tail, error);
    }
  }

  async #readOn(tail: TranscriptTail): Promise<void> {
    for (const { reading, prepare } of this.#shared.values()) if (reading === this.#reading) prepare();
    const isFirst = this.#reading === null;
    let hasGrown = false;
    let isAnew = false;
    let fileChange: FileChange = 'unchanged';
    for (;;) {
      const from = tail.bytesRead;
      const { change, index, ...step } = tail.read(MAX_READ_BYTES);
      hasGrown ||= change !== 'unchanged';
      isAnew ||= change === 'scanned';
      if (fileChange === 'unchanged' || step.fileChange === 'replaced') fileChange = step.fileChange;
      // What was kept of another file, or of this one before it was cut.
      if (isAnew) this.#recent = null;
      if (tail.isAtEnd || tail.bytesRead === from) {
        this.#take(tail, index, { isFirst, hasGrown, isAnew, fileChange });
        return;
      }
      // The facts from before are void, those of half a file are of no use.
      this.#reading = null;
      const turn = this.#deps.pacer.yieldIfDue();
      if (turn !== null) await turn;
      if (this.#isClosed) return;
    }
  }

  #take(
    tail: TranscriptTail,
    index: TranscriptIndex,
    found: {
      readonly isFirst: boolean;
      readonly hasGrown: boolean;
      readonly isAnew: boolean;
      readonly fileChange: FileChange;
    },
  ): void {
    const { isFirst, hasGrown, isAnew, fileChange } = found;
    const { identity } = tail;
    if (identity === null) return;
    const isUnfinished = index.fileSize < tail.bytesRead;
    this.#quietReadings = hasGrown ? 0 : this.#quietReadings + 1;
    const isQuiet = isFirst || this.#isLastLineAsked || this.#quietReadings === QUIET_READINGS;
    const finishes = this.#takesLastLine && isUnfinished && isQuiet;
    this.#isLastLineAsked = false;
    if (!hasGrown && !finishes && this.#reading !== null) return;
    const known = finishes ? tail.finish() : index;
    const size = this.#reading?.index.fileSize;
    const isBack = this.#failure !== null || this.#revision === 0;
    if (isFirst || isAnew || this.#failure !== null || known.fileSize !== size) this.#revision++;
    if (isAnew) this.#startGeneration();
    this.#failure = null;
    if (this.#lost?.isStillThere() === false) this.#lostReplacements++;
    this.#lost = null;
    const { generation } = this;
    this.#reading = { index: known, identity, revision: this.#revision, generation, isFinished: finishes };
    this.#deps.onChange?.(isBack ? 'appeared' : fileChange === 'unchanged' ? 'appended' : fileChange);
  }

  #fail(tail: TranscriptTail, error: unknown): void {
    // What comes back is another file.
    if (tail.bytesRead > 0) this.#lost = tail;
    this.#lostReplacements += tail.replacements;
    this.#tail = this.#newTail();
    this.#reading = null;
    this.#startGeneration();
    const before = this.#failure === null ? null : this.problem;
    this.#failure = fileProblem(error, this.filePath);
    if (this.problem === before) return;
    this.#revision++;
    this.#deps.onChange?.('vanished');
  }

  #startGeneration(): void {
    this.#generation++;
    this.#recent = null;
    this.#shared.clear();
  }

  #newTail(): TranscriptTail {
    const { filePath, createScanner, files, withUsage } = this.#deps;
    return new TranscriptTail(filePath, createScanner, {
      ...(files === undefined ? {} : { files }),
      ...(withUsage === undefined ? {} : { withUsage }),
      onAppended: (bytes, offset) => {
        this.#keepRecent(bytes, offset);
      },
    });
  }

  #keepRecent(bytes: Uint8Array, offset: number): void {
    const recent = this.#recent;
    const isNext = recent !== null && recent.start + recent.bytes.length === offset;
    const fits = isNext && recent.bytes.length + bytes.length <= MAX_RECENT_BYTES;
    this.#recent = fits
      ? { start: recent.start, bytes: Buffer.concat([recent.bytes, bytes]) }
      : { start: offset, bytes: Buffer.from(bytes) };
  }
}

/** A transcript that only its opener uses, and that nobody polls. */
export function readOnceTranscript(deps: LiveTranscriptDeps): OpenTranscript {
  const transcript = new LiveTranscript(deps);
  return {
    transcript,
    close: () => {
      transcript.close();
    },
  };
}
