import { Column, Numbering } from '../util/columns';
import { UsageBuckets } from './buckets';
import {
  FileRecords,
  hasLongPrompt,
  MessageColumns,
  type MessageCounts,
  MessageIndex,
  type MutableCounts,
} from './messageIndex';
import type { MessageChange } from './messageReader';
import type { UsageFile } from './usageFiles';

const NONE = -1;
/** The end of a chain. A record whose next one is `NONE` has never been in a chain. */
const END = -2;

/** The usage of a session's message, and where it counts. */
export interface SessionMessage extends MessageCounts {
  readonly quarter: number;
  readonly model: string | null;
  readonly isLong: boolean;
  /** Whether it is in the session's own transcript, and not on a sidechain. */
  readonly isOwn: boolean;
  /** Whether it counts for another session. */
  readonly isShared: boolean;
}

/**
 * All messages of all transcripts, each counted once. If several transcripts contain a message, each of its counts is
 * the highest of theirs, and its time, model and project are those of its owner. The owner is the transcript in which
 * the message is not marked as a copy, then the one with the earliest `firstMs`, then the one whose path comes first.
 * (docs/tokens.md, "Across transcripts")
 *
 * The cost of a change depends only on its size: the sums are kept in buckets, and a message is removed from its bucket
 * before it changes and added again afterwards.
 */
export class UsageIndex {
  readonly #columns: MessageColumns;
  readonly #index: MessageIndex;
  readonly #buckets: UsageBuckets;
  /** Number of the file that contains the record; `NONE` for a removed record. */
  readonly #fileOf = Column.int32();
  /** The next record of the same message; `END` at the end of a chain, `NONE` for a record without a chain. */
  readonly #next = Column.int32();
  readonly #files = new IndexedFiles();
  readonly #projects: Numbering<string>;
  readonly #models: Numbering<string | null>;
  #gone = 0;
  /** Number of records that `addKnown` has assigned to files. */
  #known = 0;
  /** The files of these records, until all of them are prepared. */
  #knownFiles: IndexedFile[] = [];
  #prepared = 0;
  readonly #counts = new ReusedMessage();

  /** With arguments: restores a stored index. Afterwards, `addKnown` must assign the messages to their files. */
  constructor(
    columns = new MessageColumns(),
    models: readonly (string | null)[] = [null],
    projects: readonly string[] = [],
    buckets = new UsageBuckets(),
  ) {
    this.#columns = columns;
    this.#index = new MessageIndex(columns.low, columns.high);
    this.#buckets = buckets;
    this.#models = new Numbering(models);
    this.#projects = new Numbering(projects);
  }

  get columns(): MessageColumns {
    return this.#columns;
  }

  /** Names of the models by their numbers; the first is null. */
  get models(): readonly (string | null)[] {
    return this.#models.values;
  }

  /** Folders of the projects by their numbers. */
  get projects(): readonly string[] {
    return this.#projects.values;
  }

  get buckets(): Omit<UsageBuckets, 'add' | 'remove'> {
    return this.#buckets;
  }

  get sessions(): Iterable<IndexedSession> {
    return this.#files.sessions;
  }

  /** Number of removed records. */
  get gone(): number {
    return this.#gone;
  }

  file(filePath: string): IndexedFile | null {
    return this.#files.of(filePath);
  }

  session(project: string, sessionId: string): IndexedSession | null {
    return this.#files.session(project, sessionId);
  }

  get files(): Iterable<IndexedFile> {
    return this.#files.all;
  }

  /** Assigns the next `count` stored records to the file. The buckets already contain their messages. */
  addKnown(place: UsageFile, count: number): IndexedFile {
    const start = this.#known;
    this.#known += count;
    const file = this.#addFile(place, new FileRecords(start, count));
    this.#knownFiles.push(file);
    return file;
  }

