import { createHash } from 'node:crypto';
import { movedMarker } from '../../providers/claude/format/movedText';
import { type ByteRange, membersOf } from '../../transcript/jsonMembers';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import type { RowSource } from '../../transcript/rowSource';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import type { BitSet } from '../../util/columns';

/** A long text in a row that only the client's own display reads. */
export interface BulkyOutput {
  readonly row: number;
  /** Where the text is in the transcript, with its quotes. */
  readonly offset: number;
  readonly length: number;
  /** What takes its place, with its quotes. */
  readonly marker: Uint8Array;
  /** The name of its file, which follows from its content. */
  readonly name: string;
  /** The size of that file. */
  readonly bytes: number;
  /** How its file holds it. */
  readonly form: 'text' | 'base64';
}

/**
 * A shorter text stays: its file would take a block of the disk and a name in a folder, and clients write no output of a command of
 * more than 30,000 characters into a transcript unless they are told to.
 */
const MIN_OUTPUT_BYTES = 32 * 1024;

/**
 * Where such texts are in `toolUseResult`: what a command printed, a file before it was edited, a notebook before and after, and the
 * content of an image or a PDF. What Claude got is in `message.content`. The text of a file that was read is not among them, because
 * the client compares it with the file before Claude edits that. (docs/format.md, "What rows hold beside messages")
 */
const PLACES: ReadonlyMap<string, BulkyOutput['form']> = new Map([
  ['stdout', 'text'],
  ['stderr', 'text'],
  ['originalFile', 'text'],
  ['original_file', 'text'],
  ['updated_file', 'text'],
  ['file.base64', 'base64'],
]);

/** The long texts of a transcript, in file order. `faulty`: lines on which no row is touched. `folder`: for the markers. */
export function bulkyOutputs(index: TranscriptIndex, faulty: BitSet, folder: string, source: RowSource): BulkyOutput[] {
  const { rows } = index;
  const found: BulkyOutput[] = [];
  for (let row = 0; row < rows.count; row++) {
    // Metadata between this row and the next one is included.
    if (rows.offsetAfter(row, index.fileSize) - rows.offset(row) < MIN_OUTPUT_BYTES) continue;
    if (rows.kind(row) !== RowKind.user || !rows.has(row, RowFlag.hasToolResult)) continue;
    if (rows.has(row, RowFlag.hidden | RowFlag.nulPrefixed | RowFlag.sharesLine) || faulty.has(rows.line(row)))
      continue;
    const bytes = source.wholeLineAt(rows.offset(row));
    if (bytes !== null) found.push(...outputsOf(row, rows.offset(row), bytes, folder));
  }
  return found;
}

/** None if it is not certain what the client reads: a key occurs twice. */
function outputsOf(row: number, rowOffset: number, bytes: Buffer, folder: string): readonly BulkyOutput[] {
  if (bytes.length < MIN_OUTPUT_BYTES) return [];
  const result = uniqueMembers(bytes, 0)?.get('toolUseResult');
  const places = result === undefined ? null : uniqueMembers(bytes, result.start);
  if (places === null) return [];
  const file = places.get('file');
  const inFile = file === undefined ? null : uniqueMembers(bytes, file.start);
  const outputs: BulkyOutput[] = [];
  for (const [place, form] of PLACES) {
    const range = place.startsWith('file.') ? inFile?.get(place.slice('file.'.length)) : places.get(place);
    const output = range === undefined ? null : outputAt(bytes, range, form, folder);
    if (output !== null) outputs.push({ ...output, row, offset: rowOffset + output.offset });
  }
  return outputs.sort((a, b) => a.offset - b.offset);
}

const QUOTE = 0x22;

/** Null if the value that starts there is no object, or has a key twice. */
function uniqueMembers(bytes: Buffer, start: number): ReadonlyMap<string, ByteRange> | null {
  const members = new Map<string, ByteRange>();
  for (const { key, value } of membersOf(bytes, start)) {
    if (key === null || members.has(key)) return null;
    members.set(key, value);
  }
  return members;
}

