import { NO_ID } from '../../../transcript/idTable';
import { RowFlag, RowKind } from '../../../transcript/rowFlags';
import type { RowTable } from '../../../transcript/rowTable';
import { BitSet } from '../../../util/columns';
import type { RowGraph } from './graph';

/** What the client adds to a chain. */
export interface Additions {
  readonly added: readonly AddedRow[];
  /** Notes that continue a note of the chain; they are directly behind it. */
  readonly behindNotes: ReadonlyMap<number, readonly number[]>;
}

const NOTHING: Additions = { added: [], behindNotes: new Map() };

/** A row that is added to a chain. */
export interface AddedRow {
  readonly row: number;
  /** The message of the chain to which it belongs. */
  readonly message: number;
  /** Where it belongs in the loader's order. */
  readonly place: number;
}

/** The rows beside a chain that may belong to a message of it. */
interface Candidates {
  readonly siblings: number[];
  /** Results whose parent is a row of the message. */
  readonly below: number[];
  /** Results of its calls that are elsewhere; one with several of them may be listed more than once. */
  readonly ofCalls: number[];
  /** Notes below its rows and its results. */
  readonly notes: number[];
}

/** The rows that belong to messages of the chain and are not in it. */
export function rowsBeside(graph: RowGraph, chain: Int32Array): Additions {
  const { rows, keyCount } = graph.index;
  const inHistory = new BitSet(graph.size);
  const messages = new BitSet(keyCount);
  for (const row of chain) {
    inHistory.add(row);
    if (rows.message(row) !== NO_ID) messages.add(rows.message(row));
  }
  const { siblings, results, notes } = relatedRows(graph, inHistory, messages);
  if (siblings.length + results.length + notes.length === 0) return NOTHING;
  const found = new Map<number, Candidates>();
  const candidatesOf = (message: number): Candidates => {
    const known = found.get(message) ?? { siblings: [], below: [], ofCalls: [], notes: [] };
    found.set(message, known);
    return known;
  };
  for (const row of siblings) candidatesOf(rows.message(row)).siblings.push(row);
  const messageAbove = (row: number): number => (graph.parent(row) < 0 ? NO_ID : rows.message(graph.parent(row)));
  for (const row of results) {
    const above = messageAbove(row);
    if (above !== NO_ID && messages.has(above)) candidatesOf(above).below.push(row);
  }
  const notedResults = notes.map((row) => graph.parent(row)).filter((row) => isResult(rows, row));
  const rowOfCall = graph.rules.findsResultsByCallId
    ? rowsOfCalls(graph, [...results, ...notedResults])
    : new Map<number, number>();
  const messagesOfCalls = (row: number): number[] =>
    rows
      .toolResults(row)
      .map((call) => rowOfCall.get(call) ?? NO_ID)
      .filter((at) => at !== NO_ID && graph.isSidechain(at) === graph.isSidechain(row))
      .map((at) => rows.message(at))
      .filter((message) => messages.has(message));
  for (const row of rowOfCall.size === 0 ? [] : results) {
    for (const message of messagesOfCalls(row))
      if (message !== messageAbove(row)) candidatesOf(message).ofCalls.push(row);
  }
  let withCalls: BitSet | null = null;
  for (const row of notes) {
    withCalls ??= messagesWithCalls(graph);
    const parent = graph.parent(row);
    const of = isResult(rows, parent) ? [messageAbove(parent), ...messagesOfCalls(parent)] : [rows.message(parent)];
    for (const message of new Set(of)) {
      if (message !== NO_ID && messages.has(message) && withCalls.has(message)) candidatesOf(message).notes.push(row);
    }
  }
  const added = chosenRows(graph, chain, found, rowOfCall, inHistory);
  return { added, behindNotes: notesBehindNotes(graph, chain, notes, inHistory) };
}

