import { IdTable } from './idTable';
import type { LastPrompt } from './lastPrompt';
import { LineFaultTable } from './lineFaultTable';
import { RowTable } from './rowTable';

/** Which rows from before a compaction stay in the history. */
export type Preserved =
  | { readonly kind: 'none' }
  /** The rows by name, oldest first. */
  | { readonly kind: 'list'; readonly anchor: number; readonly ids: readonly number[] }
  /** The chain from the tail up to the head. */
  | { readonly kind: 'segment'; readonly anchor: number; readonly head: number; readonly tail: number };

/** A `compact_boundary` row. */
export interface CompactBoundary {
  readonly row: number;
  readonly preserved: Preserved;
}

export interface UnknownRows {
  readonly type: string;
  count: number;
  /** The first lines, at most `MAX_LISTED_LINES`. */
  readonly lines: number[];
}

/** Bound of every list of lines that is kept for people. */
export const MAX_LISTED_LINES = 1000;

/** Everything later steps need to know of a transcript. Built by a scanner, not changed after. */
export class TranscriptFacts {
  readonly ids = new IdTable();
  readonly rows = new RowTable();
  /** An older one does not stand in for it. */
  lastPrompt: LastPrompt | null = null;
  readonly boundaries: CompactBoundary[] = [];
  readonly lineFaults = new LineFaultTable();
  readonly unknownTypes = new Map<string, UnknownRows>();
  /** `sourceToolAssistantUUID` of rows whose parent is another row. */
  readonly toolSources = new Map<number, number>();
  /** Key of `toolUseID` of rows written by hooks. */
  readonly hookCalls = new Map<number, number>();
  readonly titles: TitleFacts = {
    custom: null,
    ai: null,
    lastPrompt: null,
    summary: null,
    firstPrompt: null,
  };
  readonly latest: LatestFacts = { cwd: null, model: null, gitBranch: null, clientVersion: null, messageMs: null };
  /** Message ids and tool-call ids are keys below this number. */
  keyCount = 0;
  lineCount = 0;
  /** Bytes. */
  fileSize = 0;
}

export interface TitleFacts {
  custom: string | null;
  ai: string | null;
  lastPrompt: string | null;
  summary: string | null;
  firstPrompt: string | null;
}

export interface LatestFacts {
  cwd: string | null;
  model: string | null;
  gitBranch: string | null;
  clientVersion: string | null;
  messageMs: number | null;
}
