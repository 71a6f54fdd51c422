/** Where each 64-bit integer of a row lies. */
export const BIGINT = { mtimeNs: 0, ctimeNs: 1, inode: 2 } as const;
/** Where each double of a row lies; NaN stands for one that is not known. */
export const DOUBLE = { size: 0, scannedAtMs: 1, fileSize: 2, lastMessageMs: 3 } as const;
/** Where each uint32 of a row lies. What is counted in a transcript is less than its bytes. */
export const COUNT = {
  status: 0,
  chainDepth: 1,
  orphanCount: 2,
  messageCount: 3,
  loads: 4,
  of: 5,
} as const;
/** Which text of a row is which; `rest` is JSON of what few sessions have. */
export const TEXT = {
  path: 0,
  title: 1,
  cwd: 2,
  model: 3,
  gitBranch: 4,
  clientVersion: 5,
  leafUuid: 6,
  rest: 7,
} as const;

export const BIGINTS_PER_ROW = Object.keys(BIGINT).length;
export const DOUBLES_PER_ROW = Object.keys(DOUBLE).length;
export const COUNTS_PER_ROW = Object.keys(COUNT).length;
export const TEXTS_PER_ROW = Object.keys(TEXT).length;

/** One session as the table holds it. */
export interface TableRow {
  readonly bigints: readonly bigint[];
  readonly doubles: readonly number[];
  readonly counts: readonly number[];
  readonly texts: readonly (string | null)[];
}

/** To be counted up when the rows or their meaning change. */
export const FORMAT_VERSION = 1;
export const MAGIC = 0x52544853;
/** Length of a text that is null. */
export const NO_TEXT = 0xffffffff;

/** uint32 each: the magic number, the checksum of all bytes behind it, the length of the header's JSON. */
export const PREAMBLE_BYTES = 12;
/** The checksum covers the bytes from here to the end. */
export const CHECKED_FROM = 8;

/** A project's folder, all of whose transcripts have their rows in the table, one behind the other. */
export interface StoredFolder {
  readonly path: string;
  /** The folder's stamp before it was read; nanoseconds and the inode in digits. */
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly inode: string;
  readonly listedAtMs: number;
  readonly firstRow: number;
  readonly rowCount: number;
  readonly withBackup: readonly string[];
}

/** The JSON behind the preamble. */
export interface TableHeader {
  readonly formatVersion: number;
  readonly engineVersion: string;
  readonly count: number;
  /** For each text of a row: the bytes of all of them, and whether they take two bytes a unit instead of one. */
  readonly blocks: readonly { readonly bytes: number; readonly isWide: boolean }[];
  readonly folders: readonly StoredFolder[];
}

/** Where each part begins, in bytes from the start of the file. */
export interface TableLayout {
  readonly bigints: number;
  readonly doubles: number;
  readonly counts: number;
  /** For each text of each row: where it begins in its block, and how long it is, in UTF-16 units. */
  readonly spans: number;
  readonly blocks: readonly number[];
  /** Bytes of the whole file. */
  readonly size: number;
}

/** Typed arrays lie at multiples of their element size. */
export function layOut(headerBytes: number, { count, blocks }: Pick<TableHeader, 'count' | 'blocks'>): TableLayout {
  const bigints = Math.ceil((PREAMBLE_BYTES + headerBytes) / 8) * 8;
  const doubles = bigints + BIGINTS_PER_ROW * count * 8;
  const counts = doubles + DOUBLES_PER_ROW * count * 8;
  const spans = counts + COUNTS_PER_ROW * count * 4;
  const starts: number[] = [];
  let at = spans + TEXTS_PER_ROW * count * 8;
  for (const { bytes } of blocks) {
    starts.push(at);
    at += bytes;
  }
  return { bigints, doubles, counts, spans, blocks: starts, size: at };
}
