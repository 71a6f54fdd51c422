import type { ApplyRewindRequest, Checkpoint, RewindOutcome, RewindPlan, RewindRequest } from '../history';

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

/** Calls from the host to the worker; `filePath` names a session. None rejects for what is on disk. */
export interface RewindApi {
  /** Oldest first. `roots`: as in a `RewindRequest`. */
  checkpoints(filePath: string, roots: readonly string[]): Promise<readonly Checkpoint[]>;
  /** Touches nothing. */
  planRewind(request: RewindRequest): Promise<RewindPlan>;
  /** All of it or nothing: a safety snapshot first, each file put in place by a rename, all put back on an error. */
  rewind(request: ApplyRewindRequest): Promise<RewindOutcome>;
  rewindState(filePath: string): Promise<RewindState>;
  /** Ids of the sessions of which a rewind can be undone; looks into the folder of safety snapshots and nowhere else. */
  rewoundSessions(): Promise<readonly string[]>;
  /**
   * Puts the files back to what they were before the newest rewind; those that changed since are left alone, and told. Until
   * these were undone as well, the rewind stays the one that is undone next.
   */
  undoRewind(filePath: string, options?: UndoOptions): Promise<RewindOutcome>;
}
