import { call, type CallsOf, defineChannel } from '../channel';
import type {
  ApplyRewindRequest,
  Checkpoint,
  ForkOutcome,
  ForkRequest,
  RewindOutcome,
  RewindPlan,
  RewindRequest,
} from '../history';

const MINUTE_MS = 60_000;
/** For what looks at some files, but reads no transcript. */
const LOOK_MS = 2 * MINUTE_MS;
const READ_MS = 10 * MINUTE_MS;
/** For what also writes files. */
const WRITE_MS = 20 * MINUTE_MS;

const fork = {
  /** Writes a new transcript beside the source, or nothing at all. Never rejects for what is on disk. */
  fork: call<(request: ForkRequest) => ForkOutcome>({ timeoutMs: READ_MS }),
};

/** `filePath` names a session. None rejects for what is on disk. */
const rewind = {
  /** Oldest first. `roots`: as in a `RewindRequest`. */
  checkpoints: call<(filePath: string, roots: readonly string[]) => readonly Checkpoint[]>({ timeoutMs: READ_MS }),
  /** Touches nothing. */
  planRewind: call<(request: RewindRequest) => RewindPlan>({ timeoutMs: READ_MS }),
  /** All of it or nothing: a safety snapshot first, each file put in place by a rename, all put back on an error. */
  rewind: call<(request: ApplyRewindRequest) => RewindOutcome>({ timeoutMs: WRITE_MS }),
  rewindState: call<(filePath: string) => RewindState>({ timeoutMs: LOOK_MS }),
  /** Ids of the sessions of which a rewind can be undone; looks into the folder of safety snapshots and nowhere else. */
  rewoundSessions: call<() => readonly string[]>({ timeoutMs: LOOK_MS }),
  /**
   * Puts the files back to what they were before the newest rewind; those that changed since are left alone, and named. Until
   * these were undone as well, the rewind stays the one that is undone next.
   */
  undoRewind: call<(filePath: string, options?: UndoOptions) => RewindOutcome>({ timeoutMs: WRITE_MS }),
};

const checkpoints = {
  /** The hook's lines for a project; nothing is written. `command`: as a shell runs it, without arguments. */
  planHook: call<(projectFolder: string, isEnabled: boolean, command: string) => HookChange>({ timeoutMs: LOOK_MS }),
  /** Writes what was shown; the sentence says why it was not, such as that the file changed since. Null when it was. */
  applyHook: call<(change: HookChange) => string | null>({ timeoutMs: LOOK_MS }),
  /** Puts what the hook runs in its place, in the order given. Rejects when it cannot. */
  installProgram: call<(files: readonly ProgramFile[]) => void>({ timeoutMs: LOOK_MS }),
  /**
   * Removes checkpoints of ours that nobody can rewind to any more; looks once a day, however often it is asked. Resolves to
   * the ids of the sessions that they were of.
   */
  pruneCheckpoints: call<() => readonly string[]>({ timeoutMs: READ_MS }),
};

/** Forks, rewinds and checkpoints. */
export const historyChannel = defineChannel('history', { ...fork, ...rewind, ...checkpoints }, {});

export type ForkCalls = CallsOf<typeof fork>;
export type RewindCalls = CallsOf<typeof rewind>;
export type CheckpointCalls = CallsOf<typeof checkpoints>;

/** A change of a project's `.claude/settings.local.json`, to be shown before it is made. */
export interface HookChange {
  /** Absolute path of the settings file. */
  readonly settingsPath: string;
  /** Text of the file as it is; null when there is none. */
  readonly before: string | null;
  /** As it would be; null when it would be gone. Equal to `before` when there is nothing to do. */
  readonly after: string | null;
  /** Why it cannot be changed, such as no JSON in it: one sentence for people; null when it can. */
  readonly problem: string | null;
}

/** A file of our own, in a folder of ours. */
export interface ProgramFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

export interface UndoOptions {
  /** Also while Claude is using the session. */
  readonly mayBeLive: boolean;
}

export interface RewindState {
  /** The newest rewind of the session, if it can be undone: when it was made, in milliseconds since the epoch. */
  readonly undoableMs: number | null;
  /** Absolute paths of the files that undoing it would change, so that unsaved editors of them can be saved before. */
  readonly paths: readonly string[];
  /** Claude is using the session: it may change the same files meanwhile. */
  readonly isLive: boolean;
}
