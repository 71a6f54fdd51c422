import { readLogicalParent } from '../../providers/claude/format/chainRow';
import { RowGraph } from '../../providers/claude/loader/graph';
import { historyFrom, simulateResume } from '../../providers/claude/loader/loadTranscript';
import type { LoaderRules } from '../../providers/claude/loader/rules';
import { NO_ID } from '../../transcript/idTable';
import { RowKind } from '../../transcript/rowFlags';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import type { TranscriptRows } from '../../transcript/transcriptRows';
import { BitSet } from '../../util/columns';

/**
 * `resumed`: the rows that Claude would load now. `compacted`: these rows, and those before their compactions.
 * `branch`: the rows of another branch, with its newest row as the leaf.
 */
export type ChainKind = 'resumed' | 'compacted' | 'branch';

export interface PromptChain {
  readonly kind: ChainKind;
  /** Oldest first. */
  readonly rows: Int32Array;
}

/** Finds the chain whose file history applies to a prompt, on whatever branch the prompt is. */
export class PromptChains {
  readonly resumed: PromptChain;
  readonly #whole: RowGraph;
  #compacted: PromptChain | null = null;
  readonly #leaf: number;
  /** Children by row, sidechains left out; created when an abandoned branch is first needed. */
  #children: ReadonlyMap<number, readonly number[]> | null = null;

  constructor(
    private readonly index: TranscriptIndex,
    rows: TranscriptRows,
    rules: LoaderRules,
  ) {
    const resume = simulateResume(index, rules);
    this.#leaf = resume.leaf;
    this.resumed = { kind: 'resumed', rows: resume.history };
    const isWhole = index.boundaries.length === 0 && index.byteRows === null;
    this.#whole = isWhole ? resume.graph : withoutCompaction(index, rules, rows);
  }

  /** The row with the uuid, on whatever chain it is; `NO_ID` if there is none. */
  rowOf(uuid: string): number {
    const { ids } = this.index;
    // Interning would add an id for a uuid that does not occur in the transcript.
    return ids.has(uuid) ? this.#whole.rowOf(ids.intern(uuid)) : NO_ID;
  }

  /** The chain whose file history applies to the prompt in this row. */
  of(row: number): PromptChain {
    if (this.resumed.rows.includes(row)) return this.resumed;
    if (this.compacted.rows.includes(row)) return this.compacted;
    return { kind: 'branch', rows: this.#chainTo(this.#lastBelow(row)) };
  }

  get compacted(): PromptChain {
    this.#compacted ??=
      this.index.boundaries.length === 0
        ? this.resumed
        : { kind: 'compacted', rows: this.#leaf === NO_ID ? new Int32Array(0) : this.#chainTo(this.#leaf) };
    return this.#compacted;
  }

  #chainTo(leaf: number): Int32Array {
    return historyFrom(this.#whole, leaf).history;
  }

  /** The last row in the file among the row and its descendants. */
  #lastBelow(row: number): number {
    this.#children ??= childrenOf(this.#whole);
    const seen = new BitSet(this.#whole.size);
    const open = [row];
    let newest = row;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      newest = Math.max(newest, at);
      open.push(...(this.#children.get(at) ?? []));
    }
    return newest;
  }
}

/**
 * The tree as if nothing had been compacted: the parent of a compact boundary is the last row before the compaction.
 */
function withoutCompaction(index: TranscriptIndex, rules: LoaderRules, rows: TranscriptRows): RowGraph {
  const graph = new RowGraph(index, rules, { withBranches: true });
  for (const { row } of index.boundaries) {
    if (!graph.isHeld(row) || graph.parent(row) >= 0) continue;
    const object = rows.object(row);
    const logical = object === null ? null : readLogicalParent(object);
    const parent = logical !== null && index.ids.has(logical) ? graph.rowOf(index.ids.intern(logical)) : NO_ID;
    const above = parent === NO_ID ? lastMessageBefore(graph, row) : parent;
    if (above !== NO_ID) graph.setParent(row, above);
  }
  return graph;
}

/** The last chain row before the boundary in the file; used if the boundary names no row, or one that is missing. */
function lastMessageBefore(graph: RowGraph, boundary: number): number {
  for (let row = boundary - 1; row >= 0; row--) {
    if (graph.isHeld(row) && !graph.isSidechain(row) && graph.index.rows.kind(row) !== RowKind.other) return row;
  }
  return NO_ID;
}

function childrenOf(graph: RowGraph): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (let row = 0; row < graph.size; row++) {
    if (!graph.isHeld(row) || graph.isSidechain(row)) continue;
    const parent = graph.parent(row);
    if (parent < 0) continue;
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [row]);
    else known.push(row);
  }
  return children;
}
