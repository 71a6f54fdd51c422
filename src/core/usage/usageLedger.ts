import { CHUNK_BITS, CHUNK_MASK, Column } from '../util/column';
import { FileRecords } from './fileRecords';
import { MessageColumns, type MutableCounts } from './messageColumns';
import { MessageIndex } from './messageIndex';
import type { MessageChange } from './messageReader';
import { SpendingCells } from './spendingCells';
import type { UsageFile } from './usageFile';
import { hasLongPrompt, type MessageCounts } from './usageMessage';

const NONE = -1;

/** A transcript of the ledger. */
export interface LedgerFile {
  readonly number: number;
  readonly place: UsageFile;
  readonly project: number;
  readonly session: LedgerSession;
  readonly records: FileRecords;
}

export interface LedgerSession {
  readonly project: string;
  readonly sessionId: string;
  /** In no order. */
  readonly files: LedgerFile[];
}

/** What a message of a session used, and where it counts. */
export interface SessionMessage extends MessageCounts {
  readonly quarter: number;
  readonly model: string | null;
  readonly isLong: boolean;
  /** It stands in the main lane of the session's own transcript. */
  readonly isOwn: boolean;
  /** It counts for another session. */
  readonly isShared: boolean;
}

/**
 * All messages of all transcripts, each counted once. Of a message that several transcripts hold, each count is the
 * highest that one of them tells, and time, model and project are those of its owner: the transcript that does not call it
 * a copy, then the one that was there first, then the one whose path comes first. (docs/tokens.md, "Across transcripts")
 *
 * Every change costs what changed: the sums are kept in cells, from which a message is taken out before it changes.
 */
export class UsageLedger {
  readonly #columns: MessageColumns;
  readonly #index: MessageIndex;
  readonly #cells = new SpendingCells();
  /** Number of the file that holds the record; `NONE` for one that is gone. */
  readonly #fileOf = Column.int32();
  /** The next record of the same message, or `NONE`. */
  readonly #next = Column.int32();
  readonly #files: (LedgerFile | null)[] = [];
  readonly #byPath = new Map<string, LedgerFile>();
  readonly #sessions = new Map<string, LedgerSession>();
  readonly #projects: string[] = [];
  readonly #projectNumbers = new Map<string, number>();
  readonly #models: (string | null)[];
  readonly #modelNumbers: Map<string | null, number>;
  #gone = 0;
  #prepared = true;
  readonly #counts: MutableCounts = { input: 0, output: 0, writes: 0, writes1h: 0, reads: 0, searches: 0, fetches: 0 };

  /** With arguments, over messages that are there already; `addKnown` says whose they are. */
  constructor(columns = new MessageColumns(), models: readonly (string | null)[] = [null]) {
    this.#columns = columns;
    this.#index = new MessageIndex(columns.low, columns.high, columns.count);
    this.#models = [...models];
    this.#modelNumbers = new Map(this.#models.map((model, number) => [model, number]));
  }

  get columns(): MessageColumns {
    return this.#columns;
  }

  /** By their numbers; the first is null. */
  get models(): readonly (string | null)[] {
    return this.#models;
  }

  /** Folders, by their numbers. */
  get projects(): readonly string[] {
    return this.#projects;
  }

  get cells(): Pick<SpendingCells, 'forEach'> {
    return this.#cells;
  }

  get sessions(): Iterable<LedgerSession> {
    return this.#sessions.values();
  }

  /** Records that are of no use any more. */
  get gone(): number {
    return this.#gone;
  }

  file(filePath: string): LedgerFile | null {
    return this.#byPath.get(filePath) ?? null;
  }

  session(project: string, sessionId: string): LedgerSession | null {
    return this.#sessions.get(sessionKey(project, sessionId)) ?? null;
  }

  get files(): Iterable<LedgerFile> {
    return this.#byPath.values();
  }

