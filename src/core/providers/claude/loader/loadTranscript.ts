import type { LoadSummary } from '../../../../protocol/session';
import { LARGE_FILE_BYTES } from '../../../transcript/byteRows';
import { NO_ID } from '../../../transcript/idTable';
import { isCountedOnMain, isTextReply, RowFlag, RowKind } from '../../../transcript/rowFlags';
import type { StraightHistory, TranscriptIndex } from '../../../transcript/transcriptIndex';
import type { BitSet } from '../../../util/columns';
import { ChainView } from './chainView';
import type { LoadedHistory } from './fullContext';
import { nearestMessage, RowGraph } from './graph';
import { chooseLeaf } from './leaf';
import { recoverParallelCalls } from './parallelCalls';
import { type Request, requestRows } from './request';
import type { LoaderRules } from './rules';
import { applyCompaction, type Walk, walkChain } from './walk';

/**
 * What the client described by `rules` loads from a transcript: bytes → facts → loaded. Diagnosis, repair and the views of
 * a conversation use it. For a linear transcript, the steps are computed only on first use.
 */
export class LoadedTranscript implements LoadedHistory {
  readonly summary: LoadSummary;
  /** Number of rows from the leaf to the root or the break, through parent links alone. */
  readonly chainDepth: number;
  readonly #straight: StraightHistory | null;
  #resume: Resume | null = null;
  #history: Int32Array | null = null;
  #view: ChainView | null = null;

  constructor(
    readonly index: TranscriptIndex,
    readonly rules: LoaderRules,
  ) {
    // The proof takes for granted that rows beside the chain are recovered. (wasm/assembly/straight.ts)
    const isProven = rules.recoversParallelCalls && (keepsLargeStraight(rules) || index.fileSize <= LARGE_FILE_BYTES);
    const straight = isProven ? index.straight : null;
    this.#straight = straight;
    this.summary = straight === null ? this.resume.summary : straightSummary(index, straight);
    this.chainDepth = straight === null ? this.resume.chainDepth : straight.depth;
  }

  get resume(): Resume {
    this.#resume ??= simulateResume(this.index, this.rules);
    return this.#resume;
  }

