import { NO_ID } from '../../../transcript/idTable';
import { RowFlag, RowKind } from '../../../transcript/rowFlags';
import { BitSet, RowLists } from '../../../util/columns';
import type { RowTable } from '../../../transcript/rowTable';
import type { RowGraph } from './graph';

/**
 * Adds the rows beside a chain that exist because calls ran in parallel: the other rows of its assistant messages, and the
 * results of calls that have none in the chain. (docs/format.md, "Parallel calls")
 */
export function recoverParallelCalls(graph: RowGraph, chain: Int32Array): Int32Array {
  if (!graph.rules.recoversParallelCalls) return chain;
  const inHistory = new BitSet(graph.size);
  for (const row of chain) inHistory.add(row);
  const siblings = siblingsBeside(graph, chain, inHistory);
  for (const { row } of siblings) inHistory.add(row);
  const results = missingResults(graph, chain, siblings, inHistory);
  if (siblings.length + results.length === 0) return chain;
  const added = [...siblings, ...results];
  return graph.rules.recoversInFileOrder ? insertInFileOrder(graph, chain, added) : insertBehind(graph, chain, added);
}

/** A row that is added to a chain. */
interface AddedRow {
  readonly row: number;
  /** The message of the chain to which it belongs. */
  readonly message: number;
  /** Where it belongs in the loader's order. */
  readonly place: number;
}

function siblingsBeside(graph: RowGraph, chain: Int32Array, inChain: BitSet): AddedRow[] {
  const { rows, keyCount } = graph.index;
  const messages = new BitSet(keyCount);
  for (const row of chain) {
    const message = rows.message(row);
    if (message !== NO_ID) messages.add(message);
  }
  const siblings: AddedRow[] = [];
  for (let row = 0; row < graph.size; row++) {
    const message = rows.message(row);
    if (message === NO_ID || !messages.has(message) || !graph.isHeld(row) || inChain.has(row)) continue;
    siblings.push({ row, message, place: graph.placeOf(row) });
  }
  return siblings;
}

/** The rows with the results of calls that have none in the history. */
function missingResults(
  graph: RowGraph,
  chain: Int32Array,
  siblings: readonly AddedRow[],
  inHistory: BitSet,
): AddedRow[] {
  const { rows, keyCount } = graph.index;
  const open = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  const messages = new BitSet(keyCount);
  // The client finds no result by the id of a call whose row has no `message.id`.
  const [named, namedInSidechain] = [new BitSet(keyCount), new BitSet(keyCount)];
  const note = (row: number): void => {
    rows.addToolUses(row, open);
    rows.addToolResults(row, answered);
    const message = rows.message(row);
    if (message === NO_ID) return;
    messages.add(message);
    rows.addToolUses(row, graph.isSidechain(row) ? namedInSidechain : named);
  };
  for (const row of chain) note(row);
  for (const { row } of siblings) note(row);
  open.deleteAll(answered);
  if (open.isEmpty) return [];
  let callMessages: CallMessages | null = null;
  const found: AddedRow[] = [];
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || inHistory.has(row) || rows.kind(row) !== RowKind.user) continue;
    if (!rows.someToolResult(row, open)) continue;
    const parent = graph.parent(row);
    const above = parent < 0 ? NO_ID : rows.message(parent);
    const below: AddedRow | null =
      above !== NO_ID && messages.has(above) ? { row, message: above, place: graph.placeOf(row) } : null;
    const calls = graph.isSidechain(row) ? namedInSidechain : named;
    const call = rows.toolResults(row).find((result) => open.has(result) && calls.has(result));
    if (call === undefined || !graph.rules.findsResultsByCallId) {
      if (below !== null) found.push(below);
      continue;
    }
    callMessages ??= new CallMessages(graph, chain);
    found.push(callMessages.firstOf(below, callMessages.addedFor(row, call)));
  }
  return found;
}

/** The messages of calls, for results that are found by the id of their call. */
class CallMessages {
  readonly #ofCall = new Map<number, number>();
  /** The place of the last row of each message. */
  readonly #end = new Map<number, number>();
  /** Where each message begins in the chain. */
  readonly #start = new Map<number, number>();