  /** The next `count` records of the columns are the file's. To be called for each file in the order of the records. */
  addKnown(place: UsageFile, count: number): LedgerFile {
    const start = this.#fileOf.length;
    const file = this.#addFile(place, new FileRecords(start, count));
    for (let record = start; record < start + count; record++) {
      this.#fileOf.push(file.number);
      this.#next.push(NONE);
      // To find those that are alone takes most of the time of a start: `prepare` does that.
      if (this.#columns.isAlone(record)) this.#countAlone(record, file.project, 1);
      else this.#link(record);
    }
    this.#prepared = false;
    return file;
  }

  /** Makes ready for changes and for questions about sessions: up to a tenth of a second after `addKnown`, else nothing. */
  prepare(): void {
    if (this.#prepared) return;
    this.#prepared = true;
    for (let record = 0; record < this.#fileOf.length; record++) {
      if (!this.#columns.isAlone(record) || this.#fileOf.get(record) === NONE) continue;
      this.#columns.setAlone(record, false);
      if (this.#index.findOrAdd(record) === record) continue;
      // What was written down is wrong.
      this.#countAlone(record, this.#fileAt(record)?.project ?? NONE, -1);
      this.#link(record);
    }
  }

  /** The file, empty; what was counted of it before is taken out. */
  replaceFile(place: UsageFile): LedgerFile {
    this.prepare();
    this.removeFile(place.filePath);
    return this.#addFile(place, new FileRecords(0, 0));
  }

  removeFile(filePath: string): void {
    const file = this.#byPath.get(filePath);
    if (file === undefined) return;
    this.prepare();
    for (const record of file.records) this.#unlink(record);
    this.#files[file.number] = null;
    this.#byPath.delete(filePath);
    file.session.files.splice(file.session.files.indexOf(file), 1);
    if (file.session.files.length === 0) this.#sessions.delete(sessionKey(file.place.project, file.place.sessionId));
  }

  change(file: LedgerFile, changes: Iterable<MessageChange>): void {
    this.prepare();
    for (const { place, message } of changes) {
      const record = file.records.at(place);
      if (record !== NONE) {
        if (message === null) {
          this.#unlink(record);
          file.records.set(place, NONE);
          continue;
        }
        const first = this.#index.find(record);
        this.#count(first, -1);
        this.#columns.set(record, message, this.#modelNumber(message.model));
        this.#count(first, 1);
      } else if (message !== null) {
        const added = this.#columns.push(message, this.#modelNumber(message.model));
        this.#fileOf.push(file.number);
        this.#next.push(NONE);
        file.records.set(place, added);
        this.#link(added);
      }
    }
  }

  /** The messages of a session, each once. What `visit` is given is good until it returns. */
  forEachMessage(session: LedgerSession, visit: (message: SessionMessage) => void): void {
    this.prepare();
    for (const file of session.files) {
      for (const record of file.records) {
        const first = this.#index.find(record);
        if (this.#bestOf(first, session) !== record) continue;
        const owner = this.#bestOf(first, null);
        const counts = this.#countsOf(first);
        visit({
          ...counts,
          quarter: this.#columns.quarter.get(owner),
          model: this.#models[this.#columns.model(owner)] ?? null,
          isLong: hasLongPrompt(counts),
          isOwn: this.#isOwn(record),
          isShared: this.#fileAt(owner)?.session !== session,
        });
      }
    }
  }

  #addFile(place: UsageFile, records: FileRecords): LedgerFile {
    const key = sessionKey(place.project, place.sessionId);
    const session: LedgerSession = this.#sessions.get(key) ?? {
      project: place.project,
      sessionId: place.sessionId,
      files: [],
    };
    this.#sessions.set(key, session);
    const file = { number: this.#files.length, place, project: this.#projectNumber(place.project), session, records };
    this.#files.push(file);
    this.#byPath.set(place.filePath, file);
    session.files.push(file);
    return file;
  }

  #link(record: number): void {
    const first = this.#index.findOrAdd(record);
    if (first === record) this.#count(record, 1);
    else if (this.#fileOf.get(first) === NONE) {
      // All that held the message were gone.
      this.#index.replaceFirst(record);
      this.#count(record, 1);
    } else {
      this.#count(first, -1);
      this.#next.set(record, this.#next.get(first));
      this.#next.set(first, record);
      this.#count(first, 1);
    }
  }

  #unlink(record: number): void {
    const first = this.#index.find(record);
    this.#count(first, -1);
    const next = this.#next.get(record);
    this.#gone++;
    this.#fileOf.set(record, NONE);
    if (first !== record) {
      let before = first;
      while (this.#next.get(before) !== record) before = this.#next.get(before);
      this.#next.set(before, next);
      this.#count(first, 1);
    } else if (next !== NONE) {
      this.#index.replaceFirst(next);
      this.#count(next, 1);
    }
  }

  /** Puts the message whose records begin with `first` into its cell, or takes it out. */
  #count(first: number, sign: number): void {
    const owner = this.#bestOf(first, null);
    const project = this.#fileAt(owner)?.project ?? NONE;
    if (this.#next.get(first) === NONE) {
      this.#countAlone(owner, project, sign);
      return;
    }
    const { input, output, writes, writes1h, reads, searches, fetches } = this.#countsOf(first);
    const [quarter, model] = [this.#columns.quarter.get(owner), this.#columns.model(owner)];
    this.#cells.add(sign, quarter, model, project, input, output, writes, writes1h, reads, searches, fetches);
  }

  /** As `#count`, of a message with one record. Written out, since a start does it some hundred thousand times. */
  #countAlone(record: number, project: number, sign: number): void {
    const [chunk, at, columns] = [record >>> CHUNK_BITS, record & CHUNK_MASK, this.#columns];
    this.#cells.add(
      sign,
      columns.quarter.chunks[chunk]?.[at] ?? 0,
      columns.model(record),
      project,
      columns.input.chunks[chunk]?.[at] ?? 0,
      columns.output.chunks[chunk]?.[at] ?? 0,
      columns.writes.chunks[chunk]?.[at] ?? 0,
      columns.writes1h.chunks[chunk]?.[at] ?? 0,
      columns.reads.chunks[chunk]?.[at] ?? 0,
      columns.searches.chunks[chunk]?.[at] ?? 0,
      columns.fetches.chunks[chunk]?.[at] ?? 0,
    );
  }

  #countsOf(first: number): MutableCounts {
    const columns = this.#columns;
    columns.copyCounts(first, this.#counts);
    for (let record = this.#next.get(first); record !== NONE; record = this.#next.get(record)) {
      columns.raiseCounts(record, this.#counts);
    }
    return this.#counts;
  }

  /** The owner of the message; with a session, the record that stands for it in there. */
  #bestOf(first: number, session: LedgerSession | null): number {
    if (session === null && this.#next.get(first) === NONE) return first;
    let best = NONE;
    for (let record = first; record !== NONE; record = this.#next.get(record)) {
      if (session !== null && this.#fileAt(record)?.session !== session) continue;
      if (best === NONE || this.#isBetter(record, best, session !== null)) best = record;
    }
    return best;
  }

  #isBetter(record: number, other: number, isInSession: boolean): boolean {
    if (isInSession && this.#isOwn(record) !== this.#isOwn(other)) return this.#isOwn(record);
    const [isCopy, isOtherCopy] = [this.#columns.isCopy(record), this.#columns.isCopy(other)];
    if (isCopy !== isOtherCopy) return isOtherCopy;
    const [place, otherPlace] = [this.#fileAt(record)?.place, this.#fileAt(other)?.place];
    if (place === undefined || otherPlace === undefined) return false;
    return place.firstMs !== otherPlace.firstMs
      ? place.firstMs < otherPlace.firstMs
      : place.filePath < otherPlace.filePath;
  }

  #isOwn(record: number): boolean {
    return this.#fileAt(record)?.place.isAgent === false && !this.#columns.isSidechain(record);
  }

  #fileAt(record: number): LedgerFile | null {
    return this.#files[this.#fileOf.get(record)] ?? null;
  }

  #projectNumber(folder: string): number {
    const known = this.#projectNumbers.get(folder);
    if (known !== undefined) return known;
    this.#projectNumbers.set(folder, this.#projects.length);
    return this.#projects.push(folder) - 1;
  }

  #modelNumber(model: string | null): number {
    const known = this.#modelNumbers.get(model);
    if (known !== undefined) return known;
    this.#modelNumbers.set(model, this.#models.length);
    return this.#models.push(model) - 1;
  }
}

function sessionKey(project: string, sessionId: string): string {
  return `${project}\n${sessionId}`;
}
