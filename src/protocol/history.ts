import type { DiffHunk } from './conversation';
import type { SessionRef } from './session';

/** Who made the copies of the files: `client` is Claude Code itself, `own` is `rethread checkpoint`. */
export type CheckpointKind = 'client' | 'own';

/** The state of the files before one prompt. */
export interface Checkpoint {
  readonly kind: CheckpointKind;
  readonly promptUuid: string;
  /** 1-based line of the prompt; null if the prompt is no longer in the transcript. */
  readonly line: number | null;
  /** First words of the prompt, on one line; empty when it has no text. */
  readonly prompt: string;
  /** Milliseconds since the epoch; null if unknown. */
  readonly timeMs: number | null;
  /** Absolute paths of the files that a rewind to this checkpoint would change at this moment. */
  readonly filesChanged: readonly string[];
  /** Lines that the rewind would add to, and delete from, the current files. */
  readonly insertions: number;
  readonly deletions: number;
  /** Number of files that the checkpoint covers, changed or not. */
  readonly filesTracked: number;
  /** Why a rewind to this checkpoint is impossible: one sentence for people; null if it is possible. */
  readonly problem: string | null;
}

export type RewindAction = 'restore' | 'delete' | 'create' | 'unchanged' | 'skipped';

/** The public shape of a file in a result; its field names are a contract with scripts. */
export interface RewoundFile {
  /** Absolute. */
  readonly path: string;
  readonly action: RewindAction;
  /** Why the file is skipped: one sentence for people. */
  readonly why?: string;
}

/** The public result of a rewind, a dry run or an undo: the Claude Agent SDK's shape, plus detail. */
export interface RewindFilesResult {
  readonly canRewind: boolean;
  readonly error?: string;
  /** Absolute paths. */
  readonly filesChanged?: readonly string[];
  /** Lines. */
  readonly insertions?: number;
  readonly deletions?: number;
  readonly files?: readonly RewoundFile[];
  readonly coverage?: { readonly notCovered: readonly string[] };
}

/** What a rewind cannot restore, or restores only with a warning. */
export type CoverageKind =
  /** A command may have changed files since the prompt. */
  | 'command'
  /** A file differs from what Claude wrote: it was edited by hand or by another program. */
  | 'byHand'
  | 'missingBackup'
  /** A backup has changed since it was made; the file is left unchanged. */
  | 'alteredBackup'
  /** A backup may have changed since it was made; the file is restored from it unless the person opts out. */
  | 'doubtfulBackup'
  /** The first copy of a file after the prompt was made after an edit, so that edit stays. */
  | 'laterCopy'
  /** The client keeps only the last 100 checkpoints; older ones are deleted. */
  | 'snapshotCap'
  | 'symlink'
  | 'hardLink'
  /** Outside the folders that the person named: an obstacle. */
  | 'outside'
  /** Who writes such a file can have programs run: changed only if the person names this very file. */
  | 'sensitive'
  /** A folder, a socket or the like is at the file's path. */
  | 'notAFile'
  /** The file or its parent folder is not writable. */
  | 'readOnly'
  /** A change by a subagent or another session for which there is no backup. */
  | 'untracked'
  | 'other';

export interface CoverageNote {
  readonly kind: CoverageKind;
  /** Absolute; null if the note is not about a single file. */
  readonly path: string | null;
  /** 1-based line of the transcript that the note is about; null if there is none. */
  readonly line: number | null;
  /** One sentence for people. */
  readonly message: string;
  /** The command that the note is about, on one line, truncated if long; omitted if the note is not about a command. */
  readonly command?: string;
  /** Absolute paths of the files whose copies the note counts, because they were written late; omitted if it counts none. */
  readonly lateCopies?: readonly string[];
}

/** One file of a preview. */
export interface PlannedFile extends RewoundFile {
  /** Lines; 0 for a binary file and for a file that is too large. */
  readonly insertions: number;
  readonly deletions: number;
  /** The content changes, and the file or its copy is binary. */
  readonly isBinary: boolean;
  /** The content changes, and the file or its copy exceeds 16 MiB, the limit for counting lines and showing a diff. */
  readonly isTooLarge: boolean;
  /** Size in bytes after the rewind; 0 if the rewind deletes the file. */
  readonly size: number;
  /**
   * Absolute path of a file with the content after the rewind; callers must not modify it. Null if the rewind deletes the
   * file.
   */
  readonly contentPath: string | null;
  /** The file currently exists. */
  readonly exists: boolean;
  /** Permission bits that change, such as `0o644`; null if they do not change. */
  readonly modeChange: { readonly from: number; readonly to: number } | null;
  /** Outside the roots: changed only if the person names it and allows that. */
  readonly isOutside: boolean;
  /** Changed only if the person names it. */
  readonly isSensitive: boolean;
}

