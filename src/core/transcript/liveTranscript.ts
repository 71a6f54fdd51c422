import { fileProblem, type FileProblem, type ScannedIdentity } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import type { ScannerFactory } from './scanner';
import type { TranscriptIndex } from './transcriptIndex';
import { type FileChange, nodeTranscriptFiles, type TranscriptFiles, TranscriptTail } from './transcriptTail';

/** Bytes read between two yields of the thread. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** Refreshes without appended bytes after which a last line without a newline is considered complete. */
const QUIET_READINGS = 5;
/** Appended bytes that are kept, so that readers of these rows need not open the file. */
const MAX_RECENT_BYTES = 256 * 1024;

/**
 * What happened to a transcript. `vanished`: it can no longer be read. `appeared`: it can be read, for the first time or
 * again.
 */
export type TranscriptChange = FileChange | 'vanished' | 'appeared';

/** The facts of a transcript at one time. They are valid until more of the file is read. */
export interface Reading {
  readonly index: TranscriptIndex;
  /** The state of the file before it was read. */
  readonly identity: ScannedIdentity;
  readonly revision: number;
  /** Within one generation, each reading holds all rows of the previous one, and possibly more. */
  readonly generation: number;
  /** The last line counts although no newline ends it. The next reading belongs to another generation. */
  readonly isFinished: boolean;
}

/** A value computed from readings and shared by all callers. */
export interface SharedView<T> {
  /** Views with the same name are the same view, even if the module is loaded twice. */
  readonly name: string;
  create(reading: Reading, transcript: LiveTranscript): T;
  /**
   * Adds the appended rows to `value`; null if it has to be created again. `value` is invalid afterwards.
   */
  grow(value: T, reading: Reading, transcript: LiveTranscript): T | null;
  /** Called while the facts from which `value` was made are still valid, before more of the file is read. */
  prepareToGrow(value: T): void;
}

/** A transcript in use. It is followed until all of its users have closed it. */
export interface OpenTranscript {
  readonly transcript: LiveTranscript;
  /** Closes permanently. May be called more than once. */
  close(): void;
}

export interface LiveTranscriptDeps {
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly files?: TranscriptFiles;
  /** The facts include the token counts of the messages. */
  readonly withUsage?: boolean;
  /** Called in the same turn in which a change is detected, before any caller can see its result. Must not throw. */
  readonly onChange?: (change: Exclude<TranscriptChange, 'unchanged'>) => void;
}

interface SharedValue {
  readonly value: unknown;
  readonly reading: Reading;
  readonly prepare: () => void;
}

/**
 * One followed transcript, shared by all callers: its facts, or why it cannot be read. A refresh costs one stat of the file plus
 * reading what was appended. Memory: the index, at some dozens of bytes per row, plus 256 KiB.
 */
export class LiveTranscript {
  readonly #deps: LiveTranscriptDeps;
  #tail: TranscriptTail | null;
  /** What was read before the file became unreadable. */
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

  /** Null before the first refresh, while a long read is in progress, and when the file cannot be read. */
  get reading(): Reading | null {
    return this.#reading;
  }

  /** Why the file cannot be read; null when it can. */
  get failure(): FileProblem | null {
    return this.#failure;
  }

  /** The failure as one sentence to show. It says so if the file existed before. */
  get problem(): string | null {
    if (this.#failure === null) return null;
    const { kind, message } = this.#failure;
    return kind === 'missing' && this.#lost !== null ? `${this.filePath} is gone: it was deleted or moved.` : message;
  }

  /** Incremented with every change of the facts or of the problem. */
  get revision(): number {
    return this.#revision;
  }

  /** Incremented when everything read from the file before is invalid. */
  get generation(): number {
    return this.#generation;
  }

  /** How often the file was truncated or replaced, so that its content differed from what was read before. */
  get replacements(): number {
    return this.#lostReplacements + (this.#tail?.replacements ?? 0);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Closes permanently. A read in progress ends at its next yield and changes nothing. */
  close(): void {
    this.#isClosed = true;
    this.#reading = null;
    this.#tail = null;
    this.#lost = null;
    this.#recent = null;
    this.#shared.clear();
  }

  /**
   * From this call on, a last line without a newline counts at the next refresh and whenever it has not grown for some
   * refreshes, because it is shown to people.
   */
  takeLastLine(): void {
    this.#takesLastLine = true;
    this.#isLastLineAsked = true;
  }

  /** Stats the file and reads what was appended, or all of a different file. Concurrent calls share one run. Never rejects. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** The view's value for the current reading; null if there is no reading. */
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

  /** The bytes of the file from `start` to `end` if they were appended recently and are still kept; otherwise null. */
  recentBytes(start: number, end: number): Buffer | null {
    const recent = this.#recent;
    if (recent === null || start < recent.start || end > recent.start + recent.bytes.length) return null;
    return recent.bytes.subarray(start - recent.start, end - recent.start);
  }

  async #refresh(): Promise<void> {
    const tail = this.#tail;
    if (tail === null) return;
    try {
      await this.#readAppended(tail);
    } catch (error) {
      if (!this.#isClosed) this.#fail(tail, error);
    }
  }

  async #readAppended(tail: TranscriptTail): Promise<void> {
    for (const { reading, prepare } of this.#shared.values()) if (reading === this.#reading) prepare();
    const isFirst = this.#reading === null;
    let hasGrown = false;
    let isRescanned = false;
    let fileChange: FileChange = 'unchanged';
    for (;;) {
      const from = tail.bytesRead;
      const { change, index, ...step } = tail.read(MAX_READ_BYTES);
      hasGrown ||= change !== 'unchanged';
      isRescanned ||= change === 'scanned';
      if (fileChange === 'unchanged' || step.fileChange === 'replaced') fileChange = step.fileChange;
      // These bytes belong to another file, or to this one before it was truncated.
      if (isRescanned) this.#recent = null;
      // A file that is read again from its start may end up where it was before.
      if (tail.isAtEnd || (change !== 'scanned' && tail.bytesRead === from)) {
        this.#accept(tail, index, { isFirst, hasGrown, isRescanned, fileChange });
        return;
      }
      // The previous facts are invalid, and the facts of half a file are useless.
      this.#reading = null;
      const turn = this.#deps.pacer.yieldIfDue();
      if (turn !== null) await turn;
      if (this.#isClosed) return;
    }
  }

  #accept(
    tail: TranscriptTail,
    index: TranscriptIndex,
    found: {
      readonly isFirst: boolean;
      readonly hasGrown: boolean;
      readonly isRescanned: boolean;
      readonly fileChange: FileChange;
    },
  ): void {
    const { isFirst, hasGrown, isRescanned, fileChange } = found;
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
    if (isFirst || isRescanned || this.#failure !== null || known.fileSize !== size) this.#revision++;
    if (isRescanned) this.#startGeneration();
    this.#failure = null;
    if (this.#lost?.isStillThere() === false) this.#lostReplacements++;
    this.#lost = null;
    const { generation } = this;
    this.#reading = { index: known, identity, revision: this.#revision, generation, isFinished: finishes };
    this.#deps.onChange?.(isBack ? 'appeared' : fileChange === 'unchanged' ? 'appended' : fileChange);
  }

  #fail(tail: TranscriptTail, error: unknown): void {
    // If a file appears again, it is a different one.
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

/** A transcript that only the caller uses and that is not polled. */
export function readOnceTranscript(deps: LiveTranscriptDeps): OpenTranscript {
  const transcript = new LiveTranscript(deps);
  return {
    transcript,
    close: () => {
      transcript.close();
    },
  };
}
