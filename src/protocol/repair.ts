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
  /** Number of lines that are left of one that was cleaned; absent if it is one. */
  readonly linesLeft?: number;
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

/** What Claude would have in its memory after a repair, in terms of the transcript before it. */
export interface PlannedMemory {
  /** 1-based lines of counted rows that Claude would not load, ascending. */
  readonly missingLines: readonly number[];
  /** Offsets of such rows that share their line, or span several. */
  readonly lost: readonly number[];
  /** Offsets of rows that are counted only then: they share a line, or have no content. Ascending. */
  readonly found: readonly number[];
  /** Claude would have the summary of a compaction. */
  readonly hasSummary: boolean;
}

/** What a repair would do. */
export interface RepairPlanOutcome extends RepairOutcome {
  /** Absent if nothing is planned. */
  readonly memoryAfter?: PlannedMemory;
  /** Whether edits mend what the API refuses in the content of messages. Absent if nothing is planned. */
  readonly mendsContent?: boolean;
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
  /** Claude's API refuses every further prompt because of it. Absent if it does not. */
  readonly isRefused?: true;
  /** What a person can do about it where a repair that names no code does nothing. Absent if there is nothing. */
  readonly offer?: FindingOffer;
}

/** A choice that only a person can make. Lines are 1-based lines of the transcript. */
export type FindingOffer =
  /** Claude resumes an older branch: to go on with that one, or with the branch whose last message is on this line. */
  | { readonly kind: 'choose-branch'; readonly line: number }
  /** Claude resumes nothing: the conversation, whose last message is on this line, can go on in a session of its own. */
  | { readonly kind: 'fork-newest'; readonly line: number }
  /** The conversation is in another transcript. */
  | { readonly kind: 'open-original'; readonly filePath: string }
  /** The last messages of conversations that Claude does not remember: each can go on in a session of its own. */
  | { readonly kind: 'fork-branch'; readonly lines: readonly number[] };

/** Whether an automatic repair mends the finding: it costs history or every prompt, and the repair cannot lose anything. */
export function isForAutomaticRepair({ severity, action }: Pick<Finding, 'severity' | 'action'>): boolean {
  return severity === 'error' && action === 'auto';
}

/** Code of the finding that a slim answers, and no repair. */
export const GIANT_FILE = 'giant-file';

/** Code of the finding that is repaired only by its name, because the repair decides which of two conversations Claude remembers. */
export const WRONG_LEAF = 'wrong-leaf';

/** What a repair in the window is about: all that is broken, or, by its name, the branch with which Claude goes on. */
export type RepairScope = 'all' | typeof WRONG_LEAF;

/** Whether a repair that names no code changes something about the finding. What is offered at `info` is repaired only by name. */
export function isForRepair({ code, action, severity }: Pick<Finding, 'code' | 'action' | 'severity'>): boolean {
  return action !== 'tell' && severity !== 'info' && code !== GIANT_FILE && code !== WRONG_LEAF;
}

/** Whether anything brings back what the finding costs: a repair that names no code, or what it offers. */
export function isMendable(finding: Pick<Finding, 'code' | 'action' | 'severity' | 'offer'>): boolean {
  return isForRepair(finding) || finding.offer !== undefined;
}