/** What a rewind would do. Making a plan changes nothing. */
export interface RewindPlan {
  readonly kind: CheckpointKind;
  readonly filePath: string;
  readonly sessionId: string;
  readonly promptUuid: string;
  /** First words of the prompt, on one line. */
  readonly prompt: string;
  readonly timeMs: number | null;
  /** Why the rewind is impossible: one sentence for people; null if it is possible. */
  readonly problem: string | null;
  /** Files that change, then skipped files, then unchanged files; sorted by path within each group. */
  readonly files: readonly PlannedFile[];
  readonly coverage: readonly CoverageNote[];
  /** Lines, summed over the files that change. */
  readonly insertions: number;
  readonly deletions: number;
  /** Claude is using the session and may change the same files in the meantime. */
  readonly isLive: boolean;
  /**
   * Identifies the state of everything that the plan is based on. A rewind with this token is refused if anything has
   * changed since.
   */
  readonly token: string;
}

/** A file before and after a rewind. */
export type ComparedFile = Pick<PlannedFile, 'path' | 'exists' | 'contentPath'>;

/** The lines by which a file and its state after a rewind differ. */
export type FileComparison =
  /** `more`: the number of lines that are left out, because the difference is long. */
  | { readonly kind: 'lines'; readonly hunks: readonly DiffHunk[]; readonly more: number }
  | { readonly kind: 'binary' }
  /** One of the two exceeds 16 MiB. */
  | { readonly kind: 'tooLarge' }
  /** The file, or its copy, cannot be read any more. */
  | { readonly kind: 'unreadable' };

export interface RewindRequest {
  readonly session: SessionRef;
  readonly promptUuid: string;
  /**
   * Absolute paths of the folders whose files the rewind can change. The person names them, never a transcript; if
   * empty, every file is outside.
   */
  readonly roots: readonly string[];
}

/** What a person lets a rewind, or its undo, change. */
export interface ChangeChoice {
  /** As in a `RewindRequest`. */
  readonly roots: readonly string[];
  /**
   * Absolute paths of the files that the person named; null for all. Sensitive files, and files outside the roots, are
   * changed only if they are named here.
   */
  readonly paths: readonly string[] | null;
  /** Also change named files outside the roots. */
  readonly mayLeaveRoots: boolean;
  /** Leave out what is in the way; otherwise one obstacle prevents everything. */
  readonly skipObstacles: boolean;
}

export interface ApplyRewindRequest extends RewindRequest, ChangeChoice {
  /** Proceed even while Claude is using the session. */
  readonly mayBeLive: boolean;
  /** Token of the plan that the person saw; null to skip the check for changes. */
  readonly token: string | null;
}

/** A file that a rewind, or its undo, cannot change, or not without the person's word. */
export interface RewindObstacle {
  /** Absolute. */
  readonly path: string;
  /** One sentence for people, or several. */
  readonly why: string;
  /** Outside the roots. If this or `isSensitive` is set, the person can allow the change; otherwise nobody can. */
  readonly isOutside: boolean;
  readonly isSensitive: boolean;
}

/** Why nothing was changed. */
export type RewindFailureReason =
  /** Files are in the way, and the person did not say that they be left out. */
  | 'obstacles'
  /** A rewind was interrupted, and obstacles are in the way of undoing it first. */
  | 'unfinished'
  | 'unknown-prompt'
  | 'no-checkpoint'
  | 'live'
  | 'maybe-live'
  | 'locked'
  | 'changed-since-preview'
  | 'changed-since-rewind'
  /** An interrupted rewind was rolled back first, so the preview is no longer valid. */
  | 'put-back-first'
  | 'nothing-to-undo'
  | 'missing'
  /** The session's project folder was moved or removed. */
  | 'folder-gone'
  | 'unreadable'
  | 'read-only'
  | 'no-space'
  | 'write-failed'
  /** An error occurred, and the rollback failed too. The safety snapshot holds the previous state of every file. */
  | 'half-done';

