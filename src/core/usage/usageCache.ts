import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { replaceLocked } from '../util/lockedFile';
import { createPacer, type Pacer } from '../util/scheduling';
import type { ConfigDirUsage, CountedFile } from './configDirUsage';
import { COLUMN_NAMES, FileRecords, type UsageMessage } from './messageIndex';
import type { MessageChange } from './messageReader';
import { countsFileIn, ProjectCwds } from './usageFiles';
import { UsageIndex } from './usageIndex';
import {
  BIGINT,
  BIGINTS_PER_FILE,
  BUCKET_COLUMNS,
  CHECKED_FROM,
  DOUBLE,
  DOUBLES_PER_FILE,
  FORMAT_VERSION,
  layOut,
  MAGIC,
  nameBelow,
  NUMBER,
  NUMBERS_PER_FILE,
  PREAMBLE_BYTES,
  type StoredFile,
  type UsageHeader,
  UsageTable,
} from './usageTable';

/** Longest work between two turns of the event loop while the file is written, in milliseconds. */
const TURN_MS = 10;
/** Maximum number of messages in the file, with 44 bytes each. Those that this window counted come first. */
const MAX_MESSAGES = 4_000_000;

export interface UsageCacheDeps {
  /** Absolute path of a folder of the extension, which is created when it is needed. */
  readonly folder: string;
  readonly configDir: string;
  /** Counts of another engine version are not used. */
  readonly engineVersion: string;
  readonly warn: (message: string) => void;
}