  constructor(
    private readonly graph: RowGraph,
    chain: Int32Array,
  ) {
    const { rows } = graph.index;
    for (const [at, row] of chain.entries()) {
      const message = rows.message(row);
      if (!this.#start.has(message)) this.#start.set(message, at);
    }
    for (let row = 0; row < graph.size; row++) {
      const message = rows.message(row);
      if (message === NO_ID || !graph.isHeld(row)) continue;
      this.#end.set(message, Math.max(this.#end.get(message) ?? 0, graph.placeOf(row)));
      for (const call of rows.toolUses(row)) if (!this.#ofCall.has(call)) this.#ofCall.set(call, message);
    }
  }

  /**
   * A result below a message belongs to it, unless that with the call begins earlier. If they are the same, the result is in file
   * order, and not behind the message.
   */
  firstOf(below: AddedRow | null, ofCall: AddedRow): AddedRow {
    if (below === null) return ofCall;
    return this.#startOf(ofCall) < this.#startOf(below) ? ofCall : below;
  }

  #startOf({ message }: AddedRow): number {
    return this.#start.get(message) ?? Infinity;
  }

  /** The result belongs behind the message with the call. */
  addedFor(row: number, call: number): AddedRow {
    const message = this.#ofCall.get(call) ?? NO_ID;
    return { row, message, place: Math.max(this.graph.placeOf(row), (this.#end.get(message) ?? 0) + 0.5) };
  }
}

/** Up to 2.1.260: after the last row of their message in the chain, in the order of their times, results last. */
function insertBehind(graph: RowGraph, chain: Int32Array, added: readonly AddedRow[]): Int32Array {
  const { rows, keyCount } = graph.index;
  const lastOfMessage = new Int32Array(keyCount).fill(NO_ID);
  for (const row of chain) {
    const message = rows.message(row);
    if (message !== NO_ID) lastOfMessage[message] = row;
  }
  const isResult = ({ row }: AddedRow): number => (rows.kind(row) === RowKind.user ? 1 : 0);
  const sorted = added.toSorted(
    (a, b) => isResult(a) - isResult(b) || rows.timestamp(a.row) - rows.timestamp(b.row) || a.place - b.place,
  );
  const ofMessage = new RowLists(keyCount);
  for (const { row, message } of sorted) ofMessage.add(message, row);
  const longer = new Int32Array(chain.length + added.length);
  let length = 0;
  for (const row of chain) {
    longer[length++] = row;
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] !== row) continue;
    for (const behind of ofMessage.take(message)) longer[length++] = behind;
  }
  return longer;
}

/** A part of a chain, from the place `start` up to but without `end`, and what is added to it. */
interface Region {
  readonly start: number;
  end: number;
  readonly added: AddedRow[];
}

/**
 * In the loader's order, among the rows of the chain from the first row of their message to the last one, and the results and notes
 * that follow it.
 */
function insertInFileOrder(graph: RowGraph, chain: Int32Array, added: readonly AddedRow[]): Int32Array {
  const longer = new Int32Array(chain.length + added.length);
  let length = 0;
  let from = 0;
  const copy = (to: number): void => {
    longer.set(chain.subarray(from, to), length);
    length += to - from;
    from = to;
  };
  for (const region of regionsOf(graph, chain, added)) {
    copy(region.start + 1);
    const sorted = region.added.sort((a, b) => a.place - b.place || graph.placeOf(a.row) - graph.placeOf(b.row));
    let next = 0;
    while (from < region.end) {
      const place = graph.placeOf(chain[from] ?? 0);
      for (; next < sorted.length && (sorted[next]?.place ?? 0) < place; next++)
        longer[length++] = sorted[next]?.row ?? 0;
      copy(from + 1);
    }
    for (; next < sorted.length; next++) longer[length++] = sorted[next]?.row ?? 0;
  }
  copy(chain.length);
  return longer;
}

function regionsOf(graph: RowGraph, chain: Int32Array, added: readonly AddedRow[]): Region[] {
  const { rows } = graph.index;
  const ofMessage = new Map<number, Region>();
  for (const { message } of added) ofMessage.set(message, { start: NO_ID, end: NO_ID, added: [] });
  chain.forEach((row, at) => {
    const message = rows.message(row);
    const region = ofMessage.get(message);
    if (region === undefined) return;
    ofMessage.set(message, { ...region, start: region.start === NO_ID ? at : region.start, end: at + 1 });
  });
  for (const row of added) ofMessage.get(row.message)?.added.push(row);
  const merged: Region[] = [];
  for (const [message, region] of [...ofMessage].sort(([, a], [, b]) => a.start - b.start)) {
    while (region.end < chain.length && continuesMessage(rows, chain[region.end] ?? 0, message)) region.end++;
    const before = merged.at(-1);
    if (before === undefined || region.start >= before.end) merged.push(region);
    else {
      before.end = Math.max(before.end, region.end);
      for (const row of region.added) before.added.push(row);
    }
  }
  return merged;
}

/** Whether the client counts a row that follows a message as part of it. */
function continuesMessage(rows: RowTable, row: number, message: number): boolean {
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
