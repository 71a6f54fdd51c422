import { BoundaryForm } from '../../../transcript/byteBoundary';
import { ByteFlag, type ByteRows, PromptForm } from '../../../transcript/byteRows';
import { NO_ID } from '../../../transcript/idTable';
import { hasFlag, kindOf, RowFlag, RowKind } from '../../../transcript/rowFlags';
import type { LastPrompt, TranscriptIndex } from '../../../transcript/transcriptIndex';
import { firstRowFrom } from '../../../transcript/transcriptRows';
import { BitSet } from '../../../util/columns';
import type { ReaderRules } from './rules';
import { type KeepingBoundary, NOWHERE, Slots, UNKNOWN } from './slots';

/** What the loader gets of a large file. */
export interface LargeFileRead {
  /** Rows of the index that it does not get. */
  readonly dropped: BitSet;
  readonly lastPrompt: LastPrompt | null;
  readonly growth: ReaderGrowth | null;
}

/** What a row that is appended must continue for the reader to treat all earlier rows as before. */
export interface ReaderGrowth {
  /** Byte rows from the reader's leaf to its root, or to the break; null if the leaf does not matter. */
  readonly chain: readonly number[] | null;
}

/**
 * What the client's reader for large files hands to the loader. It links the rows by their bytes, and drops the branches that
 * do not belong to the chain of the last row or of the row that the newest `last-prompt` names.
 * (docs/format.md, "Files over 5 MiB")
 *
 * @param links for some rows of the index, the row to use as the parent in place of the one in the file, or a negative number for
 *   none
 */
export function readLargeFile(
  index: TranscriptIndex,
  byteRows: ByteRows,
  rules: ReaderRules,
  links: ReadonlyMap<number, number>,
): LargeFileRead {
  const slots = new Slots(index, byteRows, rules, links);
  slots.indexLate();
  const base = slots.list === null ? chainBase(slots) : listBase(slots, slots.list);
  const dropped = new BitSet(byteRows.count);
  for (let row = 0; row < slots.firstRow; row++) if (byteRows.has(row, ByteFlag.linked)) dropped.add(row);
  dropPrompts(slots, base, dropped);
  if (base.kept !== null) dropSideRows(slots, base.kept, dropped);
  return {
    dropped: rowsOfIndex(slots, dropped),
    lastPrompt: newestPrompt(index, byteRows, dropped),
    growth: base.growth,
  };
}

/** The rows that are kept for certain. */
interface Base {
  /** Slots; null if no row is dropped. */
  readonly kept: BitSet | null;
  /** The slot of the boundary whose list was followed, or `NOWHERE`. */
  readonly boundary: number;
  /** Null if appended rows may change which earlier rows are kept. */
  readonly growth: ReaderGrowth | null;
}

/** The chains of the last row, of rows after it that cannot be a leaf, and of the row that a `last-prompt` names. */
function chainBase(slots: Slots): Base {
  const { rules } = slots;
  const passed: number[] = [];
  let leaf = slots.count - 1;
  for (; leaf >= 0; leaf--) {
    if (!slots.isRow(leaf) || slots.isSidechain(leaf)) continue;
    if (!slots.isPassedOver(leaf)) break;
    passed.push(leaf);
  }
  if (leaf < 0 && rules.keepsRowsWithoutLeaf) return { kept: null, boundary: NOWHERE, growth: null };
  const kept = new BitSet(slots.count);
  const lastWalk = new Uint32Array(slots.count);
  const chain: number[] = [];
  let walk = 0;
  /** Returns whether the chain ends at a root. */
  const keepChain = (from: number): boolean => {
    walk++;
    let isWhole = true;
    for (let at = from; at >= 0 && !kept.has(at);) {
      kept.add(at);
      lastWalk[at] = walk;
      if (walk === 1) chain.push(slots.rows[at] ?? 0);
      const parent = slots.parent(at);
      const isInCycle = parent >= 0 && lastWalk[parent] === walk;
      if (parent === UNKNOWN || (isInCycle && rules.breaksAtOddLinks)) isWhole = false;
      at = parent;
    }
    return isWhole;
  };
  let isWhole = keepChain(leaf);
  const named = namedSlot(slots);
  const isNamedInChain = named === null || (named >= 0 && kept.has(named));
  for (const slot of [...passed, named ?? NOWHERE]) if (!keepChain(slot)) isWhole = false;
  const growth = leaf >= 0 && isNamedInChain && passed.length === 0 ? { chain } : null;
  return { kept: isWhole ? kept : null, boundary: NOWHERE, growth };
}