  /**
   * Finds the stored messages that are copies of each other, which changes and queries about sessions need. Takes up to
   * a tenth of a second for half a million messages, so it can be done in steps. Returns true when it is complete.
   */
  prepare(maxRecords = Infinity): boolean {
    const known = this.#knownFiles;
    if (this.#fileOf.length === 0) this.#index.reserve(this.#known);
    for (let left = maxRecords; left > 0 && this.#prepared < known.length; this.#prepared++) {
      const { number = NONE, records } = known[this.#prepared] ?? {};
      for (const record of records ?? []) {
        this.#fileOf.push(number);
        this.#next.push(NONE);
        const first = this.#index.findOrAdd(record);
        if (first !== record) this.#chain(first, record);
        left--;
      }
    }
    const isDone = this.#prepared === known.length;
    if (isDone && known.length > 0) [this.#knownFiles, this.#prepared] = [[], 0];
    return isDone;
  }

  /** Adds the file without messages, or removes the messages that it had. */
  replaceFile(place: UsageFile): IndexedFile {
    this.prepare();
    this.removeFile(place.filePath);
    return this.#addFile(place, new FileRecords(0, 0));
  }

  removeFile(filePath: string): void {
    const file = this.#files.of(filePath);
    if (file === null) return;
    this.prepare();
    for (const record of file.records) this.#unlink(record);
    this.#files.remove(file);
  }

  change(file: IndexedFile, changes: Iterable<MessageChange>): void {
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
        this.#removeFromBucket(first);
        this.#columns.set(record, message, this.#models.numberOf(message.model));
        this.#addToBucket(first);
      } else if (message !== null) {
        const added = this.#columns.push(message, this.#models.numberOf(message.model));
        this.#fileOf.push(file.number);
        this.#next.push(NONE);
        file.records.set(place, added);
        this.#link(added);
      }
    }
  }

  /** Visits each message of a session once. The argument of `visit` is valid until it returns. */
  forEachMessage(session: IndexedSession, visit: (message: SessionMessage) => void): void {
    this.prepare();
    const message = new ReusedMessage();
    for (const file of session.files) {
      for (let place = 0; place < file.records.count; place++) {
        const record = file.records.at(place);
        if (record === NONE) continue;
        const next = this.#next.get(record);
        // A lookup in the hash table is slow because it accesses memory at random; most messages do not need one.
        const first = next === NONE ? record : this.#index.find(record);
        const isAlone = first === record && next < 0;
        if (!isAlone && this.#bestOf(first, session) !== record) continue;
        const owner = isAlone ? record : this.#bestOf(first, null);
        this.#copyCounts(first, message);
        message.quarter = this.#columns.quarter.get(owner);
        message.model = this.#models.values[this.#columns.model(owner)] ?? null;
        message.isLong = hasLongPrompt(message);
        message.isOwn = !file.place.isAgent && !this.#columns.isSidechain(record);
        message.isShared = !isAlone && this.#fileAt(owner)?.session !== session;
        visit(message);
      }
    }
  }

  #addFile(place: UsageFile, records: FileRecords): IndexedFile {
    return this.#files.add(place, this.#projects.numberOf(place.project), records);
  }

  #link(record: number): void {
    const first = this.#index.findOrAdd(record);
    if (first === record) this.#addToBucket(record);
    else if (this.#fileOf.get(first) === NONE) {
      // All files that contained the message have been removed.
      this.#index.replaceFirst(record);
      this.#addToBucket(record);
    } else {
      this.#removeFromBucket(first);
      this.#chain(first, record);
      this.#addToBucket(first);
    }
  }

