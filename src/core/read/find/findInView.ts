import { closeSync } from 'node:fs';
import type { FindQuery, FindResult } from '../../../shared/conversation';
import type { JsonObject } from '../../claude/json';
import { rowRole, rowTexts } from '../../claude/rowTexts';
import { dissectLine } from '../../scan/dissectLine';
import { openRegularFile } from '../../scan/openRegularFile';
import { CandidateLines, type CandidateLine } from '../../search/candidateLines';
import type { Pacer } from '../../util/pacer';
import { createHitCounter, type HitCounter } from './hitCounter';
import { MatchedPool } from './matchedPool';
import { withTitles } from './noteTitles';
import { ToolTexts } from './toolTexts';
import type { ViewLines } from './viewLines';

/** Items with a hit that are told. */
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
 * Looks through all rows of a view. Reads the file once, in slices, and parses only the lines whose bytes may hold a hit.
 * What it found so far is told when it is cancelled. Throws the file system's error.
 */
export async function findInView(request: FindRequest): Promise<FindResult> {
  const outcome = createHitCounter(request.query);
  if (outcome.kind === 'problem') return nothing(request.revision, outcome.problem);
  const { counter } = outcome;
  const { file, identity } = openRegularFile(request.filePath);
  try {
    // A result tells its tool by a call in another line.
    const pattern = request.query.tool === null ? counter.pattern : null;
    const size = Math.min(Number(identity.size), request.lines.fileSize);
    const candidates = new CandidateLines(file, size, pattern);
    const found = new FoundHits(request, counter);
    for (let next = candidates.next(); next !== null; next = candidates.next()) {
      found.add(next);
      if (found.isOver || request.signal.aborted) break;
      const turn = request.pacer.pause();
      if (turn !== null) await turn;
    }
    return found.result(request.signal.aborted || candidates.passedOver > 0);
  } finally {
    closeSync(file);
  }
}

export function nothing(revision: number, problem: string | null): FindResult {
  return { revision, items: [], counts: [], hits: 0, matched: null, isCut: false, problem };
}

class FoundHits {
  /** Hits of each item. */
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
    return this.#items.size >= MAX_ITEMS || this.counter.isHopeless;
  }

  add(lines: readonly CandidateLine[]): void {
    const items: number[] = [];
    const texts: (readonly string[])[] = [];
    for (const { line, bytes } of lines) {
      const places = this.request.lines.at(line);
      // The calls of a tool are to be known even where they are not in the view.
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

  /** A result that is shown with its call is the assistant's, as the item is. */
  #isWanted(row: JsonObject, isInCall: boolean): boolean {
    const { roles } = this.request.query;
    const role = isInCall ? 'assistant' : rowRole(row);
    return role !== null && (roles.length === 0 || roles.includes(role));
  }
}
