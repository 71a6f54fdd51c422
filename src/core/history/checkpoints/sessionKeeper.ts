import { appendRow } from '../../storage/store/appendRow';
import type { FolderDeps } from '../../storage/store/sessionFolder';
import type { JsonObject } from '../../util/json';
import { captureFile } from './captureFile';
import { storeErrorFrom } from './storeError';
import type { SessionPaths } from './storeLayout';
import { messageRow, type MessageRow, type MutatingCall, type StoredCheckpoint, type StoredFile } from './storedRow';

/** Where what happens in a session goes. */
export interface SessionKeeper {
  addMessage(message: MessageRow): Promise<void>;
  addToTranscript(entry: JsonObject): Promise<void>;
  addCheckpoint(call: MutatingCall, paths: readonly string[]): Promise<StoredCheckpoint | null>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An id for a message. */
  draw(): string;
}

export interface KeeperParts extends FolderDeps {
  readonly now: () => number;
  /** Told of what could not be kept of a file: the code of an error, and the path. */
  readonly onProblem?: (code: string, path: string) => void;
}

/** Keeps on disk. All rows are appended; what is kept is never changed. */
export function diskKeeper(paths: SessionPaths, parts: KeeperParts): SessionKeeper {
  return {
    addMessage: (message) => append(paths.messages, 'messages', messageRow(message), parts),
    addToTranscript: (entry) => append(paths.transcript, 'transcript', { timeMs: parts.now(), entry }, parts),
    async addCheckpoint(call, changed) {
      const timeMs = parts.now();
      const files: StoredFile[] = [];
      // One after the other: what two of them share is found.
      for (const path of changed) {
        const { file, failed } = await captureFile(path, paths.content, parts);
        if (failed !== null) parts.onProblem?.(failed, file.path);
        files.push(file);
      }
      const checkpoint = { timeMs, ...call, files };
      // The row comes last: what it names is there.
      await append(paths.checkpoints, 'checkpoints', { ...checkpoint }, parts);
      return checkpoint;
    },
    now: parts.now,
    draw: parts.random,
  };
}

/** Keeps nothing: no call of it reaches the file system. */
export function noKeeper({ now, random }: Pick<KeeperParts, 'now' | 'random'>): SessionKeeper {
  return {
    addMessage: () => Promise.resolve(),
    addToTranscript: () => Promise.resolve(),
    addCheckpoint: () => Promise.resolve(null),
    now,
    draw: random,
  };
}

async function append(path: string, kind: string, row: JsonObject, parts: KeeperParts): Promise<void> {
  try {
    await appendRow(path, kind, row, parts);
  } catch (error) {
    throw storeErrorFrom(`keep a row of ${kind}`, error);
  }
}
