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
