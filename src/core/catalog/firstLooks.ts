import type { CatalogEntries } from './catalogEntries';
import type { CatalogEntry, FirstLook } from './catalogEntry';
import { forEachConcurrent } from './forEachConcurrent';

/** Files whose ends are read at the same time. */
const LOOK_CONCURRENCY = 8;

export interface FirstLooksParts {
  /** Never rejects; null when the file cannot be read. */
  readonly readEnds: (filePath: string) => Promise<FirstLook | null>;
  readonly entries: CatalogEntries;
  /** The entry as it was before; it has been replaced. */
  readonly onLook: (before: CatalogEntry) => void;
}

/** Gives sessions that wait for their first scan a title, a place and a time. */
export class FirstLooks {
  readonly #parts: FirstLooksParts;

  constructor(parts: FirstLooksParts) {
    this.#parts = parts;
  }

  /** In the order given. A session that has been scanned meanwhile needs none. Never rejects. */
  async take(filePaths: readonly string[], signal: AbortSignal): Promise<void> {
    const { readEnds, entries, onLook } = this.#parts;
    const isWanted = (entry: CatalogEntry | undefined): entry is CatalogEntry =>
      entry?.scan === null && entry.look === null;
    const lookAt = async (filePath: string): Promise<void> => {
      if (!isWanted(entries.get(filePath))) return;
      const look = await readEnds(filePath);
      const entry = entries.get(filePath);
      if (look === null || signal.aborted || !isWanted(entry)) return;
      entries.set({ ...entry, look });
      onLook(entry);
    };
    await forEachConcurrent(filePaths, LOOK_CONCURRENCY, lookAt, signal);
  }
}
