import type { Finding } from '../../../protocol/repair';
import type { SlimKind, SlimmedKind } from '../../../protocol/slim';
import { removedFolderName } from '../../providers/claude/format/movedText';
import { LoadedTranscript, loadedRows } from '../../providers/claude/loader/loadTranscript';
import { type Splice, splicedSize, Splicer } from '../../storage/splice';
import { NO_ID } from '../../transcript/idTable';
import { RowSource } from '../../transcript/rowSource';
import type { FileScanner } from '../../transcript/scanFile';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { BitSet } from '../../util/columns';
import { openRegularHandle } from '../../util/openForeignFile';
import { locateEdits } from '../locateEdits';
import { diagnose, type Diagnostics, SEVERITY_ORDER } from '../verdict';
import { type BulkyOutput, bulkyOutputs } from './bulkyOutputs';
import {
  beforeLastMessage,
  FixedPlaces,
  type Removal,
  removableProgress,
  removalOf,
  withoutParents,
} from './removableRows';
import { type RepeatedSnapshots, repeatedSnapshots } from './repeatedSnapshots';

export interface SlimDeps {
  readonly scanFile: FileScanner;
  readonly diagnostics: Diagnostics;
}

/** What slimming a transcript changes. */
export interface SlimPlan {
  readonly kinds: readonly SlimmedKind[];
  readonly relinked: number;
  readonly splices: readonly Splice[];
  /** What is moved into files beside the transcript. */
  readonly outputs: readonly BulkyOutput[];
  readonly bytesAfter: number;
  readonly loadedAfter: LoadedFacts;
}

/** What must be true of the written file. */
export interface LoadedFacts {
  readonly loads: number;
  readonly of: number;
  readonly leafUuid: string | null;
  readonly rows: number;
}

/** What nobody reads of a transcript. It follows from the transcript and its path alone. */
export interface Slimmable {
  readonly progress: BitSet;
  readonly snapshots: RepeatedSnapshots;
  readonly outputs: readonly BulkyOutput[];
}

/** @param namedAs the path of the transcript, if `filePath` is that of its backup */
export async function findSlimmable(filePath: string, index: TranscriptIndex, namedAs = filePath): Promise<Slimmable> {
  const places = new FixedPlaces(index, await isLastLineOpen(filePath, index.fileSize));
  const source = RowSource.open(filePath, index.fileSize);
  try {
    return {
      progress: removableProgress(index, places),
      snapshots: repeatedSnapshots(index, places, source),
      outputs: bulkyOutputs(index, places.faulty, removedFolderName(namedAs), source),
    };
  } finally {
    source.close();
  }
}

/**
 * The plan that removes the most of what nobody reads, proven by scanning and simulating the resulting bytes: the client starts from
 * the same row, loads the same rows in the same order, and nothing else is wrong with the transcript than before. Null if there is
 * nothing to remove, `unproven` if no attempt passed.
 */
export async function planSlim(
  filePath: string,
  before: LoadedTranscript,
  { scanFile, diagnostics }: SlimDeps,
): Promise<SlimPlan | 'unproven' | null> {
  const { index } = before;
  const slimmable = await findSlimmable(filePath, index);
  const { progress, snapshots } = slimmable;
  if (progress.isEmpty && snapshots.rows.isEmpty && slimmable.outputs.length === 0) return null;
  for (const { rows, outputs } of draftsOf(index, slimmable)) {
    const removal = removalOf(index, rows);
    const { splices, bytesOf } = await slimSplices(filePath, index, removal, outputs);
    const sizeAfter = splicedSize(index.fileSize, splices);
    const through = (): Splicer => new Splicer(splices);
    const scanned = await scanFile(filePath, { through, sizeAfter });
    const after = new LoadedTranscript(scanned.index, diagnostics.rules);
    if (!isSameSession(before, after, removal, snapshots, diagnostics)) continue;
    return {
      kinds: kindsOf(slimmable, outputs, bytesOf),
      relinked: removal.relinked.length,
      splices,
      outputs,
      bytesAfter: sizeAfter,
      loadedAfter: loadedFacts(after),
    };
  }
  return 'unproven';
}

export function loadedFacts({ index, summary }: LoadedTranscript): LoadedFacts {
  const { loads, of, leafUuid } = summary;
  return { loads, of, leafUuid, rows: index.rows.count };
}

interface Draft {
  readonly rows: BitSet;
  readonly outputs: readonly BulkyOutput[];
}

/**
 * What to remove, most first. The reader for large files looks at the last row, and at which rows hang from a
 * progress row.
 */
function* draftsOf(index: TranscriptIndex, { progress, snapshots, outputs }: Slimmable): Generator<Draft> {
  const none = new BitSet(index.rows.count);
  const both = progress.copy();
  for (let row = 0; row < index.rows.count; row++) if (snapshots.rows.has(row)) both.add(row);
  const isMixed = !progress.isEmpty && !snapshots.rows.isEmpty;
  const removable = isMixed ? [both, progress, snapshots.rows] : [both];
  const sets = removable.flatMap((rows) => [rows, beforeLastMessage(index, rows), withoutParents(index, rows)]);
  const moved = outputs.length === 0 ? [outputs] : [outputs, []];
  for (const texts of moved) {
    for (const rows of sets) if (!rows.isEmpty) yield { rows, outputs: texts };
    if (texts.length > 0) yield { rows: none, outputs: texts };
  }
}

