/** Why a repair was refused or undone. The words are part of the JSON contract. */
export type RepairFailureReason =
  | 'live'
  | 'maybe-live'
  | 'declined'
  | 'locked'
  | 'changed-while-repairing'
  | 'changed-since-repair'
  | 'read-only'
  | 'no-space'
  | 'unreadable'
  | 'missing'
  | 'not-a-file'
  | 'symlink'
  | 'no-backup'
  | 'not-repairable'
  | 'write-failed';

/** One value that a repair changes in one row. */
export interface RepairEdit {
  /** 1-based line in the transcript before the repair. */
  readonly line: number;
  readonly uuid: string | null;
  /** `parentUuid`, `uuid`, `sourceToolAssistantUUID`, or `line` if bytes around the row change. */
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** One sentence for people. */
  readonly why: string;
}

export interface LoadCount {
  readonly loads: number;
  readonly of: number;
}

/** The public result of repairing (or undoing the repair of) one transcript. */
export interface SessionRepairResult {
  readonly sessionId: string;
  readonly filePath: string;
  readonly status: 'repaired' | 'already_healthy' | 'failed';
  readonly reason?: RepairFailureReason;
  readonly backupPath?: string;
  readonly orphansFixed: number;
  readonly newChainDepth: number;
  readonly edits: readonly RepairEdit[];
  readonly resumeBefore: LoadCount;
  readonly resumeAfter: LoadCount;
  /**
   * 1-based lines, before the repair, of messages that Claude loads without the repair, but not after it. Absent if there are
   * none.
   */
  readonly unloads?: readonly number[];
}

/** Who asked for a repair. `automatic`: nobody was shown the plan. `anyway`: also if a client may be running the session. */
export type RepairManner = 'asked' | 'automatic' | 'anyway';

/** A result with the sentence that is shown if it failed. */
export interface RepairOutcome {
  readonly result: SessionRepairResult;
  readonly problem: string | null;
}

/**
 * Judged for the client that the verdict names. `error`: history is lost on resume.
 * `warning`: deserves attention. `info`: a harmless oddity, explained.
 */
export type Severity = 'error' | 'warning' | 'info';

/** `auto`: a repair that cannot lose anything. `ask`: the person chooses. `tell`: only explained. */
export type FindingAction = 'auto' | 'ask' | 'tell';

export interface Finding {
  /** Code of the check that found it, such as `dangling-parent`; each check defines its own. */
  readonly code: string;
  readonly severity: Severity;
  readonly action: FindingAction;
  /** 1-based lines of the transcript, ascending. */
  readonly lines: readonly number[];
  /** uuids of the rows the finding is about; rows without one are left out. */
  readonly uuids: readonly string[];
  /** One sentence for people. Holds ids and line numbers, never message text. */
  readonly message: string;
}