function outputAt(
  bytes: Buffer,
  { start, end }: ByteRange,
  form: BulkyOutput['form'],
  folder: string,
): Omit<BulkyOutput, 'row'> | null {
  if (end - start < MIN_OUTPUT_BYTES || bytes[start] !== QUOTE) return null;
  const hash = createHash('sha256');
  let [size, extension] = [0, 'txt'];
  for (const piece of contentOf(bytes.subarray(start, end), form)) {
    if (piece === null) return null;
    if (size === 0 && form === 'base64') extension = extensionOf(piece);
    hash.update(piece);
    size += piece.length;
  }
  const name = `${hash.digest('hex').slice(0, 16)}.${extension}`;
  const marker = Buffer.from(JSON.stringify(movedMarker(size, folder, name)));
  return { offset: start, length: end - start, marker, name, bytes: size, form };
}

/** Bytes of JSON that are decoded together: a multiple of 4. */
const PIECE_BYTES = 1024 * 1024;
/** The longest sequence of bytes for one character: two escapes. */
const LONGEST_ESCAPE = 12;
const BACKSLASH = 0x5c;

/** What the file of an output holds, in pieces. Null for a piece, and the end, if the text could not be told from it again. */
function* contentOf(json: Buffer, form: BulkyOutput['form']): Generator<Buffer | null> {
  const end = json.length - 1;
  for (let at = 1; at < end;) {
    const next = form === 'text' ? endOfPiece(json, at + PIECE_BYTES, end) : Math.min(at + PIECE_BYTES, end);
    const piece = form === 'text' ? textPiece(json.subarray(at, next)) : base64Piece(json.subarray(at, next));
    yield piece;
    if (piece === null) return;
    at = next;
  }
}

/** The first offset about from `from` on that is not inside of a character: only plain bytes are shortly before it. */
function endOfPiece(json: Buffer, from: number, end: number): number {
  let plain = 0;
  for (let at = from; at < end; at++) {
    if (plain === LONGEST_ESCAPE) return at;
    const byte = json[at] ?? 0;
    plain = byte < 0x80 && byte !== BACKSLASH ? plain + 1 : 0;
  }
  return end;
}

/** Half of a surrogate pair. */
const HALF_PAIR = /\p{Surrogate}/u;

function textPiece(json: Buffer): Buffer | null {
  const text = String(JSON.parse(`"${json.toString('utf8')}"`));
  return HALF_PAIR.test(text) ? null : Buffer.from(text);
}

function base64Piece(json: Buffer): Buffer | null {
  const text = json.toString('latin1');
  const piece = Buffer.from(text, 'base64');
  return piece.toString('base64') === text ? piece : null;
}

const SIGNATURES: readonly (readonly [Buffer, string])[] = [
  [Buffer.from('\x89PNG', 'latin1'), 'png'],
  [Buffer.from('\xff\xd8\xff', 'latin1'), 'jpg'],
  [Buffer.from('GIF8'), 'gif'],
  [Buffer.from('RIFF'), 'webp'],
  [Buffer.from('%PDF'), 'pdf'],
];

function extensionOf(content: Buffer): string {
  return SIGNATURES.find(([start]) => content.subarray(0, start.length).equals(start))?.[1] ?? 'bin';
}

/** Reads the content of an output's file from the transcript. Throws if it is not there any more. */
export function readOutput({ offset, length, bytes: size, name, form }: BulkyOutput, source: RowSource): Buffer {
  const { bytes } = source.lineAt(offset, length);
  const content = Buffer.allocUnsafe(size);
  const hash = createHash('sha256');
  let at = 0;
  for (const piece of bytes.length === length ? contentOf(bytes, form) : []) {
    if (piece === null || at + piece.length > size) break;
    hash.update(piece);
    at += piece.copy(content, at);
  }
  if (at === size && hash.digest('hex').startsWith(name.slice(0, 16))) return content;
  throw new RangeError('Failed to read an output: the transcript was changed');
}