export interface RewindOutcome {
  readonly result: RewindFilesResult;
  /** Null if the rewind succeeded. */
  readonly reason: RewindFailureReason | null;
  /**
   * Absolute path of the folder with every file as it was before, or with what another program wrote in the middle of a
   * rewind that was refused for it; null if there is none.
   */
  readonly safetyPath: string | null;
  /** Empty unless the reason is `obstacles` or `unfinished`. */
  readonly obstacles: readonly RewindObstacle[];
  /** One sentence for people about anything left to know, such as files that an undo skipped; usually null. */
  readonly warning: string | null;
}

/** Which part of a conversation goes into a new session. */
export interface ForkRequest {
  /** Its transcript is not modified. */
  readonly session: SessionRef;
  /** uuid of the last row of the fork, on any branch; null for the chain that Claude would load on resume. */
  readonly at: string | null;
  /** The fork ends before that row, with its parent. */
  readonly isBefore: boolean;
  /** Title of the new session; null for the source's title followed by "(fork)". */
  readonly title: string | null;
}

/** The public result of a fork; its field names are a contract with scripts. */
export interface ForkResult {
  readonly sessionId: string;
  /** Absolute path of the new transcript, in the source's folder. */
  readonly filePath: string;
  readonly parentSessionId: string;
  /** Chain rows of the new transcript. */
  readonly rowsCopied: number;
}

/** Why a fork failed. The words are part of the JSON contract. */
export type ForkFailureReason =
  | 'unknown-row'
  /** The fork would be empty: there is no row, or no row above the one it should end before. */
  | 'empty'
  /** Claude would not load the selected rows from the fork; nothing was written. */
  | 'not-forkable'
  | 'missing'
  | 'unreadable'
  | 'read-only'
  | 'no-space'
  | 'write-failed';

export type ForkOutcome =
  | {
      readonly kind: 'forked';
      readonly result: ForkResult;
      readonly title: string;
      /** Working directory of the session, where Claude must be started; null if no row names one. */
      readonly cwd: string | null;
      /** How many of the fork's rows Claude will load, simulated from the bytes written. */
      readonly loads: number;
      readonly of: number;
      /** One sentence for people if the fork lacks something, such as file backups; usually null. */
      readonly warning: string | null;
    }
  | {
      readonly kind: 'refused';
      readonly reason: ForkFailureReason;
      /** One sentence for people. */
      readonly problem: string;
    };

/** Maximum length of what a fork's title takes from its source, in UTF-16 units. */
const MAX_FORKED_TITLE = 100;
const FORK_MARK = /\s*\(fork(?: (?<number>[1-9]\d{0,5}))?\)$/;

/**
 * The title of a fork: that of its source with the next number.
 *
 * @param source on one line
 * @param taken titles of other sessions, which the fork does not get
 */
export function forkTitle(source: string, taken: ReadonlySet<string> = new Set()): string {
  const mark = FORK_MARK.exec(source);
  const whole = mark === null ? source : source.slice(0, mark.index);
  const stem = whole.length <= MAX_FORKED_TITLE ? whole : `${whole.slice(0, MAX_FORKED_TITLE - 1).trimEnd()}…`;
  const numbered = (number: number): string => (number === 1 ? `${stem} (fork)` : `${stem} (fork ${number})`);
  let number = mark === null ? 1 : Number(mark.groups?.['number'] ?? '1') + 1;
  while (taken.has(numbered(number))) number++;
  return numbered(number);
}

/** In display order: the most important first. */
export const COVERAGE_KINDS: readonly CoverageKind[] = [
  'command',
  'byHand',
  'untracked',
  'laterCopy',
  'doubtfulBackup',
  'missingBackup',
  'alteredBackup',
  'snapshotCap',
  'sensitive',
  'outside',
  'symlink',
  'hardLink',
  'notAFile',
  'readOnly',
  'other',
];

/** What became of a rewind, or of the undoing of one, that was interrupted. */
export interface RecoveredRewind {
  readonly sessionId: string;
  /** Absolute path of the transcript, as the rewind recorded it. */
  readonly filePath: string;
  /** Absolute paths of the files that are again as they were before. */
  readonly restored: readonly string[];
  /** Absolute paths of the files that another program changed since; they stay as that program left them. */
  readonly leftAlone: readonly string[];
  /** Why nothing was put back, in one sentence or two for people; null if it was. */
  readonly problem: string | null;
}
