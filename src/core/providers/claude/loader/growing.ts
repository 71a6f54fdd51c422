import type { LoadSummary } from '../../../../protocol/session';
import { BoundaryForm } from '../../../transcript/byteBoundary';
import { ByteFlag, type ByteRows, LARGE_FILE_BYTES, PromptForm } from '../../../transcript/byteRows';
import { NO_ID } from '../../../transcript/idTable';
import { hasFlag, isCountedOnMain, isSilent, ParentForm, RowFlag, RowKind } from '../../../transcript/rowFlags';
import { type RowTable } from '../../../transcript/rowTable';
import type { TranscriptIndex } from '../../../transcript/transcriptIndex';
import { BitSet } from '../../../util/columns';
import { nearestMessage, type RowGraph } from './graph';
import type { ReaderGrowth } from './largeFile';
import type { Resume } from './loadTranscript';
import { openCalls } from './openCalls';
import { isPaired } from './request';
import { isOfRequest, isSent } from './requestMessages';
import type { LoaderRules } from './rules';

/** Flags that an appended row must not have: each makes the client consider more than the end of the history. */
const UNUSUAL =
  RowFlag.sidechain |
  RowFlag.compactBoundary |
  RowFlag.apiError |
  RowFlag.nulPrefixed |
  RowFlag.hidden |
  RowFlag.sharesLine |
  RowFlag.forked |
  RowFlag.noResponse |
  RowFlag.virtual |
  RowFlag.hasServerCall |
  RowFlag.hasServerResult |
  RowFlag.redacted |
  RowFlag.fileSnapshot |
  RowFlag.numericTime |
  RowFlag.kindSpecific |
  RowFlag.oddMessage |
  RowFlag.oddContent;

function isUnusual(flags: number): boolean {
  return hasFlag(flags, isSilent(flags) ? UNUSUAL & ~RowFlag.kindSpecific : UNUSUAL);
}

/** What a resume would load from a transcript that has grown. */
export interface GrownResume {
  readonly summary: LoadSummary;
  readonly chainDepth: number;
  /** The rows whose content reaches the request; the same set object every time. */
  readonly kept: BitSet;
  /** The rows of the history, oldest first; the same list every time. */
  readonly history: readonly number[];
}

/**
 * Continues a simulated resume as rows are appended. A running client appends to the end of its history, row by row. Then
 * earlier results remain valid, except for which calls without a result are left out. Anything else requires the whole
 * simulation, and `grow` returns null.
 */
export class GrowingResume {
  readonly rules: LoaderRules;
  /** The leaf and its ancestors by links alone. */
  readonly #inChain: BitSet;
  /** Rows of the history, oldest first. */
  readonly #history: number[];
  readonly #called: BitSet;
  readonly #answered: BitSet;
  readonly #kept: BitSet;
  /** Rows of the history that are kept only while their calls are open. */
  #pending: number[] = [];
  /** Lines of the counted rows that never reach the request, whatever is appended. */
  readonly #missing: number[] = [];
  /** Number of counted rows that reach the request, whatever is appended. */
  #loads = 0;
  #of = 0;
  #leaf: number;
  #chainDepth: number;
  /** The newest message, and its calls, unless a prompt follows it. Only their results are certain to be sent. */
  #current = NO_ID;
  readonly #currentCalls = new Set<number>();
  /** The message whose id occurred for the first time last. */
  #newestMessage = NO_ID;
  /** Whether all rows of the leaf's message are in the chain, and nothing was added behind them. */
  #isLeafAlone: boolean;
  /** Whether the file is read by the reader for large files. */
  readonly #isLarge: boolean;
  /** Null unless that reader drops rows. */
  readonly #reader: GrowingReader | null;
  #rowCount: number;
  #uuidCount: number;
  #keyCount: number;
  #lastPrompt: TranscriptIndex['lastPrompt'];

