import { stat } from 'node:fs/promises';
import type { ScannedSession } from '../../../protocol/session';
import type { FileStamp } from '../../util/diskFiles';
import type { Pacer } from '../../util/scheduling';
import { isOld, type KnownListing } from './knownListing';
import type { SessionTable } from './sessionTable';
import { TableBuilder } from './tableBuilder';
import type { TableRow } from './tableLayout';
import { toTableRow } from './toTableRow';

/** A change of this window that is not in the file yet. */
export type SessionChange =
  | { readonly kind: 'scanned'; readonly atMs: number; readonly stamp: FileStamp; readonly scan: ScannedSession }
  | { readonly kind: 'deleted'; readonly atMs: number };

/** What this window knows when it writes. */
export interface MergeParts {
  readonly changes: ReadonlyMap<string, SessionChange>;
  /** What this window listed, by folder. */
  readonly listings: ReadonlyMap<string, KnownListing>;
  /** Transcripts that this window asked for, so that they are there. */
  readonly asked: ReadonlySet<string>;
  readonly nowMs: number;
  readonly pacer: Pacer;
}

/** Bounds of the file. What this window listed comes first. */
const MAX_SESSIONS = 200_000;
const MAX_TEXT_UNITS = 64 * 1024 * 1024;
/** A session with longer texts than this, as a great many findings make them, is scanned anew at each start. */
const MAX_SESSION_TEXT_UNITS = 1024 * 1024;
/** Transcripts that this window did not list, looked up at one saving. */
const MAX_LOOKUPS = 500;

interface Candidate {
  readonly atMs: number;
  readonly row: () => TableRow;
}

/**
 * What the file is to hold: of two scans of one transcript the later, and none of a transcript that is gone. The rows
 * of a folder lie one behind the other, in the order in which the next window will ask for them.
 */
export async function mergeSessions(table: SessionTable | null, parts: MergeParts): Promise<TableBuilder> {
  const candidates = await writtenSessions(table, parts);
  for (const [path, change] of parts.changes) {
    const written = candidates.get(path);
    if (written !== undefined && written.atMs > change.atMs) continue;
    if (change.kind === 'deleted') {
      candidates.delete(path);
      continue;
    }
    const { atMs, stamp, scan } = change;
    candidates.set(path, { atMs, row: () => toTableRow(path, stamp, atMs, scan) });
  }

  return buildTable(candidates, latestListings(table, parts), parts.pacer);
}

async function buildTable(
  candidates: ReadonlyMap<string, Candidate>,
  listings: Iterable<KnownListing>,
  pacer: Pacer,
): Promise<TableBuilder> {
  const builder = new TableBuilder();
  const rest = new Set(candidates.keys());
  let units = 0;
  /** Whether the row is in the table. */
  const add = async (path: string): Promise<boolean> => {
    rest.delete(path);
    await pacer.pause();
    const row = candidates.get(path)?.row();
    const rowUnits = row === undefined ? 0 : textUnits(row);
    const isTooMuch = builder.count === MAX_SESSIONS || units + rowUnits > MAX_TEXT_UNITS;
    if (row === undefined || rowUnits > MAX_SESSION_TEXT_UNITS || isTooMuch) return false;
    units += rowUnits;
    builder.add(row);
    return true;
  };
  for (const known of listings) {
    const transcripts = known.listing.transcripts ?? [];
    let added = 0;
    for (const path of transcripts) if (await add(path)) added++;
    if (added === transcripts.length) builder.addFolder(known, added);
  }
  for (const path of rest) await add(path);
  return builder;
}

/** Of two listings of one folder the later. */
function latestListings(table: SessionTable | null, { listings, nowMs }: MergeParts): Iterable<KnownListing> {
  const latest = new Map(listings);
  for (const written of table?.listings() ?? []) {
    const own = latest.get(written.listing.folder);
    if (own !== undefined && own.listedAtMs >= written.listedAtMs) continue;
    if (!isOld(written, nowMs)) latest.set(written.listing.folder, written);
  }
  return latest.values();
}

async function writtenSessions(table: SessionTable | null, parts: MergeParts): Promise<Map<string, Candidate>> {
  const candidates = new Map<string, Candidate>();
  if (table === null) return candidates;
  const gone = await findGone(table, (path) => parts.asked.has(path) || parts.changes.has(path));
  for (let row = 0; row < table.count; row++) {
    if (!gone.has(row)) candidates.set(table.path(row), { atMs: table.scannedAtMs(row), row: () => table.row(row) });
    await parts.pacer.pause();
  }
  return candidates;
}

/** Looks up the transcripts scanned longest ago first: Claude deletes old ones. */
async function findGone(table: SessionTable, isKnown: (path: string) => boolean): Promise<ReadonlySet<number>> {
  const unknown: number[] = [];
  for (let row = 0; row < table.count; row++) if (!isKnown(table.path(row))) unknown.push(row);
  unknown.sort((a, b) => table.scannedAtMs(a) - table.scannedAtMs(b));
  const gone = new Set<number>();
  for (const row of unknown.slice(0, MAX_LOOKUPS)) if (await isGone(table.path(row))) gone.add(row);
  return gone;
}

async function isGone(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}

function textUnits({ texts }: TableRow): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}
