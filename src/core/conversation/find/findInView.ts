import { closeSync } from 'node:fs';
import type { FindQuery, FindResult } from '../../../protocol/conversation';
import { rowRole, rowTexts } from '../../providers/claude/format/rowTexts';
import { dissectLine } from '../../transcript/dissectLine';
import { NO_ID } from '../../transcript/idTable';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import type { JsonObject } from '../../util/json';
import { openRegularFile } from '../../util/openForeignFile';
import type { Pacer } from '../../util/scheduling';
import type { ConversationOrder } from '../order/conversationOrder';
import { ItemKind } from '../order/itemBuilder';
import type { TurnOrder } from '../order/turnOrder';
import { type CandidateLine, CandidateLines } from '../search/candidateLines';
import { ToolTexts } from '../search/toolTexts';
import { createHitCounter, type HitCounter, MatchedPool, withTitles } from './hitCounter';

/** Maximum number of items with hits in a result. */
const MAX_ITEMS = 10_000;

export interface FindRequest {
  readonly filePath: string;
  readonly query: FindQuery;
  readonly revision: number;
  readonly lines: ViewLines;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
}

/**
 * Searches all rows of a view. Reads the file once, in slices, and parses only the lines whose bytes may contain a hit.
 * If cancelled, returns what it has found so far. Throws the file system's error.
 */
export async function findInView(request: FindRequest): Promise<FindResult> {
  const outcome = createHitCounter(request.query);
  if (outcome.kind === 'problem') return emptyFindResult(request.revision, outcome.problem);
  const { counter } = outcome;
  const { file, identity } = openRegularFile(request.filePath);
  try {
    // A result has no tool name: its tool is found by its call, which is in another line.
    const pattern = request.query.tool === null ? counter.pattern : null;
    const size = Math.min(Number(identity.size), request.lines.fileSize);
    const candidates = new CandidateLines(file, size, pattern);
    const found = new FoundHits(request, counter);
    for (let next = candidates.next(); next !== null; next = candidates.next()) {
      found.add(next);
      if (found.isOver || request.signal.aborted) break;
      const turn = request.pacer.yieldIfDue();
      if (turn !== null) await turn;
    }
    return found.result(request.signal.aborted || candidates.skippedLines > 0);
  } finally {
    closeSync(file);
  }
}

export function emptyFindResult(revision: number, problem: string | null): FindResult {
  return { revision, items: [], counts: [], hits: 0, matched: null, isCut: false, problem };
}

class FoundHits {
  /** Number of hits by item. */
  readonly #items = new Map<number, number>();
  readonly #matched = new MatchedPool();
  readonly #tool: ToolTexts | null;

  constructor(
    private readonly request: FindRequest,
    private readonly counter: HitCounter,
  ) {
    const { tool } = request.query;
    this.#tool = tool === null ? null : new ToolTexts(tool);
  }

  get isOver(): boolean {
    return this.#items.size >= MAX_ITEMS || this.counter.isTooSlow;
  }

  add(lines: readonly CandidateLine[]): void {
    const items: number[] = [];
    const texts: (readonly string[])[] = [];
    for (const { line, bytes } of lines) {
      const places = this.request.lines.at(line);
      // The calls of a tool must be collected even if they are not in the view.
      if (places.length === 0 && this.#tool === null) continue;
      dissectLine(bytes, line === 1).objects.forEach(({ object }, at) => {
        const said = this.#textsOf(object);
        const place = places[at] ?? places[0];
        if (place === undefined || said.length === 0 || !this.#isWanted(object, place.isInCall)) return;
        items.push(place.item);
        texts.push(said);
      });
    }
    this.counter.count(texts).forEach(({ hits, matched }, at) => {
      const item = items[at];
      if (hits === 0 || item === undefined || this.#items.size >= MAX_ITEMS) return;
      this.#items.set(item, (this.#items.get(item) ?? 0) + hits);
      this.#matched.add(item, matched);
    });
  }

  result(isCut: boolean): FindResult {
    const found = [...this.#items].sort(([a], [b]) => a - b);
    const items = found.map(([item]) => item);
    return {
      revision: this.request.revision,
      items,
      counts: found.map(([, hits]) => hits),
      hits: found.reduce((sum, [, hits]) => sum + hits, 0),
      matched: this.request.query.isRegExp ? this.#matched.of(items) : null,
      isCut: isCut || this.isOver || this.counter.isCut,
      problem: this.counter.problem,
    };
  }

  #textsOf(row: JsonObject): readonly string[] {
    return this.#tool === null ? withTitles(rowTexts(row), row) : this.#tool.of(row);
  }

  /** A result that is displayed with its call counts as the assistant's, like the item. */
  #isWanted(row: JsonObject, isInCall: boolean): boolean {
    const { roles } = this.request.query;
    const role = isInCall ? 'assistant' : rowRole(row);
    return role !== null && (roles.length === 0 || roles.includes(role));
  }
}

/** The item of the panel that displays a row of a line. */
export interface LinePlace {
  readonly item: number;
  /** Whether it is displayed in the block of its call. */
  readonly isInCall: boolean;
}

const NOWHERE: readonly LinePlace[] = [];

/** Line → items of a view. Keeps no reference to the index, so it stays valid while the file grows. */
export class ViewLines {
  readonly fileSize: number;
  readonly #lines: Int32Array;
  readonly #order: ConversationOrder;
  readonly #turns: TurnOrder;
  /** Lines without a row in the table. */
  readonly #others = new Map<number, LinePlace>();

  constructor({ rows, fileSize }: TranscriptIndex, order: ConversationOrder, turns: TurnOrder) {
    this.fileSize = fileSize;
    this.#order = order;
    this.#turns = turns;
    this.#lines = new Int32Array(rows.count);
    for (let row = 0; row < rows.count; row++) this.#lines[row] = rows.line(row);
    order.kinds.forEach((kind, item) => {
      const line = order.values[item] ?? 0;
      if (kind === ItemKind.unknown) this.#others.set(line, { item: turns.itemAt(item), isInCall: false });
    });
  }

  /** The rows of a line that are in the view, in their order on the line. */
  at(line: number): readonly LinePlace[] {
    const other = this.#others.get(line);
    if (other !== undefined) return [other];
    const places: LinePlace[] = [];
    for (let row = this.#firstFrom(line); this.#lines[row] === line; row++) {
      const place = this.#order.itemOfRow[row] ?? NO_ID;
      if (place === NO_ID) continue;
      places.push({ item: this.#turns.itemAt(place), isInCall: this.#order.pairs.callOf(row) !== NO_ID });
    }
    return places.length === 0 ? NOWHERE : places;
  }

  #firstFrom(line: number): number {
    let low = 0;
    let high = this.#lines.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lines[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
