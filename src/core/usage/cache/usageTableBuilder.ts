import { crc32 } from 'node:zlib';
import type { Pacer } from '../../util/scheduling';
import { COLUMN_NAMES, type UsageMessage } from '../messageIndex';
import type { MessageChange } from '../messageReader';
import { ProjectCwds } from '../usageFiles';
import { UsageLedger } from '../usageIndex';
import {
  BIGINT,
  BIGINTS_PER_FILE,
  CELL_COLUMNS,
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

/** A transcript as it is written down. */
export type WrittenFile = Omit<StoredFile, 'messages'>;

/**
 * Collects transcripts and their messages, and makes of them the bytes that `UsageTable.read` understands. It counts each
 * message once, so that the next start need not.
 */
export class UsageTableBuilder {
  readonly #ledger = new UsageLedger();
  readonly #files: (WrittenFile & { readonly messages: number })[] = [];
  readonly #pacer: Pacer;

  constructor(pacer: Pacer) {
    this.#pacer = pacer;
  }

  get messages(): number {
    return this.#ledger.columns.count;
  }

  /** To be called once for each transcript. */
  async add(file: WrittenFile, messages: Iterable<UsageMessage>): Promise<void> {
    const before = this.messages;
    this.#ledger.change(this.#ledger.replaceFile(file.place), changesOf(messages));
    this.#files.push({ ...file, messages: this.messages - before });
    await this.#pacer.pause();
  }

  async build(engineVersion: string): Promise<Buffer> {
    const files = this.#files;
    const { columns, models, projects } = this.#ledger;
    const cells = this.#ledger.cells.stored;
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
      cells: cells.quarters.length,
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
      await this.#pacer.pause();
    }
    new Float64Array(memory, layout.cellSums, cells.sums.length).set(cells.sums);
    for (const [at, name] of CELL_COLUMNS.entries()) {
      new Int32Array(memory, layout.cells[at], cells[name].length).set(cells[name]);
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