/** What is removed and moved of each kind that there is any of. */
function kindsOf(
  { progress, snapshots }: Slimmable,
  outputs: readonly BulkyOutput[],
  bytesOf: (rows: BitSet) => { readonly count: number; readonly bytes: number },
): SlimmedKind[] {
  const removed = (kind: SlimKind, all: BitSet): SlimmedKind => {
    const { count, bytes } = bytesOf(all);
    return { kind, rows: count, bytesBefore: bytes, bytesAfter: 0 };
  };
  const moved: SlimmedKind = {
    kind: 'outputs',
    rows: outputs.length,
    bytesBefore: outputs.reduce((sum, { length }) => sum + length, 0),
    bytesAfter: outputs.reduce((sum, { marker }) => sum + marker.length, 0),
  };
  const kinds = [removed('progress', progress), removed('attachments', snapshots.rows), moved];
  return kinds.filter((kind) => kind.rows > 0);
}

/**
 * The splices that remove the lines of rows, set the links of the rows below them, and put markers in the place of outputs. They follow
 * from the transcript, the removed rows and the outputs alone.
 */
export async function slimSplices(
  filePath: string,
  index: TranscriptIndex,
  removal: Removal,
  outputs: readonly BulkyOutput[],
): Promise<{
  readonly splices: readonly Splice[];
  /** How many of the removed rows are in a set, and what their lines have in the file. */
  readonly bytesOf: (rows: BitSet) => { readonly count: number; readonly bytes: number };
}> {
  const { rows } = index;
  const lines = new BitSet(index.lineCount + 1);
  for (let row = 0; row < rows.count; row++) if (removal.rows.has(row)) lines.add(rows.line(row));
  const lengths = new Float64Array(index.lineCount + 1);
  const removed = lines.isEmpty ? [] : await lineSplices(filePath, index.fileSize, lines, lengths);
  const why = 'The row that it points to was removed.';
  const edits = removal.relinked.map(({ row, to }) => ({ kind: 'link', row, field: 'parentUuid', to, why }) as const);
  const located = edits.length === 0 ? [] : (await locateEdits(filePath, index, edits)).splices;
  const moved = outputs.map(({ offset, length, marker }) => ({ offset, length, bytes: marker }));
  const splices = [...removed, ...located, ...moved].sort((a, b) => a.offset - b.offset);
  return {
    splices,
    bytesOf(set) {
      let [count, bytes] = [0, 0];
      for (let row = 0; row < rows.count; row++) {
        if (!set.has(row) || !removal.rows.has(row)) continue;
        count++;
        bytes += lengths[rows.line(row)] ?? 0;
      }
      return { count, bytes };
    },
  };
}

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

/**
 * Removes lines with their newlines. Lines that follow each other are one splice.
 *
 * @param lines 1-based
 * @param lengths receives how many bytes each of the lines has
 */
async function lineSplices(filePath: string, size: number, lines: BitSet, lengths: Float64Array): Promise<Splice[]> {
  const splices: Splice[] = [];
  let line = 1;
  let lineStart = 0;
  const remove = (from: number, to: number): void => {
    lengths[line] = to - from;
    const last = splices.at(-1);
    if (last !== undefined && last.offset + last.length === from) {
      splices[splices.length - 1] = { ...last, length: to - last.offset };
    } else splices.push({ offset: from, length: to - from, bytes: NOTHING });
  };
  const { file } = await openRegularHandle(filePath);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, end + 1)) {
        const next = at + end + 1;
        if (lines.has(line)) remove(lineStart, next);
        lineStart = next;
        line++;
      }
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
  return splices;
}

/** The client may still be writing a last line without a newline. */
async function isLastLineOpen(filePath: string, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { file } = await openRegularHandle(filePath);
  try {
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, size - 1);
    return last[0] !== NEWLINE;
  } finally {
    await file.close();
  }
}

/** Whether the client loads the same from the transcript without the removed rows, and no finding is added. */
function isSameSession(
  before: LoadedTranscript,
  after: LoadedTranscript,
  { rows: removed, count }: Removal,
  { valueIn }: RepeatedSnapshots,
  { checks }: Diagnostics,
): boolean {
  const { index } = before;
  if (after.index.rows.count !== index.rows.count - count) return false;
  if (loadedRows(after.index, after.resume) !== loadedRows(index, before.resume)) return false;
  /** Row before → row after. */
  const places = new Int32Array(index.rows.count).fill(NO_ID);
  let place = 0;
  for (let row = 0; row < index.rows.count; row++) {
    if (removed.has(row)) continue;
    if (uuidOf(index, row) !== uuidOf(after.index, place)) return false;
    if (before.resume.request.kept.has(row) !== after.resume.request.kept.has(place)) return false;
    places[row] = place++;
  }
  const placeOf = (row: number): number => places[row] ?? NO_ID;
  const { history } = before.resume;
  const left = history.filter((row) => !removed.has(row));
  return (
    placeOf(before.resume.leaf) === after.resume.leaf &&
    areSameRows(left, after.resume.history, placeOf) &&
    valueIn(left) === valueIn(history) &&
    hasNoMoreFindings(diagnose(before, checks), diagnose(after, checks))
  );
}

function uuidOf({ rows, ids }: TranscriptIndex, row: number): string | null {
  return ids.text(rows.uuid(row));
}

function areSameRows(before: Int32Array, after: Int32Array, placeOf: (row: number) => number): boolean {
  return before.length === after.length && before.every((row, at) => placeOf(row) === after[at]);
}

/** Also none that is worse than before. */
function hasNoMoreFindings(before: readonly Finding[], after: readonly Finding[]): boolean {
  return after.every(({ code, severity }) =>
    before.some((known) => known.code === code && SEVERITY_ORDER[known.severity] <= SEVERITY_ORDER[severity]),
  );
}
