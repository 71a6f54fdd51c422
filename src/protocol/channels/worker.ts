import type { SessionFocus } from './sessions';
import { call, defineChannel, event, type Calls, type Events } from '../channel';

/** The life of the worker thread. */
export const workerChannel = defineChannel(
  'worker',
  {
    /** To be sent before anything else, and again when settings or folders change. */
    configure: call<(configuration: WorkerConfiguration) => void>({ timeoutMs: 10_000 }),
    /** Which sessions come first from here on, also of those that wait already. */
    prioritise: call<(focus: SessionFocus) => void>({ timeoutMs: 60_000 }),
    /**
     * To be sent before the thread is ended: resolves when what must not be cut has ended, and what was found out is kept.
     * From the call on everything else is refused. VS Code ends the extension host 5 s after it has asked the extensions to
     * stop.
     */
    drain: call<() => void>({ timeoutMs: 4000 }),
  },
  {
    /** For the log channel. Holds paths, ids and counts, never message text. */
    log: event<(level: LogLevel, message: string) => void>(),
  },
);

export type WorkerCalls = Calls<typeof workerChannel>;
export type WorkerEvents = Events<typeof workerChannel>;

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What the worker works by. */
export interface WorkerConfiguration {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  /** Absolute paths of the open workspace folders, in window order: their sessions are scanned first. */
  readonly workspaceFolders: readonly string[];
  /** Transcripts scanned at the same time; 1 or more. */
  readonly scanConcurrency: number;
  /** Which sessions are repaired without being asked: none, or those that lost history and that nobody is running. */
  readonly automaticRepair: AutomaticRepairMode;
  /** Absolute path of a folder of ours, for what is kept over restarts; null when nothing may be kept. */
  readonly cacheDir: string | null;
  /** How often open conversations are looked at, in milliseconds. */
  readonly livePollMs: number;
}

export type AutomaticRepairMode = 'off' | 'background';
