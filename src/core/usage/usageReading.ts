import { liveVerdict } from '../diagnose/growingSession';
import { chooseTitle } from '../providers/claude/format/sessionMetadata';
import type { LiveTranscript, OpenTranscript, Reading } from '../transcript/liveTranscript';
import { scanFile } from '../transcript/scanFile';
import type { ScannerFactory } from '../transcript/scanner';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import type { Pacer } from '../util/scheduling';
import { ContextReader, type NewestAnswer } from './contextReader';
import { type MessageChange, MessageReader } from './messageReader';
import type { UsageFileNotes } from './usageFiles';

/** The result of reading a transcript. */
export interface UsageReading {
  /** If true, `changes` contains all messages; otherwise, only those that changed since the last reading. */
  readonly isWhole: boolean;
  readonly changes: readonly MessageChange[];
  readonly notes: UsageFileNotes;
}

/** Counting needs neither the hashes of rows nor what the client loads. */
const SCAN = { withUsage: true, withHashes: false, withByteRows: false } as const;

/** Reads a whole transcript once. Rejects with the file system's error, or with the signal's reason. */
export async function readUsage(
  filePath: string,
  createScanner: ScannerFactory,
  pacer: Pacer,
  signal?: AbortSignal,
): Promise<UsageReading & { readonly index: TranscriptIndex }> {
  const { index } = await scanFile(filePath, createScanner, { ...SCAN, pacer, signal });
  return { isWhole: true, changes: new MessageReader(filePath).read(index), notes: notesOf(index), index };
}

/** Follows a transcript: each reading processes only the rows that were appended since the last one. */
export class UsageFollower {
  readonly transcript: LiveTranscript;
  #messages: MessageReader;
  readonly #context = new ContextReader();
  #taken: Reading | null = null;
  #takenGeneration: number | null = null;

  /** @param subscription its transcript's index must have a usage table; the caller must close the transcript */
  constructor({ transcript }: Pick<OpenTranscript, 'transcript'>) {
    this.transcript = transcript;
    this.#messages = new MessageReader(transcript.filePath);
  }

  /** Null if nothing changed. Rejects if the file cannot be read; the follower is unusable after that. */
  async read(): Promise<UsageReading | null> {
    const { transcript } = this;
    do await transcript.refresh();
    while (transcript.reading === null && transcript.failure === null && !transcript.isClosed);
    if (transcript.failure !== null) throw new Error(transcript.failure.message);
    return this.take();
  }

  /** The result of readings that others have caused; null if nothing changed since the last call. */
  take(): UsageReading | null {
    const { reading } = this.transcript;
    if (reading === null || reading === this.#taken) return null;
    const isWhole = reading.generation !== this.#takenGeneration;
    if (isWhole) this.#messages = new MessageReader(this.transcript.filePath);
    this.#taken = reading;
    this.#takenGeneration = reading.generation;
    return { isWhole, changes: this.#messages.read(reading.index), notes: notesOf(reading.index) };
  }

  /** The newest answer as of the last reading. */
  get newestAnswer(): NewestAnswer | null {
    const verdict = this.transcript.get(liveVerdict);
    return verdict === null ? null : this.#context.read(verdict);
  }
}

function notesOf({ latest, titles }: TranscriptIndex): UsageFileNotes {
  return { cwd: latest.cwd, title: chooseTitle(titles), lastMessageMs: latest.messageMs };
}
