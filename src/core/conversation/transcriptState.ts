import type { ConversationView, ForgottenAs } from '../../protocol/conversation';
import type { ScannedSession } from '../../protocol/session';
import { DIAGNOSTICS, LiveVerdict, liveVerdictBy } from '../diagnose/growingSession';
import type { Diagnostics } from '../diagnose/verdict';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import type { SharedView } from '../transcript/liveTranscript';
import { RowSource } from '../transcript/rowSource';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import { RetainedRows, rowAtLine, TranscriptRows } from '../transcript/transcriptRows';
import { isJsonObject, type JsonObject, objectField, stringField } from '../util/json';
import { pathPrefixOf, plainText } from './items/itemText';
import { findMemoryEdges, forgottenAs, losesMessagesOf, type MemoryEdges } from './memory';
import { conversationOrder, type ConversationOrder, type GrowingOrder } from './order/conversationOrder';
import { findSidechains, hasSidechains, type Sidechain } from './order/sidechains';
import { TurnOrder } from './order/turnOrder';

/** Maximum number of views of one transcript whose order is cached, at some bytes per row. */
const MAX_ORDERS = 6;

const BRANCH = 'branch ';
const CHAIN: ConversationView = { kind: 'chain' };

/** The parts that a state takes over from the previous one. */
interface CarriedOver {
  readonly orders: Map<string, GrowingOrder>;
  readonly sidechains: SidechainLinks | null;
  readonly edges: MemoryEdges | null;
  readonly turns: WeakMap<ConversationOrder, TurnOrder>;
}

/** The state of a transcript at one time. It becomes invalid with its index, at the next reading of the file. */
export class TranscriptState {
  readonly #verdict: LiveVerdict;
  readonly #orders: Map<string, GrowingOrder>;
  readonly #rowCount: number;
  readonly #oddLines: number;
  #sidechains: SidechainLinks | null;
  #edges: MemoryEdges | null;
  readonly #turns: WeakMap<ConversationOrder, TurnOrder>;

  constructor(
    readonly revision: number,
    readonly filePath: string,
    readonly index: TranscriptIndex,
    verdict = new LiveVerdict(filePath, index, DIAGNOSTICS),
    { orders, sidechains, edges, turns }: CarriedOver = {
      ...{ orders: new Map(), sidechains: null, edges: null, turns: new WeakMap() },
    },
  ) {
    this.#rowCount = index.rows.count;
    this.#oddLines = countOddLines(index);
    this.#verdict = verdict;
    this.#orders = orders;
    this.#sidechains = sidechains;
    this.#edges = edges;
    this.#turns = turns;
  }

  get session(): ScannedSession {
    return this.#verdict.session;
  }

  /** States with the same origin differ only in rows that continue the history. */
  get origin(): object {
    return this.#verdict.origin;
  }

  get loaded(): LoadedTranscript {
    return this.#verdict.loaded;
  }

  /** The subagents whose rows are in the transcript. */
  get sidechains(): SidechainLinks {
    this.#sidechains ??= hasSidechains(this.index) ? linkSidechains(this.loaded, this.filePath) : NO_SIDECHAINS;
    return this.#sidechains;
  }

  /**
   * Must be called while the index is valid, before appended rows are read. Takes some milliseconds for 100,000 rows,
   * once.
   */
  prepareToGrow(): void {
    this.#verdict.prepareToGrow();
  }

