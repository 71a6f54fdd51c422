import { CELL_SUMS } from '../buckets';
import { COLUMN_NAMES } from '../messageIndex';
import type { ToldCwd } from '../usageFiles';

/** To be counted up when the file looks otherwise, or its figures mean something else. */
export const FORMAT_VERSION = 2;
export const MAGIC = 0x52545553;
/** uint32 each: the magic number, the checksum of all bytes behind it, the length of the header's JSON. */
export const PREAMBLE_BYTES = 12;
/** The checksum covers the bytes from here to the end. */
export const CHECKED_FROM = 8;

/** Where each 64-bit integer of a transcript lies, in this order. */
export const BIGINT = { mtimeNs: 0, ctimeNs: 1, inode: 2 } as const;
/** Where each double of a transcript lies; NaN stands for one that is not known. */
export const DOUBLE = { size: 0, firstMs: 1, readAtMs: 2, lastMessageMs: 3 } as const;
/** Where each uint32 of a transcript lies; `project` and `cwd` are places in the header's lists. */
export const NUMBER = { messages: 0, project: 1, isAgent: 2, cwd: 3 } as const;
/** Columns of the cells, of int32 each. */
export const CELL_COLUMNS = ['quarters', 'classes', 'projects'] as const;
/** Texts of the transcripts, those of one kind behind one another, each ended by a NUL. */
export const TEXTS = ['names', 'sessionIds', 'titles'] as const;

export const BIGINTS_PER_FILE = Object.keys(BIGINT).length;
export const DOUBLES_PER_FILE = Object.keys(DOUBLE).length;
export const NUMBERS_PER_FILE = Object.keys(NUMBER).length;
/** The times of the messages, then `COLUMN_NAMES`. */
const COLUMNS = 1 + COLUMN_NAMES.length;

/** The JSON behind the preamble. */
export interface UsageHeader {
  readonly formatVersion: number;
  readonly engineVersion: string;
  readonly files: number;
  readonly messages: number;
  readonly cells: number;
  readonly models: readonly (string | null)[];
  /** Absolute paths of folders. */
  readonly projects: readonly string[];
  /** Of each of them. */
  readonly projectCwds: readonly (ToldCwd | null)[];
  /** The first is null. */
  readonly cwds: readonly (string | null)[];
  /** Bytes, in the order of `TEXTS`. */
  readonly texts: readonly number[];
}

/** Where each part begins, in bytes from the start of the file. */
export interface UsageLayout {
  readonly bigints: number;
  readonly doubles: number;
  readonly numbers: number;
  /** The sums of the cells, then `CELL_COLUMNS`. */
  readonly cellSums: number;
  readonly cells: readonly number[];
  readonly columns: readonly number[];
  readonly texts: readonly number[];
  /** Bytes of the whole file. */
  readonly size: number;
}

/** Typed arrays lie at multiples of their element size. */
export function layOut(
  headerBytes: number,
  { files, messages, cells, texts }: Pick<UsageHeader, 'files' | 'messages' | 'cells' | 'texts'>,
): UsageLayout {
  const bigints = Math.ceil((PREAMBLE_BYTES + headerBytes) / 8) * 8;
  const doubles = bigints + BIGINTS_PER_FILE * files * 8;
  const cellSums = doubles + DOUBLES_PER_FILE * files * 8;
  const numbers = cellSums + CELL_SUMS * cells * 8;
  const firstCells = numbers + NUMBERS_PER_FILE * files * 4;
  const cellColumns = CELL_COLUMNS.map((_, at) => firstCells + at * cells * 4);
  const firstColumn = firstCells + CELL_COLUMNS.length * cells * 4;
  const columns = Array.from({ length: COLUMNS }, (_, at) => firstColumn + at * messages * 4);
  const starts: number[] = [];
  let at = firstColumn + COLUMNS * messages * 4;
  for (const bytes of texts) {
    starts.push(at);
    at += bytes;
  }
  return { bigints, doubles, numbers, cellSums, cells: cellColumns, columns, texts: starts, size: at };
}
