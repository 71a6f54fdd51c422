import { LARGE_FILE_BYTES } from '../../../transcript/byteRows';
import { NO_ID } from '../../../transcript/idTable';
import { hasFlag, isTextReply, kindOf, ParentForm, RowFlag, RowKind } from '../../../transcript/rowFlags';
import { type RowTable } from '../../../transcript/rowTable';
import { type LastPrompt, RowIndex, type TranscriptIndex } from '../../../transcript/transcriptIndex';
import { BitSet } from '../../../util/columns';
import { type ReaderGrowth, readLargeFile } from './largeFile';
import type { LoaderRules } from './rules';

/** Parent of a root: its parent is null, absent or empty. */
export const ROOT = -1;
/** Parent of a row that names a parent which the loader does not have. */
export const BROKEN = -2;

const NO_LINKS: ReadonlyMap<number, number> = new Map();

export interface GraphOptions {
  /** For some rows, the row to use as the parent in place of the one in the file, or `ROOT`. */
  readonly links?: ReadonlyMap<number, number>;
  /**
   * Hold the branches of a large file, too, which its reader drops: for what the client would load if the conversation had ended
   * elsewhere.
   */
  readonly withBranches?: boolean;
}

/**
 * The rows as the loader holds them after reading the file once from top to bottom: which rows it keeps, which row each
 * uuid means, and where each row's parent link leads.
 */
export class RowGraph {
  readonly #rowOfId: RowIndex;
  /** Parent id of each row, with skipped rows bridged; null while nothing was bridged. */
  #bridged: Int32Array | null = null;
  /** Parents that a compaction changed: a row, `ROOT` or `BROKEN`. */
  readonly #moved = new Map<number, number>();
  readonly #held: BitSet;
  /** Row → place of the row that it replaced: a row replaces an earlier one with its uuid. */
  readonly #places = new Map<number, number>();
  /** Whether the loader has every row of the file. If so, its uuid index is valid for all rows. */
  #holdsAll = true;
  #hasDuplicates = false;
  /** The last row without a uuid: the loader keeps only one, which can be found only by time. */
  #nameless = NO_ID;

  /** What the newest `last-prompt` that the loader gets says about the leaf. */
  readonly lastPrompt: LastPrompt | null;
  /** What an appended row must continue, according to the reader for large files; null if that reader may change anything. */
  readonly readerGrowth: ReaderGrowth | null;
  readonly #isLargeFile: boolean;
  /** Rows that the reader for large files drops; null if it drops none. */
  readonly #dropped: BitSet | null;

  constructor(
    readonly index: TranscriptIndex,
    readonly rules: LoaderRules,
    { links = NO_LINKS, withBranches = false }: GraphOptions = {},
  ) {
    const { byteRows, rows } = index;
    this.#isLargeFile = index.fileSize > LARGE_FILE_BYTES;
    const isDropping = this.#isLargeFile && byteRows !== null && !withBranches;
    const read = isDropping ? readLargeFile(index, byteRows, rules, links) : null;
    this.#dropped = read?.dropped ?? null;
    this.lastPrompt = read === null ? index.lastPrompt : read.lastPrompt;
    this.readerGrowth = read?.growth ?? null;
    this.#rowOfId = new RowIndex(index);
    this.#held = new BitSet(rows.count);
    for (const [row, parent] of links) this.#replaceLink(row, parent);
    this.#read();
  }