  /**
   * The state including the appended rows; null if the transcript must be loaded as a whole, or if `prepareToGrow` was
   * not called. This state is invalid afterwards.
   * @param verdict the verdict on the transcript with the appended rows
   */
  grow(revision: number, index: TranscriptIndex, verdict = this.#verdict.grow(index)): TranscriptState | null {
    if (verdict?.origin !== this.#verdict.origin) return null;
    // Such lines are also items of a view, but only rows can be appended to an order.
    if (countOddLines(index) !== this.#oddLines) return null;
    const orders = new Map<string, GrowingOrder>();
    for (const [key, order] of this.#orders) {
      // For the view of a branch, rows appended to the chain are another branch.
      if (key.startsWith(BRANCH)) continue;
      if (order.append(index.rows, this.#rowCount, index.keyCount)) orders.set(key, order);
    }
    return new TranscriptState(revision, this.filePath, index, verdict, {
      orders,
      sidechains: this.#sidechains,
      edges: orders.has(CHAIN.kind) ? this.#edges : null,
      turns: this.#turns,
    });
  }

  order(view: ConversationView): ConversationOrder {
    const key = view.kind === 'branch' ? BRANCH + String(view.leafLine) : view.kind;
    const order = this.#orders.get(key) ?? conversationOrder(this.loaded, view, this.sidechains.loose);
    this.#orders.delete(key);
    this.#orders.set(key, order);
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > MAX_ORDERS && oldest !== undefined) this.#orders.delete(oldest);
    return order;
  }

  /** The items of the view in turns. The view of the file shows each of its rows as an item. */
  turns(view: ConversationView): TurnOrder {
    const order = this.order(view);
    const turns = this.#turns.get(order) ?? new TurnOrder(order, view.kind !== 'file');
    this.#turns.set(order, turns);
    turns.extend(this.index.rows);
    return turns;
  }

  /** Whether the row is loaded on resume. Null for rows that are never part of a request. */
  isLoaded(row: number): boolean | null {
    const { rows } = this.index;
    const kind = rows.kind(row);
    const isMain = !rows.has(row, RowFlag.sidechain);
    if (isMain && rows.has(row, RowFlag.counted)) return this.#verdict.kept.has(row);
    // It is not counted, because the client does not recognise it as a row.
    const isMessage = kind === RowKind.user || kind === RowKind.assistant;
    return isMain && isMessage && rows.has(row, RowFlag.hidden) ? false : null;
  }

  /** Whether Claude loads the row, whatever it is. */
  isKept(row: number): boolean {
    return this.#verdict.kept.has(row);
  }

  /** Whether Claude does not remember all of the thread that it goes on from, without a summary of the rest. */
  get losesMessages(): boolean {
    const { status, resume } = this.session.result;
    if (this.edges.hasSummary) return false;
    // Of a broken session, it is not known whether what is missing belongs to that thread.
    if (status !== 'healthy') return true;
    return losesMessagesOf(this.order(CHAIN), this.edges, this.index, resume.missingLines, (row) => this.isKept(row));
  }

  /** Where the memory of Claude begins in the chain. */
  get edges(): MemoryEdges {
    this.#edges ??= findMemoryEdges(this.order(CHAIN), this.index.boundaries, (row) => this.isLoaded(row));
    return this.#edges;
  }

  /** Why Claude does not have the row in its memory; null if it has, and if the row does not matter to it. */
  forgottenAs(row: number): ForgottenAs | null {
    if (this.index.rows.has(row, RowFlag.sidechain)) return null;
    return forgottenAs(row, this.order(CHAIN), this.edges, (each) => this.isLoaded(each));
  }

  /** The prefix of the paths of the row's values. */
  pathPrefix(row: number): string {
    const { rows } = this.index;
    return pathPrefixOf(row - rowAtLine(rows, rows.line(row)));
  }
}

/** For one client; shared by the panel and the tasks. */
export function transcriptStateBy(diagnostics: Diagnostics): SharedView<TranscriptState> {
  const verdict = liveVerdictBy(diagnostics);
  return {
    name: `state by ${verdict.name}`,
    create: ({ revision, index }, transcript) => {
      const { filePath } = transcript;
      const given = transcript.get(verdict) ?? new LiveVerdict(filePath, index, diagnostics);
      return new TranscriptState(revision, filePath, index, given);
    },
    grow: (state, { revision, index }, transcript) => state.grow(revision, index, transcript.get(verdict)),
    prepareToGrow: (state) => {
      state.prepareToGrow();
    },
  };
}

/** Faulty lines, and rows of unknown types. */
function countOddLines({ lineFaults, longLines, unknownTypes }: TranscriptIndex): number {
  let count = longLines.filter(({ isKnown }) => !isKnown).length;
  for (const kind of ['torn', 'glued', 'nul', 'bom'] as const) count += lineFaults.count(kind);
  for (const unknown of unknownTypes.values()) count += unknown.count;
  return count;
}

/** Maximum number of subagents per transcript; each costs some row reads. */
const MAX_SIDECHAINS = 1_000;

/** Subagents whose rows are in the transcript of their session, by the id of the call that started them. */
interface SidechainLinks {
  /** Line of the subagent's last row, by the id of the call. */
  readonly leafLines: ReadonlyMap<string, number>;
  /** Rows of subagents whose calls are unknown, in file order. */
  readonly loose: Int32Array;
}

const NO_SIDECHAINS: SidechainLinks = { leafLines: new Map(), loose: new Int32Array(0) };

/**
 * Finds the calls of subagents. A subagent's first row contains the prompt of its call, which identifies the call among
 * those without a result at that time. If several calls have the same prompt, they are assigned in order. Reads some
 * rows. Never throws.
 */
function linkSidechains(loaded: LoadedTranscript, filePath: string): SidechainLinks {
  const { index, view } = loaded;
  const sidechains = findSidechains(index, view);
  const leafLines = new Map<string, number>();
  const loose: number[] = [];
  const source = openSource(filePath, index.fileSize);
  try {
    const rows = source === null ? null : new TranscriptRows(index.rows, source, new RetainedRows());
    for (const [at, sidechain] of sidechains.entries()) {
      const call = rows === null || at >= MAX_SIDECHAINS ? null : callOf(sidechain, rows, leafLines);
      if (call === null) loose.push(...sidechain.rows);
      else leafLines.set(call, index.rows.line(sidechain.rows.at(-1) ?? 0));
    }
  } finally {
    source?.close();
  }
  return { leafLines, loose: Int32Array.from(loose).sort() };
}

function openSource(filePath: string, fileSize: number): RowSource | null {
  try {
    return RowSource.open(filePath, fileSize);
  } catch {
    return null;
  }
}

/** Id of the call that started the subagent; null if there is no unassigned one. */
function callOf(sidechain: Sidechain, rows: TranscriptRows, taken: ReadonlyMap<string, number>): string | null {
  const told = promptOf(read(rows, sidechain.rows[0] ?? 0));
  if (told === null) return null;
  for (const caller of sidechain.callers) {
    const content = objectField(read(rows, caller) ?? {}, 'message')?.['content'];
    if (!Array.isArray(content)) continue;
    for (const block of content as readonly unknown[]) {
      const id = isJsonObject(block) ? stringField(block, 'id') : null;
      if (!isJsonObject(block) || id === null || taken.has(id)) continue;
      if (stringField(objectField(block, 'input') ?? {}, 'prompt') === told) return id;
    }
  }
  return null;
}

function promptOf(row: JsonObject | null): string | null {
  return row?.['type'] === 'user' ? plainText(objectField(row, 'message')?.['content']) : null;
}

/** Null also if the disk fails; the next reading of the file reports the reason. */
function read(rows: TranscriptRows, row: number): JsonObject | null {
  try {
    return rows.object(row);
  } catch {
    return null;
  }
}
