import { COMPACT_BOUNDARY, FORKED, HIDDEN, KIND_ASSISTANT, KIND_MASK, KIND_PROGRESS, KIND_USER } from './bits';
import { NUL_PREFIXED, PARENT_MASK, PARENT_TEXT, SIDECHAIN, USABLE } from './bits';
import { clearColumn, createColumn, get, lengthOf, push } from './columns';
import { NO_ID, idCount } from './ids';
import {
  BROKEN,
  COPIED,
  HELD,
  NONE,
  ROOT,
  at32,
  clearStates,
  mark,
  parents,
  rowOfId,
  set32,
  stateOf,
} from './plainTables';
import { flagsColumn, hasHashes, hashColumn, parentColumn, rowCount, uuidColumn } from './rows';

// Which rows of a plain transcript the loader holds, and where their links lead. (rowGraph.ts, applyCompaction.ts)

/** Rows that name a parent that the file does not hold: where that costs history, and where Claude does not look for one. */
export const harmfulOrphans = createColumn();
export const harmlessOrphans = createColumn();
/** Rows of which the client does not see a copy, each with the copy. */
export const copies = createColumn();
/** Rows whose parent has such a copy: the last row of its uuid is none that counts. */
export let orphansOfCopies: u32 = 0;
/** Last row that the loader holds, or `NONE`. */
export let lastHeld: i32 = NONE;

/**
 * Links the rows, past those that the loader passes over. `boundary`: row of the last compaction, which preserves no rows,
 * or `NONE`. False when the transcript is not plain.
 */
export function link(boundary: i32): bool {
  clearColumn(harmfulOrphans);
  clearColumn(harmlessOrphans);
  clearColumn(copies);
  lastHeld = NONE;
  const rows = rowCount();
  clearStates(rows);
  memory.fill(rowOfId, 0xff, (<usize>idCount()) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    const flags = get(flagsColumn, row);
    const uuid = get(uuidColumn, row);
    if (uuid == <u32>NO_ID || (flags & (SIDECHAIN | NUL_PREFIXED)) != 0) return false;
    if ((flags & HIDDEN) != 0) {
      if (!noteCopy(row, at32(rowOfId, uuid))) return false;
      continue;
    }
    set32(rowOfId, uuid, row);
    let parent = ROOT;
    if ((flags & PARENT_MASK) == PARENT_TEXT) {
      parent = at32(rowOfId, get(parentColumn, row));
      if (parent == NONE) {
        parent = BROKEN;
        push(isHarmless(row, flags, boundary) ? harmlessOrphans : harmfulOrphans, row);
      } else if ((stateOf(parent) & HELD) == 0) {
        const above = get(flagsColumn, parent) & PARENT_MASK;
        parent = at32(parents, parent);
        // The loader does not know a root through two rows that it passes over.
        if (parent == ROOT && above == PARENT_TEXT) return false;
      }
    }
    set32(parents, row, parent);
    if (isPassedOver(flags)) continue;
    mark(row, HELD);
    lastHeld = row;
  }
  countOrphansOfCopies();
  if (boundary != NONE) set32(parents, boundary, ROOT);
  return true;
}

/** A hidden row costs nothing when it is a copy of the row that the client sees; false when that is not known. */
function noteCopy(row: u32, original: i32): bool {
  if (!hasHashes || original == NONE || (stateOf(original) & COPIED) != 0) return false;
  if (get(hashColumn, row) != get(hashColumn, original) || at32(parents, original) == BROKEN) return false;
  mark(original, COPIED);
  push(copies, original);
  push(copies, row);
  return true;
}

/** (describeSession.ts) */
function countOrphansOfCopies(): void {
  orphansOfCopies = 0;
  if (lengthOf(copies) == 0) return;
  for (let row: u32 = 0, rows = rowCount(); row < rows; row++) {
    const flags = get(flagsColumn, row);
    if ((flags & HIDDEN) != 0 || (flags & PARENT_MASK) != PARENT_TEXT) continue;
    const parent = at32(rowOfId, get(parentColumn, row));
    if (parent != NONE && (stateOf(parent) & COPIED) != 0) orphansOfCopies++;
  }
}

/** The client does not look for the parent: the row is from before a compaction, or from another session. (chainView.ts) */
function isHarmless(row: i32, flags: u32, boundary: i32): bool {
  return row < boundary || (flags & (COMPACT_BOUNDARY | FORKED)) != 0;
}

function isPassedOver(flags: u32): bool {
  const kind = flags & KIND_MASK;
  return kind == KIND_PROGRESS || (isMessage(kind) && (flags & USABLE) == 0);
}

export function isMessage(kind: u32): bool {
  return kind == KIND_USER || kind == KIND_ASSISTANT;
}
