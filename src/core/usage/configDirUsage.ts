import type { MessageChange } from './messageReader';
import { isSameUsageStamp, ProjectCwds, type UsageFile, type UsageFileNotes, type UsageStamp } from './usageFiles';
import { UsageIndex } from './usageIndex';
import type { UsageReading } from './usageReading';
import type { UsageTable } from './usageTable';

/** A counted transcript. */
export interface CountedFile {
  readonly place: UsageFile;
  /** Taken before the file was read, so that rows appended meanwhile make it outdated. */
  readonly stamp: UsageStamp;
  readonly notes: UsageFileNotes;
  /** Milliseconds since the epoch. */
  readonly readAtMs: number;
}

/** Number of removed records above which the index is rebuilt. */
const MAX_GONE = 200_000;

/** The usage index of a config folder, and its counted transcripts. */
export class ConfigDirUsage {
  #index: UsageIndex;
  readonly #files = new Map<string, CountedFile>();
  readonly #cwds: ProjectCwds;
  #hasChanged = false;

  constructor(table: UsageTable | null) {
    this.#index =
      table === null
        ? new UsageIndex()
        : new UsageIndex(table.columns(), table.models, table.projects, table.buckets());
    this.#cwds = table?.cwds() ?? new ProjectCwds();
    for (const file of table?.files() ?? []) {
      this.#index.addKnown(file.place, file.messages);
      this.#files.set(file.place.filePath, file);
    }
  }

  get index(): UsageIndex {
    return this.#index;
  }

  get files(): ReadonlyMap<string, CountedFile> {
    return this.#files;
  }

  /** Whether anything changed since the cache file was written. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  markSaved(): void {
    this.#hasChanged = false;
  }

  markUnsaved(): void {
    this.#hasChanged = true;
  }

  cwdOf(project: string): string | null {
    return this.#cwds.of(project);
  }

  isCurrent(filePath: string, stamp: UsageStamp): boolean {
    const known = this.#files.get(filePath)?.stamp;
    return known !== undefined && isSameUsageStamp(known, stamp);
  }

  /** Adds the result of a reading. */
  take(file: Omit<CountedFile, 'notes'>, { isWhole, changes, notes }: UsageReading): void {
    const known = this.#index.file(file.place.filePath);
    const entry = isWhole || known === null ? this.#index.replaceFile(file.place) : known;
    this.#index.change(entry, changes);
    this.#files.set(file.place.filePath, { ...file, notes });
    this.#cwds.noteFile(file.place, notes);
    this.#hasChanged = true;
    if (this.#index.gone > MAX_GONE) this.#rebuild();
  }

  /** Records a changed stamp of a transcript with the same content. */
  touch(file: Omit<CountedFile, 'notes'>): void {
    const known = this.#files.get(file.place.filePath);
    if (known !== undefined) this.#files.set(file.place.filePath, { ...file, notes: known.notes });
  }

  remove(filePath: string): void {
    if (!this.#files.delete(filePath)) return;
    this.#index.removeFile(filePath);
    this.#hasChanged = true;
  }

  #rebuild(): void {
    const index = new UsageIndex();
    for (const { place } of this.#files.values()) {
      const before = this.#index.file(place.filePath);
      if (before !== null) index.change(index.replaceFile(place), this.#messagesOf(before.records));
    }
    this.#index = index;
  }

  *#messagesOf(records: Iterable<number>): Generator<MessageChange> {
    const { columns, models } = this.#index;
    let place = 0;
    for (const record of records) yield { place: place++, message: columns.message(record, models) };
  }
}