/** The rows beside a chain that may be related to its messages. */
interface RelatedRows {
  /** The other rows of the messages. */
  readonly siblings: readonly number[];
  /** Results below rows of the messages, or of their calls. */
  readonly results: readonly number[];
  /** Notes below rows of either kind, or below the chain. */
  readonly notes: readonly number[];
}

function relatedRows(graph: RowGraph, inHistory: BitSet, messages: BitSet): RelatedRows {
  const calls = new BitSet(graph.index.keyCount);
  const siblings = addCalls(graph, inHistory, messages, calls);
  return { siblings, ...resultsAndNotes(graph, inHistory, messages, calls) };
}

/** Adds the calls of the messages to a set. Returns the rows of the messages outside the chain. */
function addCalls(graph: RowGraph, inHistory: BitSet, messages: BitSet, calls: BitSet): number[] {
  const { rows } = graph.index;
  const siblings: number[] = [];
  for (let row = 0; row < graph.size; row++) {
    if (!isOfMessages(rows, row, messages) || !graph.isHeld(row)) continue;
    rows.addToolUses(row, calls);
    if (!inHistory.has(row)) siblings.push(row);
  }
  return siblings;
}

function resultsAndNotes(
  graph: RowGraph,
  inHistory: BitSet,
  messages: BitSet,
  calls: BitSet,
): Pick<RelatedRows, 'results' | 'notes'> {
  const { rows } = graph.index;
  const isRelated = (result: number, parent: number): boolean =>
    (parent >= 0 && isOfMessages(rows, parent, messages)) || rows.someToolResult(result, calls);
  const results: number[] = [];
  const notes: number[] = [];
  for (let row = 0; row < graph.size; row++) {
    if (inHistory.has(row) || !graph.isHeld(row)) continue;
    const mayAnswer = isResult(rows, row);
    const mayFollow = graph.rules.recoversInFileOrder && isNote(graph, row);
    if (!mayAnswer && !mayFollow) continue;
    const parent = graph.parent(row);
    if (mayAnswer && isRelated(row, parent)) results.push(row);
    if (!mayFollow || parent < 0) continue;
    const isBelow = inHistory.has(parent) || isOfMessages(rows, parent, messages);
    if (isBelow || (isResult(rows, parent) && isRelated(parent, graph.parent(parent)))) notes.push(row);
  }
  return { results, notes };
}

function isOfMessages(rows: RowTable, row: number, messages: BitSet): boolean {
  const message = rows.message(row);
  return message !== NO_ID && messages.has(message);
}

/** Notes below those of the chain that belong to a message with calls. */
function notesBehindNotes(
  graph: RowGraph,
  chain: Int32Array,
  notes: readonly number[],
  inHistory: BitSet,
): ReadonlyMap<number, readonly number[]> {
  const behind = new Map<number, number[]>();
  const inChain = new BitSet(graph.size);
  for (const row of chain) inChain.add(row);
  const tops = notes.filter((row) => inChain.has(graph.parent(row)) && isNote(graph, graph.parent(row)));
  if (tops.length === 0 || !graph.rules.findsResultsByCallId) return behind;
  const isWithin = rowsWithinMessages(graph, chain, messagesWithCalls(graph));
  const childrenBeside = new ChildrenBeside(graph, inHistory);
  for (const top of tops) {
    const parent = graph.parent(top);
    const below = isWithin.has(parent) ? childrenBeside.notesFrom(top) : [];
    if (below.length === 0) continue;
    const others = behind.get(parent) ?? [];
    behind.set(parent, others);
    for (const row of below) {
      inHistory.add(row);
      others.push(row);
    }
  }
  return behind;
}

