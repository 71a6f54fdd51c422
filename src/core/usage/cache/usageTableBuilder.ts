import { crc32 } from 'node:zlib';
import type { Pacer } from '../../util/pacer';
import { COLUMN_NAMES, MessageColumns } from '../messageColumns';
import { MessageIndex } from '../messageIndex';
import {
  BIGINT,
  BIGINTS_PER_FILE,
  CHECKED_FROM,
  DOUBLE,
  DOUBLES_PER_FILE,
  FORMAT_VERSION,
  layOut,
  MAGIC,
  NUMBER,
  NUMBERS_PER_FILE,
  PREAMBLE_BYTES,
  type UsageHeader,
} from './usageLayout';
import { nameBelow, type StoredFile } from './usageTable';

/** Records between two looks at the clock. */
const PAUSE_EVERY = 2000;

/** Collects transcripts and their messages, and makes of them the bytes that `UsageTable.read` understands. */
export class UsageTableBuilder {
  readonly #columns = new MessageColumns();
  readonly #files: StoredFile[] = [];
  readonly #models: (string | null)[] = [null];
  readonly #modelNumbers = new Map<string | null, number>([[null, 0]]);
  readonly #pacer: Pacer;

  constructor(pacer: Pacer) {
    this.#pacer = pacer;
  }

  get messages(): number {
    return this.#columns.count;
  }

  /** `records` are the places of the file's messages in `from`. */
  async add(
    file: Omit<StoredFile, 'messages'>,
    from: MessageColumns,
    models: readonly (string | null)[],
    records: Iterable<number>,
  ): Promise<void> {
    const start = this.#columns.count;
    for (const record of records) {
      this.#columns.pushFrom(from, record, this.#modelNumber(models[from.model(record)] ?? null));
      if (record % PAUSE_EVERY === 0) await this.#pacer.pause();
    }
    const { place, stamp, notes, readAtMs } = file;
    this.#files.push({ place, stamp, notes, readAtMs, messages: this.#columns.count - start });
  }

  async build(engineVersion: string): Promise<Buffer> {
    await this.#findAlone();
    const files = this.#files;
    const projects = new Numbered<string>();
    const cwds = new Numbered<string | null>();
    cwds.of(null);
    for (const { place, notes } of files) {
      projects.of(place.project);
      cwds.of(notes.cwd);
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
      messages: this.#columns.count,
      models: this.#models,
      projects: projects.all,
      cwds: cwds.all,
      texts: texts.map((text) => text.length),
    };
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
      numbers[at * NUMBERS_PER_FILE + NUMBER.project] = projects.of(place.project);
      numbers[at * NUMBERS_PER_FILE + NUMBER.isAgent] = place.isAgent ? 1 : 0;
      numbers[at * NUMBERS_PER_FILE + NUMBER.cwd] = cwds.of(notes.cwd);
    }
    for (const [at, column] of [this.#columns.quarter, ...COLUMN_NAMES.map((name) => this.#columns[name])].entries()) {
      const values = column.toArray();
      Buffer.from(values.buffer).copy(bytes, layout.columns[at]);
      await this.#pacer.pause();
    }
    for (const [at, text] of texts.entries()) text.copy(bytes, layout.texts[at]);
    const preamble = new Uint32Array(memory, 0, 3);
    preamble[0] = MAGIC;
    preamble[2] = headerBytes.length;
    preamble[1] = crc32(bytes.subarray(CHECKED_FROM));
    return bytes;
  }

  /** So that the next start need not look for them. */
  async #findAlone(): Promise<void> {
    const columns = this.#columns;
    const index = new MessageIndex(columns.low, columns.high, columns.count);
    for (let record = 0; record < columns.count; record++) {
      const first = index.findOrAdd(record);
      columns.setAlone(record, first === record);
      if (first !== record) columns.setAlone(first, false);
      if (record % PAUSE_EVERY === 0) await this.#pacer.pause();
    }
  }

  #modelNumber(model: string | null): number {
    let number = this.#modelNumbers.get(model);
    if (number === undefined) {
      number = this.#models.push(model) - 1;
      this.#modelNumbers.set(model, number);
    }
    return number;
  }
}

/** Gives each value a number. */
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
