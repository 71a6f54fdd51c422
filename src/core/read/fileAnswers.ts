import type { Pacer } from '../util/pacer';
import type { ConversationFile } from './conversationFile';
import { RowSource } from './rows/rowSource';
import { TranscriptRows, type RowMemory } from './rows/transcriptRows';
import type { TranscriptState } from './transcriptState';

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