/** The rows of the chain between those of a message with calls, or that continue it. */
function rowsWithinMessages(graph: RowGraph, chain: Int32Array, withCalls: BitSet): BitSet {
  const { rows } = graph.index;
  const ends = new Map<number, number>();
  for (const [at, row] of chain.entries()) if (rows.message(row) !== NO_ID) ends.set(rows.message(row), at + 1);
  const within = new BitSet(graph.size);
  // Messages may overlap, so this is the end of the one that ends last.
  let lastEnd = 0;
  for (const [at, row] of chain.entries()) {
    if (at < lastEnd) within.add(row);
    const message = rows.message(row);
    let end = ends.get(message) ?? 0;
    if (end === 0 || !withCalls.has(message)) continue;
    ends.delete(message);
    while (end < chain.length && continuesMessage(rows, chain[end] ?? 0, message)) end++;
    lastEnd = Math.max(lastEnd, end);
  }
  return within;
}

/**
 * For each call with one of the results, the last row that has it; `NO_ID` if several messages have a call with that id. A result
 * directly below all of its calls is not searched for. The client finds no call in a row that has no `message.id`.
 */
function rowsOfCalls(graph: RowGraph, results: readonly number[]): ReadonlyMap<number, number> {
  const { rows, keyCount } = graph.index;
  const wanted = new BitSet(keyCount);
  const callsOf = new Map<number, ReadonlySet<number>>();
  for (const row of results) {
    const parent = graph.parent(row);
    const above = callsOf.get(parent) ?? new Set(parent < 0 ? [] : rows.toolUses(parent));
    callsOf.set(parent, above);
    if (!rows.toolResults(row).every((call) => above.has(call))) rows.addToolResults(row, wanted);
  }
  const found = new Map<number, number>();
  if (wanted.isEmpty) return found;
  for (let row = 0; row < graph.size; row++) {
    if (rows.message(row) === NO_ID || !graph.isHeld(row) || !rows.someToolUse(row, wanted)) continue;
    for (const call of rows.toolUses(row)) {
      const other = found.get(call);
      const isShared = other !== undefined && (other === NO_ID || rows.message(other) !== rows.message(row));
      found.set(call, isShared ? NO_ID : row);
    }
  }
  return found;
}

/** The candidates that the client adds, for one message after the other. A row belongs to the first message that takes it. */
function chosenRows(
  graph: RowGraph,
  chain: Int32Array,
  candidates: ReadonlyMap<number, Candidates>,
  rowOfCall: ReadonlyMap<number, number>,
  inHistory: BitSet,
): AddedRow[] {
  const { rows, keyCount } = graph.index;
  const answered = new BitSet(keyCount);
  for (const row of rowOfCall.size === 0 ? [] : chain)
    if (rows.kind(row) === RowKind.user) rows.addToolResults(row, answered);
  const ends = rowOfCall.size === 0 ? new Map<number, number>() : lastPlaces(graph, candidates);
  const chosen: AddedRow[] = [];
  const places = new Map<number, number>();
  const childrenBeside = new ChildrenBeside(graph, inHistory);
  const done = new Set<number>();
  for (const at of chain) {
    const message = rows.message(at);
    const of = candidates.get(message);
    if (of === undefined || done.has(message)) continue;
    done.add(message);
    const choose = (row: number, place: number): void => {
      inHistory.add(row);
      places.set(row, place);
      chosen.push({ row, message, place });
    };
    const answeredBeside = new Set<number>();
    const noteAnswers = (row: number): void => {
      for (const call of rows.toolResults(row)) answeredBeside.add(call);
    };
    for (const row of of.siblings) choose(row, graph.placeOf(row));
    for (const row of of.below) {
      if (inHistory.has(row)) continue;
      choose(row, graph.placeOf(row));
      noteAnswers(row);
    }
    const isMissing = (call: number): boolean => {
      const at = rowOfCall.get(call) ?? NO_ID;
      return at !== NO_ID && rows.message(at) === message && !answered.has(call) && !answeredBeside.has(call);
    };
    for (const row of of.ofCalls.sort((x, y) => graph.placeOf(x) - graph.placeOf(y))) {
      if (inHistory.has(row) || !rows.toolResults(row).some(isMissing)) continue;
      choose(row, Math.max(graph.placeOf(row), (ends.get(message) ?? 0) + 0.5));
      noteAnswers(row);
    }
    for (const top of of.notes) {
      const parent = graph.parent(top);
      if (!inHistory.has(parent)) continue;
      const place = isResult(rows, parent) ? (places.get(parent) ?? NO_ID) : NO_ID;
      for (const row of childrenBeside.notesFrom(top)) choose(row, Math.max(graph.placeOf(row), place));
    }
  }
  return chosen;
}