/** The slot that the newest `last-prompt` names, or `NOWHERE`; null if none names anything. */
function namedSlot(slots: Slots): number | null {
  const { byteRows, firstRow } = slots;
  for (let row = byteRows.count - 1; row >= firstRow; row--) {
    const form = slots.promptForm(row);
    const isRead = form === PromptForm.first || form === PromptForm.other;
    if (isRead && byteRows.has(row, ByteFlag.namesLeaf)) return slots.slotOf(byteRows.named(row));
  }
  return null;
}

/** The listed rows, the boundary and all after it, and their ancestors. */
function listBase(slots: Slots, { slot: boundary, kept: list }: KeepingBoundary): Base {
  const growth = { chain: null };
  const everything = { kept: null, boundary: NOWHERE, growth };
  if (list === null || boundary === NOWHERE || slots.hasDuplicates) return everything;
  const listed = list.ids.map((id) => slots.slotOf(id));
  const anchor = slots.slotOf(list.anchor);
  const isAnchorLost = anchor !== NOWHERE && anchor < boundary && !listed.includes(anchor);
  if (listed.includes(NOWHERE) || isAnchorLost) return everything;
  const kept = new BitSet(slots.count);
  if (slots.isPlainBoundary(0)) kept.add(0);
  for (const slot of listed) kept.add(slot);
  for (let slot = boundary; slot < slots.count; slot++) {
    kept.add(slot);
    for (let up = slots.parent(slot); up >= 0 && up < boundary && !kept.has(up); up = slots.parent(up)) kept.add(up);
  }
  return { kept, boundary, growth };
}

/**
 * `last-prompt` rows before a compaction of the main conversation are dropped, except the last one that has a `leafUuid`, and
 * so are lines that only look like such rows.
 */
function dropPrompts(slots: Slots, { boundary }: Base, dropped: BitSet): void {
  const { byteRows } = slots;
  let end = NOWHERE;
  if (slots.isPlainBoundary(0) && !slots.isSidechain(0)) end = slots.rows[0] ?? NOWHERE;
  if (boundary !== NOWHERE && !slots.isSidechain(boundary)) end = slots.rows[boundary] ?? NOWHERE;
  let hasKept = false;
  for (let row = byteRows.count - 1; row >= 0; row--) {
    const form = slots.promptForm(row);
    if (form === PromptForm.dropped) dropped.add(row);
    if (form !== PromptForm.first || row >= end) continue;
    if (!hasKept && byteRows.has(row, ByteFlag.hasLeaf)) hasKept = true;
    else dropped.add(row);
  }
}

/**
 * Drops the rows outside the base, from top to bottom, except those that belong to a kept parent: results, notes, rows
 * of the same message, and the children of a note.
 */
function dropSideRows(slots: Slots, base: BitSet, dropped: BitSet): void {
  const { index, rules } = slots;
  const { rows } = index;
  /** Slots whose children may be kept. */
  const continues = new BitSet(slots.count);
  /** The message of the nearest assistant row at the slot or above it. */
  const messages = new Int32Array(slots.count).fill(NO_ID);
  for (let slot = 0; slot < slots.count; slot++) {
    if (!slots.isRow(slot)) continue;
    const row = slots.indexRow(slot);
    const parent = slots.parent(slot);
    const message = parent >= 0 ? (messages[parent] ?? NO_ID) : NO_ID;
    if (!base.has(slot)) {
      const isReached = rules.keepsSideRows && parent >= 0 && parent < slot && continues.has(parent) && row !== NO_ID;
      const isKept = isReached && isContinuation(slots, row, message);
      if (!isKept) {
        const isChildOfNote = isReached && !rows.has(row, RowFlag.noMessage) && isNote(slots, slots.indexRow(parent));
        if (!isChildOfNote) dropped.add(slots.rows[slot] ?? 0);
        continue;
      }
    }
    continues.add(slot);
    const isAnswer = row !== NO_ID && rows.kind(row) === RowKind.assistant && !isVirtualCall(rules, rows.flags(row));
    messages[slot] = isAnswer ? rows.message(row) : message;
  }
}