  private constructor(index: TranscriptIndex, resume: Resume, reader: GrowingReader | null) {
    const { rows } = index;
    this.rules = resume.graph.rules;
    this.#inChain = new BitSet(rows.count);
    for (const row of resume.walk.chain.subarray(-resume.chainDepth)) this.#inChain.add(row);
    this.#history = Array.from(resume.history);
    this.#called = resume.request.called.copy();
    this.#answered = resume.request.answered.copy();
    this.#kept = resume.request.kept.copy();
    this.#leaf = resume.leaf;
    this.#isLeafAlone = this.#history.at(-1) === resume.leaf;
    this.#chainDepth = resume.chainDepth;
    this.#rowCount = rows.count;
    this.#uuidCount = index.ids.uuidCount;
    this.#keyCount = index.keyCount;
    this.#lastPrompt = index.lastPrompt;
    this.#isLarge = isLarge(index);
    this.#reader = reader;
    const pending = new BitSet(rows.count);
    for (const row of resume.history) {
      if (!isSent(rows, row) || isPaired(rows, row, this.#called, this.#answered)) continue;
      if (!rows.has(row, RowFlag.hasToolUse)) continue;
      pending.add(row);
      this.#pending.push(row);
    }
    this.#noteHistory(rows);
    const leafMessage = rows.message(resume.leaf);
    for (let row = 0; row < rows.count; row++) {
      if (leafMessage !== NO_ID && rows.message(row) === leafMessage && !this.#inChain.has(row))
        this.#isLeafAlone = false;
      if (!isCountedOnMain(rows.flags(row))) continue;
      this.#of++;
      if (pending.has(row)) continue;
      if (resume.request.kept.has(row)) this.#loads++;
      else this.#missing.push(rows.line(row));
    }
  }

  /** Null if the resume does not start from the last non-sidechain row, because then any appended row may change anything. */
  static from(index: TranscriptIndex, resume: Resume): GrowingResume | null {
    const { rows } = index;
    const { graph, leaf } = resume;
    if (nearestMessage(graph, leaf) === NO_ID || rows.uuid(leaf) === NO_ID || graph.lastPrompt?.isExplicit === true) {
      return null;
    }
    for (let row = 0; row < rows.count; row++) {
      if (rows.has(row, RowFlag.noResponse | RowFlag.virtual | RowFlag.hasServerCall | RowFlag.redacted)) return null;
      if (row !== leaf && rows.uuid(row) === rows.uuid(leaf)) return null;
      if (row > leaf && graph.isHeld(row) && !graph.isSidechain(row)) return null;
    }
    // What separates a result from its call may be left out again.
    if (!resume.request.isOrderly || !mayFollow(graph, leaf)) return null;
    const reader = GrowingReader.from(resume);
    if (reader === 'unsteady') return null;
    const growing = new GrowingResume(index, resume, reader);
    const mayBeLeftOut = (row: number): boolean => growing.#kept.has(row) && !growing.#isCurrent(rows, row);
    return growing.#pending.some(mayBeLeftOut) ? null : growing;
  }

  /**
   * What a resume loads from `index`, which holds the previous facts and those appended since. Null if only a whole
   * simulation can tell; this object is then invalid.
   */
  grow(index: TranscriptIndex): GrownResume | null {
    const { rows } = index;
    if (isLarge(index) !== this.#isLarge || !this.#knowsLeafOf(index)) return null;
    if (this.#reader?.continues(index, this.#rowCount) === false) return null;
    this.#inChain.extend(rows.count);
    this.#kept.extend(rows.count);
    this.#called.extend(index.keyCount);
    this.#answered.extend(index.keyCount);
    for (let row = this.#rowCount; row < rows.count; row++) {
      if (!this.#continues(rows, row)) return null;
      this.#append(rows, row);
    }
    this.#rowCount = rows.count;
    this.#uuidCount = index.ids.uuidCount;
    this.#keyCount = index.keyCount;
    this.#lastPrompt = index.lastPrompt;
    const summary = this.#summarise(index);
    return summary === null
      ? null
      : { summary, chainDepth: this.#chainDepth, kept: this.#kept, history: this.#history };
  }

  /** Whether a newer `last-prompt` names a message of the chain, so that the leaf descends from it. */
  #knowsLeafOf({ lastPrompt, ids, rows }: TranscriptIndex): boolean {
    if (lastPrompt === null || lastPrompt.line === this.#lastPrompt?.line) return true;
    if (lastPrompt.isExplicit || lastPrompt.leaf === NO_ID || lastPrompt.rowsBefore > rows.count) return false;
    return lastPrompt.leaf < ids.uuidCount && this.#namesMessageOfChain(rows, lastPrompt.leaf, lastPrompt.rowsBefore);
  }

  /** The search is short, because a row is named soon after it was written. */
  #namesMessageOfChain(rows: RowTable, id: number, before: number): boolean {
    for (let row = before - 1; row >= 0; row--) {
      if (rows.uuid(row) !== id) continue;
      const kind = rows.kind(row);
      const isMessage = kind === RowKind.user || kind === RowKind.assistant;
      return isMessage && (row >= this.#rowCount || this.#inChain.has(row));
    }
    return false;
  }

  /** Whether the row continues the leaf and refers to nothing earlier except calls that wait for a result. */
  #continues(rows: RowTable, row: number): boolean {
    const flags = rows.flags(row);
    const kind = rows.kind(row);
    if (isUnusual(flags) || kind === RowKind.progress || kind === RowKind.other) return false;
    if (Number.isNaN(rows.timestamp(row))) return false;
    if ((kind === RowKind.user || kind === RowKind.assistant) && (flags & RowFlag.usable) === 0) return false;
    const isFresh = rows.uuid(row) >= this.#uuidCount && rows.uuid(row) > rows.uuid(this.#leaf);
    if (!isFresh || rows.parentForm(row) !== ParentForm.text || rows.parent(row) !== rows.uuid(this.#leaf))
      return false;
    const message = rows.message(row);
    const isSameMessage = message === rows.message(this.#leaf) && this.#isLeafAlone;
    if (message !== NO_ID && message < this.#keyCount && !isSameMessage) return false;
    const isFreshCall = (call: number): boolean => call >= this.#keyCount && !this.#called.has(call);
    const isOpenCall = (call: number): boolean => this.#currentCalls.has(call) && !this.#answered.has(call);
    return rows.toolUses(row).every(isFreshCall) && rows.toolResults(row).every(isOpenCall);
  }

  #append(rows: RowTable, row: number): void {
    if (rows.message(row) !== rows.message(this.#leaf)) this.#isLeafAlone = true;
    this.#inChain.add(row);
    this.#history.push(row);
    this.#leaf = row;
    this.#chainDepth++;
    if (isCountedOnMain(rows.flags(row))) this.#of++;
    if (!isSent(rows, row)) return;
    rows.addToolUses(row, this.#called);
    rows.addToolResults(row, this.#answered);
    this.#noteMessage(rows, row);
    this.#pending.push(row);
  }

  #noteHistory(rows: RowTable): void {
    const seen = new BitSet(this.#keyCount);
    for (const row of this.#history) {
      if (!isOfRequest(rows, row)) continue;
      this.#noteMessage(rows, row);
      // The result of a call that occurs twice belongs to the first of them.
      for (const call of rows.toolUses(row)) if (seen.has(call)) this.#currentCalls.delete(call);
      rows.addToolUses(row, seen);
    }
  }

  /** The client adds a row to an earlier message of its id; messages between them would then separate it from its results. */
  #noteMessage(rows: RowTable, row: number): void {
    const message = rows.message(row);
    const results = rows.toolResults(row);
    const isResult = results.length > 0 && results.every((call) => this.#currentCalls.has(call));
    const isContinued = rows.kind(row) === RowKind.user ? isResult : message !== NO_ID && message === this.#current;
    const isEarlier = !isContinued && message !== NO_ID && message <= this.#newestMessage;
    if (!isContinued) {
      this.#current = isEarlier ? NO_ID : message;
      this.#currentCalls.clear();
    }
    this.#newestMessage = Math.max(this.#newestMessage, message);
    if (isEarlier) return;
    for (const call of rows.toolUses(row)) this.#currentCalls.add(call);
  }

  /**
   * Whether all calls of the row belong to the newest message. Those of an earlier message, while they are sent, may separate a
   * result from its call.
   */
  #isCurrent(rows: RowTable, row: number): boolean {
    return rows.toolUses(row).every((call) => this.#currentCalls.has(call));
  }

  /** Null if open calls of an earlier message are sent again. */
  #summarise(index: TranscriptIndex): LoadSummary | null {
    const { rows } = index;
    const open = openCalls(rows, this.#history, this.#answered, this.rules);
    const stillPending: number[] = [];
    const missingNow: number[] = [];
    let loadsNow = 0;
    for (const row of this.#pending) {
      if (isPaired(rows, row, this.#called, this.#answered)) {
        this.#kept.add(row);
        if (isCountedOnMain(rows.flags(row))) this.#loads++;
        continue;
      }
      stillPending.push(row);
      const isOpen = rows.toolUses(row).some((call) => open.has(call));
      if (isOpen && !this.#isCurrent(rows, row)) return null;
      if (isOpen) this.#kept.add(row);
      else this.#kept.delete(row);
      if (!isCountedOnMain(rows.flags(row))) continue;
      if (isOpen) loadsNow++;
      else missingNow.push(rows.line(row));
    }
    this.#pending = stillPending;
    // The order of a history differs from file order.
    missingNow.sort((a, b) => a - b);
    const missingLines = [...this.#missing, ...missingNow];
    if ((missingNow[0] ?? Infinity) < (this.#missing.at(-1) ?? 0)) missingLines.sort((a, b) => a - b);
    const leafUuid = index.ids.text(rows.uuid(this.#leaf));
    return { loads: this.#loads + loadsNow, of: this.#of, leafUuid, missingLines };
  }
}

/**
 * Tells whether the reader for large files treats all earlier rows as before when rows are appended. It does while each of them
 * continues the last one, and the newest `last-prompt` names a row of the chain that ends with them.
 */
class GrowingReader {
  /** Ids of the chain; null if it does not matter what is named. */
  readonly #chain: BitSet | null;
  /** Id of the last row. */
  #leaf: number;
  #count: number;
  #uuidCount: number;

  private constructor(byteRows: ByteRows, leaf: number, { chain }: ReaderGrowth) {
    this.#leaf = byteRows.uuid(leaf);
    this.#count = byteRows.count;
    this.#uuidCount = byteRows.ids.uuidCount;
    this.#chain = chain === null ? null : new BitSet(this.#uuidCount);
    for (const row of chain ?? []) if (byteRows.uuid(row) >= 0) this.#chain?.add(byteRows.uuid(row));
  }

  /** Null if no such reader drops rows; `unsteady` if any appended row may change what it drops. */
  static from({ graph, leaf }: Resume): GrowingReader | 'unsteady' | null {
    const { index, readerGrowth } = graph;
    const { byteRows, rows } = index;
    if (byteRows === null || !isLarge(index)) return null;
    const row = byteRows.linkedAt(rows.line(leaf));
    if (readerGrowth === null || row === NO_ID || byteRows.uuid(row) < 0) return 'unsteady';
    const { chain } = readerGrowth;
    return chain === null || chain[0] === row ? new GrowingReader(byteRows, row, readerGrowth) : 'unsteady';
  }

  /** `firstRow`: the first row of the index that was appended. */
  continues({ byteRows, rows }: TranscriptIndex, firstRow: number): boolean {
    if (byteRows === null) return false;
    let row = firstRow;
    this.#chain?.extend(byteRows.ids.uuidCount);
    for (let at = this.#count; at < byteRows.count; at++) {
      const isLinked = byteRows.has(at, ByteFlag.linked);
      if (byteRows.boundaryForm(at) !== BoundaryForm.none) return false;
      if (byteRows.promptForm(at) !== PromptForm.none && !this.#namesChain(byteRows, at)) return false;
      if (!isLinked) continue;
      if (row >= rows.count || rows.line(row++) !== byteRows.lineOf(at) || !this.#follows(byteRows, at)) return false;
      this.#leaf = byteRows.uuid(at);
      this.#chain?.add(this.#leaf);
    }
    this.#count = byteRows.count;
    this.#uuidCount = byteRows.ids.uuidCount;
    return row === rows.count;
  }

  #namesChain(byteRows: ByteRows, at: number): boolean {
    if (byteRows.promptForm(at) === PromptForm.dropped) return false;
    if (byteRows.has(at, ByteFlag.explicit | ByteFlag.sharesLine)) return false;
    if (!byteRows.has(at, ByteFlag.namesLeaf) || this.#chain === null) return true;
    return byteRows.named(at) >= 0 && this.#chain.has(byteRows.named(at));
  }

  #follows(byteRows: ByteRows, at: number): boolean {
    if (byteRows.has(at, ByteFlag.sidechain | ByteFlag.startsSidechain) || byteRows.named(at) !== this.#leaf)
      return false;
    return byteRows.uuid(at) >= this.#uuidCount && byteRows.uuid(at) > this.#leaf;
  }
}

/** Whether compactions leave the row's children where they are. */
function mayFollow(graph: RowGraph, leaf: number): boolean {
  const uuid = graph.index.rows.uuid(leaf);
  return graph.index.boundaries.every(({ row, preserved }) => {
    const isAnchor = preserved.kind !== 'none' && preserved.anchor === uuid;
    return !isAnchor && graph.placeOf(leaf) > graph.placeOf(row);
  });
}

function isLarge(index: TranscriptIndex): boolean {
  return index.fileSize > LARGE_FILE_BYTES;
}