/** The rows beside the chain, by their parents. */
class ChildrenBeside {
  #children: Map<number, number[]> | null = null;

  constructor(
    private readonly graph: RowGraph,
    private readonly inHistory: BitSet,
  ) {}

  /** The row and what is below it, if these are only notes, one below the other; else nothing. */
  notesFrom(top: number): number[] {
    const { graph, inHistory } = this;
    const side = graph.isSidechain(graph.parent(top));
    const notes: number[] = [];
    for (let row: number | undefined = top; row !== undefined;) {
      if (inHistory.has(row) || graph.isSidechain(row) !== side || !isNote(graph, row)) return [];
      notes.push(row);
      const below: number[] = this.#childrenOf(row).filter((child) => !inHistory.has(child));
      if (below.length > 1) return [];
      row = below[0];
    }
    return notes;
  }

  #childrenOf(row: number): readonly number[] {
    this.#children ??= this.#find();
    return this.#children.get(row) ?? [];
  }

  #find(): Map<number, number[]> {
    const { graph } = this;
    const children = new Map<number, number[]>();
    for (let row = 0; row < graph.size; row++) {
      const parent = graph.parent(row);
      if (parent < 0 || !graph.isHeld(row) || this.inHistory.has(row)) continue;
      const others = children.get(parent);
      if (others === undefined) children.set(parent, [row]);
      else others.push(row);
    }
    return children;
  }
}

function messagesWithCalls({ index: { rows, keyCount }, size }: RowGraph): BitSet {
  const found = new BitSet(keyCount);
  for (let row = 0; row < size; row++) {
    if (rows.message(row) !== NO_ID && rows.has(row, RowFlag.hasToolUse)) found.add(rows.message(row));
  }
  return found;
}

function isResult(rows: RowTable, row: number): boolean {
  return rows.kind(row) === RowKind.user && rows.has(row, RowFlag.hasToolResult);
}

/** Whether the row only accompanies messages: an attachment, a system row, a meta row, or a virtual call or its result. */
function isNote({ index: { rows }, rules }: RowGraph, row: number): boolean {
  const hasCallOrResult = rows.has(row, RowFlag.hasToolUse | RowFlag.hasToolResult);
  if (rules.findsResultsByCallId && rows.has(row, RowFlag.virtual) && hasCallOrResult) return true;
  switch (rows.kind(row)) {
    case RowKind.attachment:
      return true;
    case RowKind.system:
      return !rows.has(row, RowFlag.compactBoundary);
    case RowKind.user:
      return rows.has(row, RowFlag.meta) && !hasCallOrResult;
    default:
      return false;
  }
}

/** The place of the last row of each message. */
function lastPlaces(graph: RowGraph, messages: ReadonlyMap<number, unknown>): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let row = 0; row < graph.size; row++) {
    const message = graph.index.rows.message(row);
    if (!messages.has(message) || !graph.isHeld(row)) continue;
    places.set(message, Math.max(places.get(message) ?? 0, graph.placeOf(row)));
  }
  return places;
}

/** Whether the client counts a row that follows a message as part of it. */
export function continuesMessage(rows: RowTable, row: number, message: number): boolean {
  switch (rows.kind(row)) {
    case RowKind.assistant:
      return rows.message(row) === message;
    case RowKind.user:
      return rows.has(row, RowFlag.meta | RowFlag.hasToolResult);
    case RowKind.attachment:
      return true;
    case RowKind.system:
      return !rows.has(row, RowFlag.compactBoundary);
    default:
      return false;
  }
}