  #replaceLink(row: number, parent: number): void {
    const { rows } = this.index;
    this.#bridged ??= parentIds(rows);
    this.#bridged[row] = parent === ROOT ? NO_ID : rows.uuid(parent);
    if (parent === ROOT) this.#moved.set(row, ROOT);
  }

  /** Rows that are read after a progress row inherit its parent; the children of a dropped row do so at the end. */
  #read(): void {
    const { index } = this;
    let bridges: RowIndex | null = null;
    let dropped: RowIndex | null = null;
    for (let row = 0; row < index.rows.count; row++) {
      const flags = index.rows.flags(row);
      if (!this.#isParsed(row, flags)) {
        this.#holdsAll = false;
        continue;
      }
      if (bridges !== null) {
        const bridge = bridges.get(this.parentId(row));
        if (bridge !== NO_ID) this.#bridge(row, bridge);
      }
      if (kindOf(flags) === RowKind.progress) {
        bridges ??= new RowIndex(index);
        bridges.set(index.rows.uuid(row), row);
        this.#holdsAll = false;
      } else if (this.#isDropped(flags)) {
        dropped ??= new RowIndex(index);
        dropped.set(index.rows.uuid(row), row);
        this.#holdsAll = false;
      } else this.#hold(row);
    }
    if (dropped !== null) this.#bridgeDropped(dropped);
  }

  /** A link that names no row that was kept, but one that was dropped, leads to the parent of that one. */
  #bridgeDropped(dropped: RowIndex): void {
    for (let row = 0; row < this.size; row++) {
      if (!this.isHeld(row)) continue;
      for (let steps = 0; steps <= this.size && !this.#moved.has(row); steps++) {
        const parent = this.parentId(row);
        const bridge = this.#rowOfId.get(parent) === NO_ID ? dropped.get(parent) : NO_ID;
        if (bridge === NO_ID) break;
        this.#bridge(row, bridge);
      }
    }
  }

  /** Whether the loader leaves the row out because of its content. */
  #isDropped(flags: number): boolean {
    const kind = kindOf(flags);
    if (kind !== RowKind.user && kind !== RowKind.assistant) return false;
    if (!hasFlag(flags, RowFlag.usable)) return this.rules.dropsUnusableMessages;
    const isBlankText = isTextReply(flags) && !hasFlag(flags, RowFlag.hasText);
    return isBlankText && this.rules.dropsBlankTextReplies;
  }

  /** If two rows have the same uuid, or both have none, the later one takes the place of the earlier. */
  #hold(row: number): void {
    const uuid = this.index.rows.uuid(row);
    const earlier = uuid === NO_ID ? this.#nameless : this.#rowOfId.get(uuid);
    if (earlier !== NO_ID) {
      this.#hasDuplicates ||= uuid !== NO_ID;
      this.#held.delete(earlier);
      this.#places.set(row, this.placeOf(earlier));
    }
    if (uuid === NO_ID) this.#nameless = row;
    else this.#rowOfId.set(uuid, row);
    this.#held.add(row);
  }

  /** The link of the skipped row was itself bridged when that row was read. */
  #bridge(row: number, passedOver: number): void {
    const { rows } = this.index;
    this.#bridged ??= parentIds(rows);
    this.#bridged[row] = this.parentId(passedOver);
    if (rows.parentForm(passedOver) !== ParentForm.text || this.#moved.has(passedOver)) this.#moved.set(row, ROOT);
  }

  /** uuid → the last row with it, if the loader leaves out no row; otherwise null. */
  get wholeIndex(): { readonly lastRow: RowIndex; readonly hasDuplicates: boolean } | null {
    return this.#holdsAll ? { lastRow: this.#rowOfId, hasDuplicates: this.#hasDuplicates } : null;
  }

  get size(): number {
    return this.index.rows.count;
  }

  isHeld(row: number): boolean {
    return this.#held.has(row);
  }

  /** The row's place in the loader's order: file order, except for rows that replaced another. */
  placeOf(row: number): number {
    return this.#places.size === 0 ? row : (this.#places.get(row) ?? row);
  }

  /** Whether the loader accepted the row, even if another row replaced it later. */
  wasRead(row: number): boolean {
    const flags = this.index.rows.flags(row);
    return this.#isParsed(row, flags) && kindOf(flags) !== RowKind.progress && !this.#isDropped(flags);
  }

  #isParsed(row: number, flags: number): boolean {
    if (kindOf(flags) === RowKind.other || hasFlag(flags, RowFlag.hidden)) return false;
    if (this.#dropped?.has(row) === true) return false;
    if (!this.#isLargeFile) return !hasFlag(flags, RowFlag.nulPrefixed);
    return this.rules.readsFirstValues || !hasFlag(flags, RowFlag.sharesLine);
  }

  /** Whether the client takes no notice of the row unless the links lead to it. */
  isPassedOver(row: number): boolean {
    return this.index.rows.has(row, RowFlag.fileSnapshot) && this.rules.passesOverFileSnapshots;
  }

  remove(row: number): void {
    this.#held.delete(row);
  }

  /** The held row that an id means, or `NO_ID`. */
  rowOf(id: number): number {
    const row = this.#rowOfId.get(id);
    return row !== NO_ID && this.isHeld(row) ? row : NO_ID;
  }

  /** `parent` is a row, `ROOT` or `BROKEN`. */
  setParent(row: number, parent: number): void {
    this.#moved.set(row, parent);
  }

  /** The row that the link leads to, `ROOT` or `BROKEN`. */
  parent(row: number): number {
    if (this.#moved.size > 0) {
      const moved = this.#moved.get(row);
      if (moved !== undefined) return moved;
    }
    const form = this.index.rows.parentForm(row);
    if (form === ParentForm.absent || form === ParentForm.null) return ROOT;
    const parent = this.rowOf(this.parentId(row));
    return parent === NO_ID ? BROKEN : parent;
  }

  /** The id that the link names, with skipped rows bridged. */
  parentId(row: number): number {
    return this.#bridged?.[row] ?? this.index.rows.parent(row);
  }

  /** The parent by the link as it was read, also for a row that another with its uuid replaced; `NO_ID` if there is none. */
  parentRead(row: number): number {
    return this.#moved.has(row) ? NO_ID : this.rowOf(this.parentId(row));
  }

  /** The held row with the uuid of this one: the row itself, or the one that replaced it. `NO_ID` if none is held. */
  rowNamedLike(row: number): number {
    return this.isHeld(row) ? row : this.rowOf(this.index.rows.uuid(row));
  }

  isSidechain(row: number): boolean {
    return this.index.rows.has(row, RowFlag.sidechain);
  }

  isMessage(row: number): boolean {
    const kind = this.index.rows.kind(row);
    return kind === RowKind.user || kind === RowKind.assistant;
  }
}

/** The row itself or its nearest ancestor that is a user or assistant row; `NO_ID` if there is none. */
export function nearestMessage(graph: RowGraph, from: number): number {
  let at = from;
  for (let steps = 0; at >= 0 && steps <= graph.size; steps++) {
    if (graph.isMessage(at)) return at;
    at = graph.parent(at);
  }
  return NO_ID;
}

/** The time of the row for choosing a leaf; NaN if there is none. A number is no time here, unlike in the walk. */
export function readableTime(graph: RowGraph, row: number): number {
  const { rows } = graph.index;
  return rows.has(row, RowFlag.numericTime) ? NaN : rows.timestamp(row);
}

function parentIds(rows: RowTable): Int32Array {
  const ids = new Int32Array(rows.count);
  for (let row = 0; row < ids.length; row++) ids[row] = rows.parent(row);
  return ids;
}
