import type { ResumeSummary } from '../../protocol/session';
import type { TranscriptFacts } from './transcriptIndex';

/** What the findings about lines are made of. */
export type LineFacts = Pick<TranscriptFacts, 'lineFaults' | 'lineCount' | 'fileSize' | 'unknownTypes'>;

/** Rows that one finding is about: how many there are, and the first of them. */
export interface ListedRows {
  readonly total: number;
  /** In file order, at most `MAX_LISTED_LINES`. */
  readonly lines: readonly number[];
  readonly uuids: readonly string[];
}

/**
 * A transcript in which every row that Claude sees has a uuid of its own and stands behind its parent, if the file holds
 * that at all. A scanner that sees this in its own tables can tell what the client loads without giving its rows away. What it says is
 * what `simulateResume` and the failure classes would say of the facts.
 */
export interface PlainTranscript extends LineFacts, Pick<TranscriptFacts, 'titles' | 'latest' | 'parentSessionId'> {
  readonly resume: ResumeSummary;
  /** Rows from the leaf to the root or the break. */
  readonly chainDepth: number;
  /** User and assistant rows. */
  readonly messageCount: number;
  /** Rows whose parent the file does not hold. */
  readonly orphans: {
    readonly harmful: ListedRows;
    /** Where Claude does not look for the parent. */
    readonly harmless: ListedRows;
  };
  /** Rows that count as orphans although nothing of them is broken: the last row with the uuid of their parent is a copy. */
  readonly orphansOfCopies: number;
  /** Rows with a copy on the same line, which Claude does not see, and the copies. */
  readonly copies: ListedRows;
}
