import type { SessionFocus } from './sessions';
import { call, defineChannel, event, type Calls, type Events } from '../channel';

/** Lifecycle of the worker thread. */
export const workerChannel = defineChannel(
  'worker',
  {
    /** Must be sent before anything else, and again when settings or folders change. */
    configure: call<(configuration: WorkerConfiguration) => void>({ timeoutMs: 10_000 }),
    /** Sets which sessions come first, including those already queued. */
    prioritise: call<(focus: SessionFocus) => void>({ timeoutMs: 60_000 }),
    /**
     * Must be sent before the thread is terminated. Resolves when work that must not be interrupted has ended and results
     * are saved; then the thread ends by itself. From this call on, every other call is refused. VS Code terminates the
     * extension host 5 s after asking extensions to stop.
     */
    drain: call<() => void>({ timeoutMs: 4000 }),
  },
  {
    /** Entry for the log channel. Holds paths, ids and counts, never message text. */
    log: event<(level: LogLevel, message: string) => void>(),
  },
);

export type WorkerCalls = Calls<typeof workerChannel>;
export type WorkerEvents = Events<typeof workerChannel>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Settings of the worker. */
export interface WorkerConfiguration {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  /** Absolute paths of further config folders, such as those of other accounts. They may be missing, or the same folder twice. */
  readonly extraConfigDirs: readonly string[];
  /** Absolute paths of the open workspace folders, in window order: their sessions are scanned first. */
  readonly workspaceFolders: readonly string[];
  /** Number of transcripts scanned concurrently; 1 or more. */
  readonly scanConcurrency: number;
  /** Which sessions are repaired without asking: none, or those that lost history and that no client is running. */
  readonly automaticRepair: AutomaticRepairMode;
  /** Age in days at which backups of repairs are removed; null to keep all. */
  readonly backupRetentionDays: number | null;
  /** Absolute path of the extension's own folder for data kept across restarts; null if nothing is kept. */
  readonly cacheDir: string | null;
  /** The client that verdicts speak for, such as `2.1.330`; null for the one that is installed. */
  readonly clientVersion: string | null;
  /** Absolute path of the folder of Claude Code's own extension; null if it is not installed. */
  readonly clientExtensionFolder: string | null;
  /** How often open conversations are checked for changes, in milliseconds. */
  readonly livePollMs: number;
}

export type AutomaticRepairMode = 'off' | 'background';
