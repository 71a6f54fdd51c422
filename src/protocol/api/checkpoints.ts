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

/** Calls from the host to the worker. */
export interface CheckpointsApi {
  /** The hook's lines for a project; nothing is written. `command`: as a shell runs it, without arguments. */
  planHook(projectFolder: string, isEnabled: boolean, command: string): Promise<HookChange>;
  /** Writes what was shown; the sentence says why it was not, such as that the file changed since. Null when it was. */
  applyHook(change: HookChange): Promise<string | null>;
  /** Puts what the hook runs in its place, in the order given. Rejects when it cannot. */
  installProgram(files: readonly ProgramFile[]): Promise<void>;
  /**
   * Removes checkpoints of ours that nobody can rewind to any more; looks once a day, however often it is asked. Resolves to
   * the ids of the sessions that they were of.
   */
  pruneCheckpoints(): Promise<readonly string[]>;
}
