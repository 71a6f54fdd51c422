import { call, type CallsOf, defineChannel } from '../channel';
import type {
  ApplyRewindRequest,
  ChangeChoice,
  Checkpoint,
  ComparedFile,
  FileComparison,
  ForkOutcome,
  ForkRequest,
  RecoveredRewind,
  RewindObstacle,
  RewindOutcome,
  RewindPlan,
  RewindRequest,
} from '../history';
import type { SessionRef } from '../session';

const MINUTE_MS = 60_000;
/** For calls that check a few files but read no transcript. */
const CHECK_MS = 2 * MINUTE_MS;
const READ_MS = 10 * MINUTE_MS;
/** For calls that also write files. */
const WRITE_MS = 20 * MINUTE_MS;

const fork = {
  /** Writes a new transcript beside the source, or nothing at all. Never rejects because of what is on disk. */
  fork: call<(request: ForkRequest) => ForkOutcome>({ timeoutMs: READ_MS }),
};

/** No call rejects because of what is on disk. */
const rewind = {
  /** Oldest first. `roots`: as in a `RewindRequest`. */
  checkpoints: call<(session: SessionRef, roots: readonly string[]) => readonly Checkpoint[]>({ timeoutMs: READ_MS }),
  /** Changes nothing. */
  planRewind: call<(request: RewindRequest) => RewindPlan>({ timeoutMs: READ_MS }),
  /** Reads a file of a plan and its copy, and changes nothing. */
  compareFile: call<(file: ComparedFile) => FileComparison>({ timeoutMs: CHECK_MS }),
  /** All or nothing: makes a safety snapshot, replaces each file by a rename, and rolls everything back on an error. */
  rewind: call<(request: ApplyRewindRequest) => RewindOutcome>({ timeoutMs: WRITE_MS }),
  /** `roots`: as in a `RewindRequest`. */
  rewindState: call<(session: SessionRef, roots: readonly string[]) => RewindState>({ timeoutMs: CHECK_MS }),
  /** Ids of the sessions with a rewind that can be undone. Reads only the folder of safety snapshots. */
  rewoundSessions: call<() => readonly string[]>({ timeoutMs: CHECK_MS }),
  /**
   * Restores the files to their state before the newest rewind. Files that changed since then are skipped and listed. Until
   * they are undone too, the same rewind is the next one to undo.
   */
  undoRewind: call<(session: SessionRef, options: UndoOptions) => RewindOutcome>({ timeoutMs: WRITE_MS }),
  /**
   * Puts back what interrupted rewinds of all sessions have changed below the roots (as in a `RewindRequest`). Those of
   * sessions that a client may run stay as they are. Empty if nothing was interrupted.
   */
  recoverRewinds: call<(roots: readonly string[]) => readonly RecoveredRewind[]>({ timeoutMs: WRITE_MS }),
};

const checkpoints = {
  /**
   * The hook's lines for a project; writes nothing. `command`: as a shell runs it, without arguments. `maxFileSizeMB`: of larger
   * files, the hook keeps no copy.
   */
  planHook: call<(projectFolder: string, isEnabled: boolean, command: string, maxFileSizeMB: number) => HookChange>({
    timeoutMs: CHECK_MS,
  }),
  /**
   * Writes the change that was shown. Resolves to null, or to a sentence why it was not written, such as that the file
   * changed since. `extensionsFolder`: absolute path of the folder that contains the extension, which takes its hooks
   * out when it is uninstalled.
   */
  applyHook: call<(change: HookChange, extensionsFolder: string) => string | null>({ timeoutMs: CHECK_MS }),
  /** Installs the files that the hook runs, in the given order. Rejects if that fails. */
  installProgram: call<(files: readonly ProgramFile[]) => void>({ timeoutMs: CHECK_MS }),
  /**
   * Removes our own checkpoints that can no longer be rewound to. Runs at most once a day, however often it is called.
   * Resolves to the ids of the sessions whose checkpoints were removed.
   */
  pruneCheckpoints: call<() => readonly string[]>({ timeoutMs: READ_MS }),
};

/** Forks, rewinds and checkpoints. */
export const historyChannel = defineChannel('history', { ...fork, ...rewind, ...checkpoints }, {});

export type ForkCalls = CallsOf<typeof fork>;
export type RewindCalls = CallsOf<typeof rewind>;
export type CheckpointCalls = CallsOf<typeof checkpoints>;

/** A change to a project's `.claude/settings.local.json`, to be shown before it is written. */
export interface HookChange {
  /** Absolute path of the settings file. */
  readonly settingsPath: string;
  /** Current text of the file; null if there is no file. */
  readonly before: string | null;
  /** Text after the change; null if the file would be deleted. Equal to `before` if there is nothing to do. */
  readonly after: string | null;
  /** Why the file cannot be changed, such as invalid JSON: one sentence for people; null if it can. */
  readonly problem: string | null;
  /** Command of another installation's hook, which already makes checkpoints and would be replaced; null if there is none. */
  readonly replaces: string | null;
}

/** A file of the extension, in a folder of its own. */
export interface ProgramFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

/** `paths` and `skipObstacles` may leave files out; the same rewind is then the next one to undo. */
export interface UndoOptions extends ChangeChoice {
  /** Proceed even while Claude is using the session. */
  readonly mayBeLive: boolean;
}

export interface RewindState {
  /** When the session's newest rewind was made, in milliseconds since the epoch; null if none can be undone. */
  readonly undoableMs: number | null;
  /** Absolute paths of the files that undoing would change, so that unsaved editors can be saved first. */
  readonly paths: readonly string[];
  /** Those that undoing changes only if the person names them, or not at all. */
  readonly obstacles: readonly RewindObstacle[];
  /** Claude is using the session and may change the same files in the meantime. */
  readonly isLive: boolean;
}