  #chain(first: number, record: number): void {
    const next = this.#next.get(first);
    this.#next.set(record, next === NONE ? END : next);
    this.#next.set(first, record);
  }

  #unlink(record: number): void {
    const first = this.#index.find(record);
    this.#removeFromBucket(first);
    const next = this.#next.get(record);
    this.#gone++;
    this.#fileOf.set(record, NONE);
    if (first !== record) {
      let before = first;
      while (this.#next.get(before) !== record) before = this.#next.get(before);
      this.#next.set(before, next);
      this.#addToBucket(first);
    } else if (next >= 0) {
      this.#index.replaceFirst(next);
      this.#addToBucket(next);
    }
  }

  /** Adds the message whose records begin with `first` to its bucket. */
  #addToBucket(first: number): void {
    const owner = this.#bestOf(first, null);
    this.#copyCounts(first, this.#counts);
    const project = this.#fileAt(owner)?.project ?? NONE;
    this.#buckets.add(this.#columns.quarter.get(owner), this.#columns.model(owner), project, this.#counts);
  }

  /** Removes the message from its bucket. Must be called before anything about the message changes. */
  #removeFromBucket(first: number): void {
    const owner = this.#bestOf(first, null);
    this.#copyCounts(first, this.#counts);
    const project = this.#fileAt(owner)?.project ?? NONE;
    this.#buckets.remove(this.#columns.quarter.get(owner), this.#columns.model(owner), project, this.#counts);
  }

  /** Copies, for each count, the highest value among the records of the message. */
  #copyCounts(first: number, counts: MutableCounts): void {
    const columns = this.#columns;
    columns.copyCounts(first, counts);
    for (let record = this.#next.get(first); record >= 0; record = this.#next.get(record)) {
      columns.raiseCounts(record, counts);
    }
  }

  /** The record of the message's owner; with a session, the record that represents the message in the session. */
  #bestOf(first: number, session: IndexedSession | null): number {
    if (session === null && this.#next.get(first) < 0) return first;
    let best = NONE;
    for (let record = first; record >= 0; record = this.#next.get(record)) {
      if (session !== null && this.#fileAt(record)?.session !== session) continue;
      if (best === NONE || this.#isBetter(record, best, session !== null)) best = record;
    }
    return best;
  }

  #isBetter(record: number, other: number, isInSession: boolean): boolean {
    if (isInSession && this.#isOwn(record) !== this.#isOwn(other)) return this.#isOwn(record);
    const isOtherCopy = this.#columns.isCopy(other);
    if (this.#columns.isCopy(record) !== isOtherCopy) return isOtherCopy;
    const place = this.#fileAt(record)?.place;
    const otherPlace = this.#fileAt(other)?.place;
    if (place === undefined || otherPlace === undefined) return false;
    return place.firstMs !== otherPlace.firstMs
      ? place.firstMs < otherPlace.firstMs
      : place.filePath < otherPlace.filePath;
  }

  #isOwn(record: number): boolean {
    return this.#fileAt(record)?.place.isAgent === false && !this.#columns.isSidechain(record);
  }

  #fileAt(record: number): IndexedFile | null {
    return this.#files.at(this.#fileOf.get(record));
  }
}

class ReusedMessage implements SessionMessage {
  quarter = 0;
  model: string | null = null;
  isLong = false;
  isOwn = false;
  isShared = false;
  input = 0;
  output = 0;
  writes = 0;
  writes1h = 0;
  reads = 0;
  searches = 0;
  fetches = 0;
}

/** A transcript of the index. */
interface IndexedFile {
  readonly number: number;
  readonly place: UsageFile;
  readonly project: number;
  readonly session: IndexedSession;
  readonly records: FileRecords;
}

export interface IndexedSession {
  readonly project: string;
  readonly sessionId: string;
  /** In no particular order. */
  readonly files: IndexedFile[];
}

/** The transcripts of the index by number, path and session. Numbers are never reused. */
class IndexedFiles {
  readonly #files: (IndexedFile | null)[] = [];
  readonly #byPath = new Map<string, IndexedFile>();
  readonly #sessions = new Map<string, IndexedSession>();

  get all(): Iterable<IndexedFile> {
    return this.#byPath.values();
  }

  get sessions(): Iterable<IndexedSession> {
    return this.#sessions.values();
  }

  /** Null if the number belongs to a removed transcript, or to none. */
  at(number: number): IndexedFile | null {
    return this.#files[number] ?? null;
  }

  of(filePath: string): IndexedFile | null {
    return this.#byPath.get(filePath) ?? null;
  }

  session(project: string, sessionId: string): IndexedSession | null {
    return this.#sessions.get(sessionKey(project, sessionId)) ?? null;
  }

  add(place: UsageFile, project: number, records: FileRecords): IndexedFile {
    const { filePath, sessionId } = place;
    const session: IndexedSession = this.session(place.project, sessionId) ?? {
      project: place.project,
      sessionId,
      files: [],
    };
    this.#sessions.set(sessionKey(place.project, sessionId), session);
    const file = { number: this.#files.length, place, project, session, records };
    this.#files.push(file);
    this.#byPath.set(filePath, file);
    session.files.push(file);
    return file;
  }

  remove({ number, place, session }: IndexedFile): void {
    this.#files[number] = null;
    this.#byPath.delete(place.filePath);
    session.files.splice(
      session.files.findIndex((file) => file.number === number),
      1,
    );
    if (session.files.length === 0) this.#sessions.delete(sessionKey(session.project, session.sessionId));
  }
}

function sessionKey(project: string, sessionId: string): string {
  return `${project}\n${sessionId}`;
}