/** Keeps token counts across restarts, in one file per config folder that all windows share. */
export class UsageCache {
  readonly #deps: UsageCacheDeps;
  readonly #filePath: string;
  #saving: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(deps: UsageCacheDeps) {
    this.#deps = deps;
    this.#filePath = countsFileIn(deps.folder, 'usage', deps.configDir);
  }

  /** Null if there is no usable file. Reads on the calling thread, which takes a few milliseconds. */
  load(): UsageTable | null {
    try {
      return UsageTable.read(readFileSync(this.#filePath), this.#deps.engineVersion);
    } catch {
      return null;
    }
  }

  /**
   * Writes the counts, merged with what other windows have written: for each transcript, the later reading is kept.
   * Never rejects for errors of the disk: the first one is passed to `warn`.
   *
   * @param isGone whether a transcript that is not in `usage` no longer exists
   */
  save(usage: ConfigDirUsage, isGone: (filePath: string) => boolean): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write(usage, isGone));
    return this.#saving;
  }

  async #write(usage: ConfigDirUsage, isGone: (filePath: string) => boolean): Promise<void> {
    if (!usage.hasChanged) return;
    usage.markSaved();
    const { engineVersion, warn } = this.#deps;
    try {
      await replaceLocked(this.#filePath, async (bytes) => {
        const written = bytes === null ? null : UsageTable.read(bytes, engineVersion);
        return (await merge(usage, written, isGone)).build(engineVersion);
      });
    } catch (error) {
      usage.markUnsaved();
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      warn(`Failed to write the token counts: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Keeps the later reading of each transcript. */
async function merge(
  usage: ConfigDirUsage,
  written: UsageTable | null,
  isGone: (filePath: string) => boolean,
): Promise<UsageTableBuilder> {
  const builder = new UsageTableBuilder(createPacer(TURN_MS));
  const later = new Map<string, number>();
  for (const { place, readAtMs } of written?.files() ?? []) {
    const own = usage.files.get(place.filePath);
    const isLater = own === undefined ? !isGone(place.filePath) : readAtMs > own.readAtMs;
    if (isLater) later.set(place.filePath, readAtMs);
  }
  // The usage may change meanwhile, so each transcript is looked up when its turn comes.
  for (const filePath of [...usage.files.keys()]) {
    const file = usage.files.get(filePath);
    const counted = usage.index.file(filePath);
    if (file === undefined || counted === null || later.has(filePath)) continue;
    if (builder.messages + counted.records.count > MAX_MESSAGES) continue;
    await builder.add(writtenFile(file), messagesOf(usage.index, counted.records));
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

/** A plain copy, so that no reference keeps the bytes of the previous file in memory. */
function writtenFile({ place, stamp, notes: { cwd, title, lastMessageMs }, readAtMs }: CountedFile): WrittenFile {
  return { place, stamp, notes: { cwd, title, lastMessageMs }, readAtMs };
}

function* messagesOf(
  { columns, models }: Pick<UsageIndex, 'columns' | 'models'>,
  records: FileRecords,
): Generator<UsageMessage> {
  for (const record of records) yield columns.message(record, models);
}

/** A transcript as it is written to the file. */
type WrittenFile = Omit<StoredFile, 'messages'>;

/**
 * Collects transcripts and their messages, and builds the bytes that `UsageTable.read` understands. Counts each message
 * once, so that the next start does not have to do so.
 */
class UsageTableBuilder {
  readonly #index = new UsageIndex();
  readonly #files: (WrittenFile & { readonly messages: number })[] = [];
  readonly #pacer: Pacer;

  constructor(pacer: Pacer) {
    this.#pacer = pacer;
  }

  get messages(): number {
    return this.#index.columns.count;
  }

  /** Must be called once for each transcript. */
  async add(file: WrittenFile, messages: Iterable<UsageMessage>): Promise<void> {
    const before = this.messages;
    this.#index.change(this.#index.replaceFile(file.place), changesOf(messages));
    this.#files.push({ ...file, messages: this.messages - before });
    await this.#pacer.yieldIfDue();
  }

  async build(engineVersion: string): Promise<Buffer> {
    const files = this.#files;
    const { columns, models, projects } = this.#index;
    const buckets = this.#index.buckets.stored;
    const projectCwds = new ProjectCwds();
    const cwds = new Numbered<string | null>();
    cwds.of(null);
    for (const { place, notes } of files) {
      cwds.of(notes.cwd);
      projectCwds.noteFile(place, notes);
    }
    const texts = [
      files.map(({ place }) => nameBelow(place.project, place.filePath)),
      files.map(({ place }) => place.sessionId),
      files.map(({ notes }) => notes.title?.replaceAll('\0', ' ') ?? ''),
    ].map((each) => Buffer.from(each.join('\0')));
    const header: UsageHeader = {
      formatVersion: FORMAT_VERSION,
      engineVersion,
      files: files.length,
      messages: this.messages,
      cells: buckets.quarters.length,
      models,
      projects,
      projectCwds: projects.map((project) => projectCwds.known(project)),
      cwds: cwds.all,
      texts: texts.map((text) => text.length),
    };
    const projectNumbers = new Map(projects.map((project, number) => [project, number]));
    const headerBytes = Buffer.from(JSON.stringify(header));
    const layout = layOut(headerBytes.length, header);
    const memory = new ArrayBuffer(layout.size);
    const bytes = Buffer.from(memory);
    headerBytes.copy(bytes, PREAMBLE_BYTES);
    const bigints = new BigInt64Array(memory, layout.bigints, files.length * BIGINTS_PER_FILE);
    const doubles = new Float64Array(memory, layout.doubles, files.length * DOUBLES_PER_FILE);
    const numbers = new Uint32Array(memory, layout.numbers, files.length * NUMBERS_PER_FILE);
    for (const [at, { place, stamp, notes, readAtMs, messages }] of files.entries()) {
      bigints[at * BIGINTS_PER_FILE + BIGINT.mtimeNs] = stamp.mtimeNs;
      bigints[at * BIGINTS_PER_FILE + BIGINT.ctimeNs] = stamp.ctimeNs;
      bigints[at * BIGINTS_PER_FILE + BIGINT.inode] = stamp.inode;
      doubles[at * DOUBLES_PER_FILE + DOUBLE.size] = stamp.size;
      doubles[at * DOUBLES_PER_FILE + DOUBLE.firstMs] = place.firstMs;
      doubles[at * DOUBLES_PER_FILE + DOUBLE.readAtMs] = readAtMs;
      doubles[at * DOUBLES_PER_FILE + DOUBLE.lastMessageMs] = notes.lastMessageMs ?? Number.NaN;
      numbers[at * NUMBERS_PER_FILE + NUMBER.messages] = messages;
      numbers[at * NUMBERS_PER_FILE + NUMBER.project] = projectNumbers.get(place.project) ?? 0;
      numbers[at * NUMBERS_PER_FILE + NUMBER.isAgent] = place.isAgent ? 1 : 0;
      numbers[at * NUMBERS_PER_FILE + NUMBER.cwd] = cwds.of(notes.cwd);
    }
    for (const [at, column] of [columns.quarter, ...COLUMN_NAMES.map((name) => columns[name])].entries()) {
      const values = column.toArray();
      Buffer.from(values.buffer).copy(bytes, layout.columns[at]);
      await this.#pacer.yieldIfDue();
    }
    new Float64Array(memory, layout.bucketSums, buckets.sums.length).set(buckets.sums);
    for (const [at, name] of BUCKET_COLUMNS.entries()) {
      new Int32Array(memory, layout.bucketColumns[at], buckets[name].length).set(buckets[name]);
    }
    for (const [at, text] of texts.entries()) text.copy(bytes, layout.texts[at]);
    const preamble = new Uint32Array(memory, 0, 3);
    preamble[0] = MAGIC;
    preamble[2] = headerBytes.length;
    preamble[1] = crc32(bytes.subarray(CHECKED_FROM));
    return bytes;
  }
}

function* changesOf(messages: Iterable<UsageMessage>): Generator<MessageChange> {
  let place = 0;
  for (const message of messages) yield { place: place++, message };
}

/** Assigns a number to each value, in the order of their first occurrence. */
class Numbered<T> {
  readonly #numbers = new Map<T, number>();

  get all(): readonly T[] {
    return [...this.#numbers.keys()];
  }

  of(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
