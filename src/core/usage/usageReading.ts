import { chooseTitle } from '../providers/claude/rows/sessionMetadata';
import { SessionTail } from '../tail/sessionTail';
import { scanFile } from '../transcript/scanFile';
import type { ScannerFactory } from '../transcript/scanner';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import type { Pacer } from '../util/scheduling';
import { ContextReader, type NewestAnswer } from './contextReader';
import { type MessageChange, MessageReader } from './messageReader';
import type { UsageFileNotes } from './usageFiles';

/** What a reading of a transcript found. */
export interface UsageReading {
  /** The messages are all there are; else they are those that changed since the last reading. */
  readonly isWhole: boolean;
  readonly changes: readonly MessageChange[];
  readonly notes: UsageFileNotes;
}

/** Hashes of rows are of no use here. */
const SCAN = { withUsage: true, withHashes: false } as const;

/** Reads a transcript once, from its start. Rejects with the file system's error, or with the signal's reason. */
export async function readUsage(
  filePath: string,
  createScanner: ScannerFactory,
  pacer: Pacer,
  signal?: AbortSignal,
): Promise<UsageReading & { readonly facts: TranscriptFacts }> {
  const { facts } = await scanFile(filePath, createScanner, { ...SCAN, pacer, signal });
  return { isWhole: true, changes: new MessageReader(filePath).read(facts), notes: notesOf(facts), facts };
}

/** Follows a transcript: each reading costs what was appended since the last one. */
export class UsageFollower {
  readonly filePath: string;
  readonly #tail: SessionTail;
  #messages: MessageReader;
  readonly #context = new ContextReader();
  #answer: NewestAnswer | null = null;
  #isAnswerKnown = false;
  #facts: TranscriptFacts | null = null;

  constructor(filePath: string, createScanner: ScannerFactory) {
    this.filePath = filePath;
    this.#tail = new SessionTail(filePath, createScanner, SCAN);
    this.#messages = new MessageReader(filePath);
  }

  /** Null when nothing happened. Throws the file system's error; the follower is of no use then. */
  read(): UsageReading | null {
    const { change, facts } = this.#tail.read();
    this.#facts = facts;
    if (change === 'unchanged') return null;
    const isWhole = change === 'scanned';
    if (isWhole) {
      this.#messages = new MessageReader(this.filePath);
      this.#isAnswerKnown = false;
    } else if (this.#isAnswerKnown) this.#answer = this.#context.read(facts, true);
    return { isWhole, changes: this.#messages.read(facts), notes: notesOf(facts) };
  }

  /** As of the last reading. */
  get newestAnswer(): NewestAnswer | null {
    if (!this.#isAnswerKnown && this.#facts !== null) {
      this.#answer = this.#context.read(this.#facts, false);
      this.#isAnswerKnown = true;
    }
    return this.#answer;
  }
}

function notesOf({ latest, titles }: TranscriptFacts): UsageFileNotes {
  return { cwd: latest.cwd, title: chooseTitle(titles), lastMessageMs: latest.messageMs };
}
