import type { LoadCount, RepairFailureReason } from './repair';

/**
 * What slimming removes, or moves into files beside the transcript. `progress`: what tools and hooks reported while they ran.
 * `attachments`: copies of the system prompt and the tools that repeat the one before. `outputs`: long outputs of tools that only the
 * client's own display reads.
 */
export type SlimKind = 'progress' | 'attachments' | 'outputs';

/** What a transcript holds of one kind, before and after it is slimmed. */
export interface SlimmedKind {
  readonly kind: SlimKind;
  /** Number of rows that are removed; of outputs, number of texts that are moved. */
  readonly rows: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** The public result of slimming one transcript, or of undoing that; its field names are a contract with scripts. */
export interface SlimResult {
  readonly sessionId: string;
  readonly filePath: string;
  readonly status: 'slimmed' | 'already_slim' | 'restored' | 'failed';
  readonly reason?: RepairFailureReason;
  /** Of a slimmed transcript, what holds the original. */
  readonly backupPath?: string;
  /** Of the transcript. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly kinds: readonly SlimmedKind[];
  /** Number of rows whose parent was removed, so that they point to the row above it. */
  readonly relinked: number;
  readonly resumeBefore: LoadCount;
  readonly resumeAfter: LoadCount;
}

/** A result with the sentence that is shown if it failed. */
export interface SlimOutcome {
  readonly result: SlimResult;
  readonly problem: string | null;
}