/** Whether a side row belongs to its parent, which is kept. Then its own children are considered, too. */
function isContinuation({ index, rules }: Slots, row: number, message: number): boolean {
  const { rows } = index;
  const flags = rows.flags(row);
  if (hasFlag(flags, RowFlag.noMessage)) return false;
  if (isVirtualCall(rules, flags)) return true;
  switch (kindOf(flags)) {
    case RowKind.assistant:
      return message !== NO_ID && rows.message(row) === message;
    case RowKind.user:
      return hasFlag(flags, RowFlag.meta | RowFlag.hasToolResult);
    case RowKind.attachment:
    case RowKind.system:
    case RowKind.progress:
      return isBesideMessages(index, row);
    case RowKind.other:
      return false;
  }
}

/** Whether the direct children of the row are kept, whatever they are. */
function isNote({ index, rules }: Slots, row: number): boolean {
  if (row === NO_ID) return false;
  const { rows } = index;
  const flags = rows.flags(row);
  switch (kindOf(flags)) {
    case RowKind.attachment:
    case RowKind.system:
    case RowKind.progress:
      return isBesideMessages(index, row);
    case RowKind.user:
      if (hasFlag(flags, RowFlag.meta) && !hasFlag(flags, RowFlag.hasToolResult)) return true;
      return isVirtualCall(rules, flags);
    case RowKind.assistant:
    case RowKind.other:
      return isVirtualCall(rules, flags);
  }
}

/** Whether the row, which is no message, belongs to its parent: any such row but a compaction. */
function isBesideMessages({ rows, ids }: TranscriptIndex, row: number): boolean {
  if (rows.kind(row) === RowKind.progress) return ids.isString(rows.uuid(row));
  return !rows.has(row, RowFlag.compactBoundary);
}

/** Whether the row is a virtual call or the result of one, and kept for that. */
function isVirtualCall({ keepsVirtualSideRows }: ReaderRules, flags: number): boolean {
  if (!keepsVirtualSideRows || !hasFlag(flags, RowFlag.virtual)) return false;
  const kind = kindOf(flags);
  if (kind === RowKind.assistant) return hasFlag(flags, RowFlag.hasToolUse);
  return kind === RowKind.user && hasFlag(flags, RowFlag.hasToolResult);
}

/** The rows of the index that are on dropped lines, or that the loader forgets at a compaction that it gets. */
function rowsOfIndex(slots: Slots, dropped: BitSet): BitSet {
  const { byteRows } = slots;
  const { rows } = slots.index;
  const found = new BitSet(rows.count);
  let forgotten = byteRows.count - 1;
  while (forgotten >= 0 && (slots.boundaryForm(forgotten) !== BoundaryForm.plain || dropped.has(forgotten)))
    forgotten--;
  const start = forgotten < 0 ? 0 : firstRowFrom(rows, byteRows.lineOf(forgotten));
  for (let row = 0; row < start; row++) found.add(row);
  let row = start;
  for (let at = 0; at < byteRows.count; at++) {
    if (!dropped.has(at)) continue;
    const line = byteRows.lineOf(at);
    while (row < rows.count && rows.line(row) < line) row++;
    for (; row < rows.count && rows.line(row) === line; row++) found.add(row);
  }
  if (byteRows.startsWithBom) for (let each = 0; each < rows.count && rows.line(each) === 1; each++) found.add(each);
  return found;
}

/** The newest `last-prompt` that the loader gets and that says anything. */
function newestPrompt(index: TranscriptIndex, byteRows: ByteRows, dropped: BitSet): LastPrompt | null {
  for (let row = byteRows.count - 1; row >= 0; row--) {
    if (!byteRows.has(row, ByteFlag.saysLeaf) || dropped.has(row)) continue;
    const line = byteRows.lineOf(row);
    // The line may also count as a row.
    if (row + 1 < byteRows.count && byteRows.lineOf(row + 1) === line && dropped.has(row + 1)) continue;
    if (index.lastPrompt?.line === line) return index.lastPrompt;
    const text = byteRows.ids.text(byteRows.named(row));
    const leaf = text === null ? NO_ID : index.ids.has(text) ? index.ids.intern(text) : index.ids.unusedId;
    return { line, rowsBefore: firstRowFrom(index.rows, line), leaf, isExplicit: byteRows.has(row, ByteFlag.explicit) };
  }
  return null;
}
