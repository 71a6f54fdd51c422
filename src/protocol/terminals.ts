import type { ClientInfo } from './client';
import type { Liveness, ScannedSession, SessionRef } from './session';

/** Variable of the terminals that the extension opens. Its value identifies the terminal. */
export const TERMINAL_VARIABLE = 'RETHREAD_TERMINAL';

/** File in the extension's own folder that holds what windows remember across restarts. */
export const STORE_NAME = 'remembered-sessions.json';

/** A client of this machine that runs a session. */
export interface RunningClient {
  readonly pid: number;
  /** In lower case. It follows the client, which changes it by /clear, /resume and /branch. */
  readonly sessionId: string;
  /** Its parent, that one's parent, and so on, as far as the machine tells. */
  readonly ancestors: readonly number[];
  /** Value of `TERMINAL_VARIABLE` in its environment; null if it has none, or the machine does not show it. */
  readonly terminalId: string | null;
  /** Name of the tmux session in which it runs; null outside tmux. */
  readonly tmux: string | null;
  /** First eight characters of the id of its background job; null if it is none. */
  readonly jobId: string | null;
  /** Its working folder, absolute; null if unknown. */
  readonly cwd: string | null;
  /** As the client names what started it, such as `cli` or `claude-vscode`. */
  readonly entrypoint: string | null;
}

/** What a client would load of a session, and whether it may be resumed. */
export interface ResumeVerdict {
  readonly scan: ScannedSession;
  /** The client that the scan speaks for. */
  readonly client: ClientInfo;
  readonly live: Liveness;
  /** Why a client may run the session, as a sentence to show; null if that is certain, or excluded. */
  readonly why: string | null;
}

/** A session by name and folder. */
export interface FoundSession extends SessionRef {
  readonly title: string | null;
  readonly cwd: string | null;
}

/** A terminal in which the extension started a client. */
export interface RememberedTerminal {
  /** The value of its `TERMINAL_VARIABLE`. */
  readonly id: string;
  /** The process of its shell; null until it is known. */
  readonly shellPid: number | null;
  readonly sessionId: string;
  /** Absolute path of the transcript; null until there is one. */
  readonly filePath: string | null;
  readonly title: string | null;
  /** Absolute; null for VS Code's default. */
  readonly cwd: string | null;
  /** The config folder of the session, absolute. */
  readonly configDir: string;
  /** `lost`: it ended with the window, and nobody has decided yet whether it is resumed. `ended`: its client has ended. */
  readonly state: 'running' | 'lost' | 'ended';
  /** When its client was started; milliseconds since the epoch, as are the others. */
  readonly startedMs: number;
  /** When the entry was changed last. */
  readonly changedMs: number;
  /** Null while it runs. */
  readonly endedMs: number | null;
}

/** What a window remembers across restarts. */
export interface WindowMemory {
  readonly terminals: readonly RememberedTerminal[];
  /** Absolute paths of the transcripts in conversation panels. */
  readonly panels: readonly string[];
  /** Absolute paths of the transcripts that come first in the queue, the most urgent first. */
  readonly urgent: readonly string[];
}

/** What earlier windows of the same workspace have remembered. */
export interface RestoredMemory extends WindowMemory {
  /** Such a window has ended without saying so: it crashed, or was killed. */
  readonly hasCrashed: boolean;
  /** Another window of the workspace runs, or is about to end: what it remembers is not included. */
  readonly isOtherRunning: boolean;
}