  /** Of a straight transcript in file order. */
  get history(): Int32Array {
    if (this.#straight === null) return this.resume.history;
    this.#history ??= straightRows(this.index, this.#straight);
    return this.#history;
  }

  /** Of a straight transcript, all rows of the history reach the request. */
  isKept(row: number): boolean {
    if (this.#straight === null) return this.resume.request.kept.has(row);
    return row >= this.#straight.root && isOfStraight(this.index, row);
  }

  /** The chain as a person would count it. */
  get view(): ChainView {
    this.#view ??= new ChainView(this.resume.graph);
    return this.#view;
  }
}

/** Whether a straight transcript loads a row from the root on. */
function isOfStraight({ rows }: TranscriptIndex, row: number): boolean {
  return rows.kind(row) !== RowKind.progress;
}

function straightRows(index: TranscriptIndex, { root, leaf }: StraightHistory): Int32Array {
  const found = new Int32Array(leaf + 1 - root);
  let count = 0;
  for (let row = root; row <= leaf; row++) if (isOfStraight(index, row)) found[count++] = row;
  return found.subarray(0, count);
}

/**
 * Whether the reader for large files drops nothing of a straight transcript. Old ones drop results beside the chain, and all rows
 * above an odd link.
 */
export function keepsLargeStraight({ keepsSideRows, breaksAtOddLinks }: LoaderRules): boolean {
  return keepsSideRows && breaksAtOddLinks;
}

/** What the client loads when it resumes a transcript, step by step. */
export interface Resume extends History {
  readonly summary: LoadSummary;
  readonly graph: RowGraph;
  /** The row that the walk starts from, or `NO_ID`. */
  readonly leaf: number;
  /** Nothing loads, because the client would start from a message of a subagent. */
  readonly startsAtSubagent: boolean;
  readonly request: Request;
  /** Number of rows from the leaf to the root or the break, through parent links alone. */
  readonly chainDepth: number;
}

/** What the client loads with one row as the leaf. */
export interface History {
  readonly walk: Walk;
  /** The chain with the rows that parallel calls add to it, oldest first. */
  readonly history: Int32Array;
}

/**
 * Computes what the client puts into its next request when it resumes the transcript.
 *
 * @param links for some rows, the row to use as the parent in place of the one in the file, or `ROOT`
 */
export function simulateResume(
  index: TranscriptIndex,
  rules: LoaderRules,
  links?: ReadonlyMap<number, number>,
): Resume {
  const graph = new RowGraph(index, rules, links === undefined ? {} : { links });
  const hasKeptRows = applyCompaction(graph);
  const chosen = chooseLeaf(graph, hasKeptRows);
  const found = historyFromLeaf(graph, chosen.row);
  const leaf = findUnreadable(graph, found.history) === null ? found.leaf : NO_ID;
  const { walk, history } = leaf === NO_ID ? historyFrom(graph, NO_ID) : sentHistory(graph, found);
  const request = requestRows(index, history, rules);
  const summary = summarise(index, leaf, request.kept);
  const startsAtSubagent = chosen.isOfSubagent;
  return { summary, graph, leaf, startsAtSubagent, walk, history, request, chainDepth: depthOf(walk) };
}

/**
 * The history from the chosen leaf. If links lead from the message above it back to it, or to a row between them, the client starts
 * from that message. (docs/format.md, "Leaf")
 */
function historyFromLeaf(graph: RowGraph, chosen: number): History & { readonly leaf: number } {
  const found = { leaf: chosen, ...historyFrom(graph, chosen) };
  const { chain, brokenAt, healed } = found.walk;
  // A walk that ends at a root has met no row twice.
  if (chosen === NO_ID || graph.isMessage(chosen) || (brokenAt === null && healed.length === 0)) return found;
  const message = nearestMessage(graph, chosen);
  const fromMessage = historyFrom(graph, message);
  const between = new Set(chain.subarray(chain.lastIndexOf(message) + 1));
  return fromMessage.walk.chain.some((row) => between.has(row)) ? { leaf: message, ...fromMessage } : found;
}

/** The history that ends with a row of a graph. The caller decides whether to apply the compaction to the graph first. */
export function historyFrom(graph: RowGraph, leaf: number): History {
  const walk = walkChain(graph, leaf);
  return { walk, history: recoverParallelCalls(graph, walk.chain) };
}

/**
 * What is sent of a history: the part from its last compaction on. The links may lead on above it. (docs/format.md, "Compaction")
 */
export function sinceCompaction({ rows, boundaries }: TranscriptIndex, found: History): History {
  const { walk, history } = found;
  const isBoundary = (row: number): boolean => rows.has(row, RowFlag.compactBoundary);
  const from = boundaries.length === 0 ? -1 : walk.chain.findLastIndex(isBoundary);
  if (from < 0) return found;
  const chain = walk.chain.subarray(from);
  const below = new Set(chain.subarray(1));
  const brokenAt = walk.brokenAt !== null && below.has(walk.brokenAt) ? walk.brokenAt : null;
  return {
    walk: { chain, healed: walk.healed.filter((row) => below.has(row)), brokenAt },
    history: history.subarray(history.findLastIndex(isBoundary)),
  };
}

/** Nothing is sent of a history that ends above a boundary. (docs/format.md, "Compaction") */
function sentHistory(graph: RowGraph, found: History & { readonly leaf: number }): History {
  const sent = sinceCompaction(graph.index, found);
  return sent === found && hasCompactionBelow(graph, found.leaf) ? historyFrom(graph, NO_ID) : sent;
}

/**
 * Whether a boundary is below the last message of a history, with no message between them. The client adds what is below it, and then
 * sends nothing from before the boundary. (docs/format.md, "Compaction")
 */
function hasCompactionBelow(graph: RowGraph, leaf: number): boolean {
  const last = nearestMessage(graph, leaf);
  return graph.index.boundaries.some(({ row }) => graph.isHeld(row) && nearestMessage(graph, row) === last);
}

/** A row because of which an old client resumes nothing, and the rule that newer ones have instead. */
export interface BlockingRow {
  readonly row: number;
  readonly rule: 'choosesTipsWithoutTime' | 'failsOnTextReplies' | 'failsOnOddMessages';
}

/**
 * The first message that the client does not get through: old ones give up on some, and load nothing. Null if there is none.
 * (docs/format.md, "Parents")
 */
export function findUnreadable(graph: RowGraph, history: Int32Array): BlockingRow | null {
  const { rows } = graph.index;
  const { failsOnTextReplies, failsOnOddMessages } = graph.rules;
  const reply = failsOnTextReplies ? history.find((row) => isTextReply(rows.flags(row))) : undefined;
  if (reply !== undefined) return { row: reply, rule: 'failsOnTextReplies' };
  if (!failsOnOddMessages) return null;
  for (let row = 0; row < graph.size; row++) {
    if (graph.isHeld(row) && rows.has(row, RowFlag.oddMessage)) return { row, rule: 'failsOnOddMessages' };
  }
  const odd = history.find((row) => rows.has(row, RowFlag.oddContent));
  return odd === undefined ? null : { row: odd, rule: 'failsOnOddMessages' };
}

/** Everything from the root on is loaded, and nothing before it. */
function straightSummary(index: TranscriptIndex, { root, leaf }: StraightHistory): LoadSummary {
  const { rows } = index;
  const missing: number[] = [];
  for (let row = 0; row < root; row++) if (isCountedOnMain(rows.flags(row))) missing.push(rows.line(row));
  return summaryOf(index, leaf, missing);
}

function summarise(index: TranscriptIndex, leaf: number, kept: BitSet): LoadSummary {
  const { rows } = index;
  const missing: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    if (!kept.has(row) && isCountedOnMain(rows.flags(row))) missing.push(rows.line(row));
  }
  return summaryOf(index, leaf, missing);
}

function summaryOf({ ids, rows }: TranscriptIndex, leaf: number, missingLines: number[]): LoadSummary {
  const of = rows.countedOnMain;
  const leafUuid = leaf === NO_ID ? null : ids.text(rows.uuid(leaf));
  return { loads: of - missingLines.length, of, leafUuid, missingLines };
}

/** How many rows with content a resume loads: those that count, and those that share or span lines, which do not. */
export function loadedRows({ rows, lineFaults }: TranscriptIndex, { summary, request }: Resume): number {
  if (lineFaults.count('spread') === 0) return summary.loads;
  let { loads } = summary;
  for (let row = 0; row < rows.count; row++) {
    if (rows.has(row, RowFlag.counted | RowFlag.sidechain) || !rows.holdsContent(row)) continue;
    if (request.kept.has(row)) loads++;
  }
  return loads;
}

function depthOf(walk: Walk): number {
  const newestBreak = walk.healed[0];
  if (newestBreak === undefined) return walk.chain.length;
  return walk.chain.length - walk.chain.indexOf(newestBreak);
}

/** Whether Claude remembers the summary of a compaction in place of what was before it. */
export function remembersSummary({ index: { rows }, resume: { graph, history, request } }: LoadedTranscript): boolean {
  const boundary = history.findLastIndex((row) => rows.has(row, RowFlag.compactBoundary));
  if (boundary < 0) return false;
  const summary = history.subarray(boundary + 1).find((row) => graph.isMessage(row));
  return summary !== undefined && request.kept.has(summary);
}
