import { type DissectedLine, dissectLine } from './dissectLine';
import type { RowCollector } from './rowCollector';
import type { LineFaultKind, TranscriptNotes } from './transcriptIndex';

/** The position of one line. */
export interface LinePlace {
  /** 1-based. */
  readonly line: number;
  /** Bytes from the start of the file to the line. */
  readonly offset: number;
  readonly hasNewline: boolean;
}

/** Receives what a line contains. */
export interface LineTarget {
  readonly collector: RowCollector;
  readonly notes: TranscriptNotes;
  /** Compute row hashes, which distinguish different rows from identical copies; otherwise all hashes are 0. */
  readonly withHashes: boolean;
}

/** Reads any line with JSON.parse: its objects go to the collector, its faults to the notes. */
export function readLine(bytes: Buffer, place: LinePlace, { collector, notes, withHashes }: LineTarget): void {
  if (bytes.length === 0) return;
  const dissected = dissectLine(bytes, place.line === 1);
  for (const entry of dissected.objects) {
    collector.add(entry, {
      line: place.line,
      isRow: dissected.isRow,
      offset: place.offset + entry.start,
      hash: withHashes ? rowHash(bytes, entry.start, entry.end) : 0,
    });
  }
  for (const kind of faultsOf(dissected)) addFault(notes, kind, hidesRow(kind, dissected), place);
}

/** Notes a line that is too long to be read. */
export function skipLine(place: LinePlace, notes: TranscriptNotes): void {
  addFault(notes, 'torn', true, place);
}

function addFault(notes: TranscriptNotes, kind: LineFaultKind, hides: boolean, place: LinePlace): void {
  notes.lineFaults.add({ kind, line: place.line, hidesRow: hides, isUnfinished: !place.hasNewline });
}

function faultsOf(line: DissectedLine): LineFaultKind[] {
  const kinds: LineFaultKind[] = [];
  if (line.hasNuls) kinds.push('nul');
  if (line.hasBom) kinds.push('bom');
  if (line.objects.length === 0 && line.hasRest) kinds.push('torn');
  else if (line.objects.length > 1 || line.hasRest) kinds.push('glued');
  return kinds;
}

function hidesRow(kind: LineFaultKind, line: DissectedLine): boolean {
  switch (kind) {
    case 'torn':
      return false;
    case 'glued':
      return line.objects.some((entry) => entry.visibility === 'never');
    case 'nul':
    case 'bom':
      return line.objects.some((entry) => entry.visibility !== 'always');
  }
}

const BLOCK = 128;
const FACTOR = 0x2c1b3c6d;

/**
 * A 32-bit hash of a row's bytes: 32 accumulators over blocks of 128 bytes. The last block ends with the row and overlaps
 * the one before it; a row shorter than a block is padded with zeros. The hash is designed so that SIMD code computes it as fast
 * as it reads; wasm/assembly/rowHash.ts implements the same hash.
 */
function rowHash(bytes: Uint8Array, start: number, end: number): number {
  const lanes = new Int32Array(BLOCK / 4);
  const length = end - start;
  if (length < BLOCK) {
    const filled = new Uint8Array(BLOCK);
    filled.set(bytes.subarray(start, end));
    mixBlock(lanes, new DataView(filled.buffer), 0);
  } else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = start; at < end - BLOCK; at += BLOCK) mixBlock(lanes, view, at);
    mixBlock(lanes, view, end - BLOCK);
  }
  let hash = length;
  for (const lane of lanes) {
    hash = Math.imul(hash ^ lane, FACTOR);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

function mixBlock(lanes: Int32Array, view: DataView, at: number): void {
  for (let lane = 0; lane < lanes.length; lane++) {
    const product = Math.imul((lanes[lane] ?? 0) ^ view.getInt32(at + lane * 4, true), FACTOR);
    lanes[lane] = product ^ (product >>> 15);
  }
}
