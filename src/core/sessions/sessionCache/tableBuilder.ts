import { crc32 } from 'node:zlib';
import type { KnownListing } from './knownListing';
import {
  CHECKED_FROM,
  FORMAT_VERSION,
  layOut,
  MAGIC,
  NO_TEXT,
  PREAMBLE_BYTES,
  type StoredFolder,
  type TableHeader,
  type TableRow,
  TEXTS_PER_ROW,
} from './tableLayout';
import { TextBlockBuilder } from './textBlockBuilder';

/** Collects rows, and makes of them the bytes that `SessionTable.read` understands. */
export class TableBuilder {
  readonly #bigints: bigint[] = [];
  readonly #doubles: number[] = [];
  readonly #counts: number[] = [];
  readonly #spans: number[] = [];
  readonly #blocks = Array.from({ length: TEXTS_PER_ROW }, () => new TextBlockBuilder());
  readonly #folders: StoredFolder[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add({ bigints, doubles, counts, texts }: TableRow): void {
    this.#bigints.push(...bigints);
    this.#doubles.push(...doubles);
    this.#counts.push(...counts);
    for (const [at, block] of this.#blocks.entries()) {
      const text = texts[at] ?? null;
      if (text === null) this.#spans.push(0, NO_TEXT);
      else this.#spans.push(block.add(text), text.length);
    }
    this.#count++;
  }

  /** The last `rowCount` rows are those of the folder's transcripts. */
  addFolder({ listing, stamp, listedAtMs }: KnownListing, rowCount: number): void {
    this.#folders.push({
      path: listing.folder,
      size: stamp.size,
      mtimeNs: String(stamp.mtimeNs),
      ctimeNs: String(stamp.ctimeNs),
      inode: String(stamp.inode),
      listedAtMs,
      firstRow: this.#count - rowCount,
      rowCount,
      withBackup: [...listing.withBackup],
    });
  }

  build(engineVersion: string): Buffer {
    const count = this.#count;
    const blocks = this.#blocks.map((block) => block.encode());
    const header: TableHeader = {
      formatVersion: FORMAT_VERSION,
      engineVersion,
      count,
      blocks: blocks.map(({ bytes, isWide }) => ({ bytes: bytes.length, isWide })),
      folders: this.#folders,
    };
    const headerBytes = Buffer.from(JSON.stringify(header));
    const layout = layOut(headerBytes.length, header);
    const memory = new ArrayBuffer(layout.size);
    const table = Buffer.from(memory);
    headerBytes.copy(table, PREAMBLE_BYTES);
    new BigInt64Array(memory, layout.bigints, this.#bigints.length).set(this.#bigints);
    new Float64Array(memory, layout.doubles, this.#doubles.length).set(this.#doubles);
    new Uint32Array(memory, layout.counts, this.#counts.length).set(this.#counts);
    new Uint32Array(memory, layout.spans, this.#spans.length).set(this.#spans);
    for (const [at, block] of blocks.entries()) block.bytes.copy(table, layout.blocks[at]);
    const preamble = new Uint32Array(memory, 0, 3);
    preamble[0] = MAGIC;
    preamble[2] = headerBytes.length;
    preamble[1] = crc32(table.subarray(CHECKED_FROM));
    return table;
  }
}
