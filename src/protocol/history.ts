/** Whose copies of the files: Claude Code's own, or those that `rethread checkpoint` made. */
export type CheckpointKind = 'client' | 'own';

/** The state of the files before one prompt. */
export interface Checkpoint {
  readonly kind: CheckpointKind;
  readonly promptUuid: string;
  /** 1-based line of the prompt; null when the prompt is not in the transcript any more. */
  readonly line: number | null;
  /** First words of the prompt, on one line; empty when it has no text. */
  readonly prompt: string;
  /** Milliseconds since the epoch; null where nothing tells. */
  readonly timeMs: number | null;
  /** Absolute paths of the files that a rewind to here would change now. */
  readonly filesChanged: readonly string[];
  /** Lines that such a rewind would add to and take from the files as they are now. */
  readonly insertions: number;
  readonly deletions: number;
  /** Files that a rewind to here knows about, changed or not. */
  readonly filesTracked: number;
  /** Why no rewind to here is possible: one sentence for people; null when one is. */
  readonly problem: string | null;
}

export type RewindAction = 'restore' | 'delete' | 'create' | 'unchanged' | 'skipped';

/** The public shape of a file in a result; its field names are a contract with scripts. */
export interface RewoundFile {
  /** Absolute. */
  readonly path: string;
  readonly action: RewindAction;
  /** Why it is skipped: one sentence for people. */
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

/** What a rewind will not bring back, or not without a word. */
export type CoverageKind =
  /** A command may have changed files since. */
  | 'command'
  /** A file is not as Claude left it: changed by hand, or by another program. */
  | 'byHand'
  | 'missingBackup'
  /** A backup is not what it was when it was made: the file is left as it is. */
  | 'alteredBackup'
  /** A backup may not be what it was when it was made; the file gets it all the same, unless the person says otherwise. */
  | 'doubtfulBackup'
  /** The first copy of a file since the prompt was made after an edit, which stays, therefore. */
  | 'laterCopy'
  /** The client keeps 100 checkpoints: older ones are gone. */
  | 'snapshotCap'
  | 'symlink'
  | 'hardLink'
  /** Outside the folders that may be changed: left alone unless it is confirmed. */
  | 'outside'
  /** A folder, a socket … stands where a file was. */
  | 'notAFile'
  /** It, or the folder that it is in, cannot be written. */
  | 'readOnly'
  /** A subagent's or another session's change of which nothing is known. */
  | 'untracked'
  | 'other';

export interface CoverageNote {
  readonly kind: CoverageKind;
  /** Absolute; null when it is about no single file. */
  readonly path: string | null;
  /** 1-based line of the transcript that it is about; null when there is none. */
  readonly line: number | null;
  /** One sentence for people. */
  readonly message: string;
  /** The command that it is about, on one line, cut where it is long; left out when it is about none. */
  readonly command?: string;
}

/** One file of a preview. */
export interface PlannedFile extends RewoundFile {
  /** Lines; 0 for a binary file, and for one that is too large. */
  readonly insertions: number;
  readonly deletions: number;
  /** Its content changes, and it, or its copy, is no text. */
  readonly isBinary: boolean;
  /** Its content changes, and it, or its copy, is larger than what lines are counted of and shown side by side: 16 MiB. */
  readonly isTooLarge: boolean;
  /** Bytes of the file as it would be; 0 when it would be gone. */
  readonly size: number;
  /** Absolute path of a file that holds the bytes as they would be, never to be changed; null when it would be gone. */
  readonly contentPath: string | null;
  /** The file is there now. */
  readonly exists: boolean;
  /** Permissions that change, as in `0o644`; null when they stay. */
  readonly modeChange: { readonly from: number; readonly to: number } | null;
  /** Outside the roots: skipped unless the person says otherwise. */
  readonly isOutside: boolean;
}

/** What a rewind would do; nothing was touched. */
export interface RewindPlan {
  readonly kind: CheckpointKind;
  readonly filePath: string;
  readonly sessionId: string;
  readonly promptUuid: string;
  /** First words of the prompt, on one line. */
  readonly prompt: string;
  readonly timeMs: number | null;
  /** Why it is not possible: one sentence for people; null when it is. */
  readonly problem: string | null;
  /** Those that change first, then those that are skipped, then the unchanged; by path within each. */
  readonly files: readonly PlannedFile[];
  readonly coverage: readonly CoverageNote[];
  /** Lines, of the files that change. */
  readonly insertions: number;
  readonly deletions: number;
  /** Claude is using the session: it may change the same files meanwhile. */
  readonly isLive: boolean;
  /** Names the state of everything that was looked at; a rewind with it is refused when anything changed since. */
  readonly token: string;
}

export interface RewindRequest {
  /** Absolute path of the transcript. */
  readonly filePath: string;
  readonly promptUuid: string;
  /** Absolute paths of the folders that may be changed; empty for the session's working directory alone. */
  readonly roots: readonly string[];
}

export interface ApplyRewindRequest extends RewindRequest {
  /** Absolute paths of the files that the person chose; null for all. */
  readonly paths: readonly string[] | null;
  /** Files outside the roots are changed, too. */
  readonly mayLeaveRoots: boolean;
  /** Also while Claude is using the session. */
  readonly mayBeLive: boolean;
  /** Of the plan that the person saw; null to take things as they are. */
  readonly token: string | null;
}

/** Why nothing was changed. */
export type RewindFailureReason =
  | 'unknown-prompt'
  | 'no-checkpoint'
  | 'live'
  | 'locked'
  | 'changed-since-preview'
  | 'changed-since-rewind'
  /** A rewind that had been interrupted was put back first, so that the preview is not true any more. */
  | 'put-back-first'
  | 'nothing-to-undo'
  | 'missing'
  /** The session's project folder was moved or removed. */
  | 'folder-gone'
  | 'unreadable'
  | 'read-only'
  | 'no-space'
  | 'write-failed'
  /** Something failed, and putting things back did, too: the safety snapshot holds every file as it was. */
  | 'half-done';

export interface RewindOutcome {
  readonly result: RewindFilesResult;
  /** Null when it was done. */
  readonly reason: RewindFailureReason | null;
  /** Absolute path of the folder with every file as it was before; null when nothing was touched. */
  readonly safetyPath: string | null;
  /** One sentence for people about what is still to be known, such as files that an undo left alone; null as a rule. */
  readonly warning: string | null;
}

/** Which part of a conversation goes into a new session. */
export interface ForkRequest {
  /** Absolute path of the transcript, which is not changed. */
  readonly filePath: string;
  /** uuid of the row that the fork ends with, on whatever branch it is; null for what Claude would load now. */
  readonly at: string | null;
  /** The fork ends before that row: with the row above it. */
  readonly isBefore: boolean;
  /** What the new session is called; null for the source's title and "(fork)". */
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

/** Why there is no fork. The words are part of the JSON contract. */
export type ForkFailureReason =
  | 'unknown-row'
  /** It would hold nothing: there is no row, or none above the one that it was to end before. */
  | 'empty'
  /** Claude would not load from it what was cut; nothing was written. */
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
      /** Working directory of the session, where Claude is to be started; null when no row names one. */
      readonly cwd: string | null;
      /** Rows that Claude will load of those that the fork holds, by simulation of the bytes written. */
      readonly loads: number;
      readonly of: number;
      /** One sentence for people when the fork lacks something, such as backups of files; null as a rule. */
      readonly warning: string | null;
    }
  | {
      readonly kind: 'refused';
      readonly reason: ForkFailureReason;
      /** One sentence for people. */
      readonly problem: string;
    };

/** In the order in which they are told: what may be missed most comes first. */
export const COVERAGE_KINDS: readonly CoverageKind[] = [
  'command',
  'byHand',
  'untracked',
  'laterCopy',
  'doubtfulBackup',
  'missingBackup',
  'alteredBackup',
  'snapshotCap',
  'outside',
  'symlink',
  'hardLink',
  'notAFile',
  'readOnly',
  'other',
];
