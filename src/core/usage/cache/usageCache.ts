import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyHash } from '../../transcript/idTable';
import { replaceLocked } from '../../util/lockedFile';
import { createPacer } from '../../util/scheduling';
import { FileRecords, type UsageMessage } from '../messageIndex';
import type { CountedFile, UsageBook } from '../usageBook';
import type { UsageLedger } from '../usageIndex';
import { UsageTable } from './usageTable';
import { UsageTableBuilder, type WrittenFile } from './usageTableBuilder';

/** Longest work between two turns of the event loop while the file is written. */
const TURN_MS = 10;
/** Bound of the file, at 44 bytes each: what this window counted comes first. */
const MAX_MESSAGES = 4_000_000;

export interface UsageCacheParts {
  /** Absolute path of a folder of ours, made when it is needed. */
  readonly folder: string;
  readonly configDir: string;
  /** What another engine found out is not taken over. */
  readonly engineVersion: string;
  readonly warn: (message: string) => void;
}

/** What was counted, kept over restarts in a file for each config folder, which all windows share. */
export class UsageCache {
  readonly #parts: UsageCacheParts;
  readonly #filePath: string;
  #saving: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(parts: UsageCacheParts) {
    this.#parts = parts;
    const { low, high } = keyHash(parts.configDir);
    const name = [low, high].map((half) => half.toString(16).padStart(8, '0')).join('');
    this.#filePath = join(parts.folder, `usage-${name}.cache`);
  }

  /** null when there is none, or none that can be made use of. On the calling thread: a few milliseconds. */
  load(): UsageTable | null {
    try {
      return UsageTable.read(readFileSync(this.#filePath), this.#parts.engineVersion);
    } catch {
      return null;
    }
  }

  /**
   * Writes what the book holds, and what other windows read later. `isGone` tells of transcripts that the book does not
   * hold whether they are gone. Never rejects for the disk: a cache that cannot be written is said once to `warn`.
   */
  save(book: UsageBook, isGone: (filePath: string) => boolean): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write(book, isGone));
    return this.#saving;
  }

  async #write(book: UsageBook, isGone: (filePath: string) => boolean): Promise<void> {
    if (!book.hasChanged) return;
    book.markSaved();
    const { engineVersion, warn } = this.#parts;
    try {
      await replaceLocked(this.#filePath, async (bytes) => {
        const written = bytes === null ? null : UsageTable.read(bytes, engineVersion);
        return (await merge(book, written, isGone)).build(engineVersion);
      });
    } catch (error) {
      book.markUnsaved();
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      warn(`Failed to keep the token counts: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Of two readings of one transcript the later one. */
async function merge(
  book: UsageBook,
  written: UsageTable | null,
  isGone: (filePath: string) => boolean,
): Promise<UsageTableBuilder> {
  const builder = new UsageTableBuilder(createPacer(TURN_MS));
  const later = new Map<string, number>();
  for (const { place, readAtMs } of written?.files() ?? []) {
    const own = book.files.get(place.filePath);
    const isLater = own === undefined ? !isGone(place.filePath) : readAtMs > own.readAtMs;
    if (isLater) later.set(place.filePath, readAtMs);
  }
  // The book goes on changing meanwhile: each transcript is as it is when its turn comes.
  for (const filePath of [...book.files.keys()]) {
    const file = book.files.get(filePath);
    const counted = book.ledger.file(filePath);
    if (file === undefined || counted === null || later.has(filePath)) continue;
    if (builder.messages + counted.records.count > MAX_MESSAGES) continue;
    await builder.add(writtenFile(file), messagesOf(book.ledger, counted.records));
  }
  const columns = written?.columns();
  let start = 0;
  for (const file of written?.files() ?? []) {
    const first = start;
    start += file.messages;
    if (columns === undefined || !later.has(file.place.filePath)) continue;
    if (builder.messages + file.messages > MAX_MESSAGES) continue;
    const records = new FileRecords(first, file.messages);
    await builder.add(writtenFile(file), messagesOf({ columns, models: written?.models ?? [] }, records));
  }
  return builder;
}

/** Without what only a stored file has: it would be kept for as long as the new one. */
function writtenFile({ place, stamp, notes: { cwd, title, lastMessageMs }, readAtMs }: CountedFile): WrittenFile {
  return { place, stamp, notes: { cwd, title, lastMessageMs }, readAtMs };
}

function* messagesOf(
  { columns, models }: Pick<UsageLedger, 'columns' | 'models'>,
  records: FileRecords,
): Generator<UsageMessage> {
  for (const record of records) yield columns.message(record, models);
}
