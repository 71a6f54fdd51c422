import type { Branch } from '../../../shared/conversation';
import type { JsonObject } from '../../claude/json';

/** A row that holds results of calls of the row that is described. */
export interface ResultRow {
  readonly line: number;
  /** Put before the paths of its values: see `valuePath.ts`. */
  readonly pathPrefix: string;
  readonly object: JsonObject;
}

/** What is known of a row beside its JSON. */
export interface RowContext {
  /** 1-based. */
  readonly line: number;
  /** Put before the paths of its values: see `valuePath.ts`. */
  readonly pathPrefix: string;
  readonly isLoaded: boolean | null;
  readonly continues: boolean;
  readonly branches: readonly Branch[];
  readonly moreBranches?: number;
  /** Rows whose results are shown with the calls of this row. */
  readonly results: readonly ResultRow[];
  /** Of a compaction: rows that stand before it in the view. */
  readonly earlierRows: number;
  /** Path of the transcript of the subagent that a call started; either of its ids may be unknown. */
  readonly findSubagent: (toolUseId: string | null, agentId: string | null) => string | null;
  /** Line of the last row of the subagent that a call started, where its rows stand in this transcript. */
  readonly findLane: (toolUseId: string) => number | null;
}

/** What is known of a row that stands alone. */
export function bareContext(line: number): RowContext {
  return {
    line,
    pathPrefix: '',
    isLoaded: null,
    continues: false,
    branches: [],
    results: [],
    earlierRows: 0,
    findSubagent: () => null,
    findLane: () => null,
  };
}
