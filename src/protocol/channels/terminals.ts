import { call, type Calls, cancellable, defineChannel, notice } from '../channel';
import type { FoundClients } from '../client';
import type { RepairOutcome } from '../repair';
import type { SessionRef } from '../session';
import type { FoundSession, RestoredMemory, ResumeVerdict, RunningClient, WindowMemory } from '../terminals';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Clients that run in terminals, and what is remembered of them across restarts. */
export const terminalsChannel = defineChannel(
  'terminals',
  {
    /** Takes seconds at most, and only the first time. Never rejects. */
    findClients: call<() => FoundClients>({ timeoutMs: MINUTE_MS }),
    /**
     * What the client of a version would load of a session; null for the client that all verdicts speak for. Uses the known scan
     * unless the file has changed since. The signal ends the waiting.
     */
    judge: cancellable<(session: SessionRef, clientVersion: string | null) => ResumeVerdict>(),
    /** Repairs, without asking, by the rules of a version, which need not be the one that verdicts speak for. */
    repairFor: call<(session: SessionRef, clientVersion: string) => RepairOutcome>({ timeoutMs: 20 * MINUTE_MS }),
    /** Clients of this machine. Never rejects. */
    runningClients: call<() => readonly RunningClient[]>({ timeoutMs: MINUTE_MS }),
    /** Where the transcripts of sessions are now: clients move them. Those of unknown sessions are left out. */
    locate: call<(sessionIds: readonly string[]) => readonly SessionRef[]>({ timeoutMs: MINUTE_MS }),
    /** The session of a folder, or of one below it, with the latest message; null if there is none. `folder`: absolute. */
    lastSession: call<(folder: string) => FoundSession | null>({ timeoutMs: 5 * MINUTE_MS }),
    /**
     * What earlier windows of the workspace have remembered; this window answers for it from now on. `workspace` identifies the
     * workspace. Never rejects.
     */
    restore: call<(workspace: string) => RestoredMemory>({ timeoutMs: MINUTE_MS }),
    /** Replaces what this window remembers. Written within a second or two, and when the worker shuts down. */
    remember: notice<(workspace: string, memory: WindowMemory) => void>(),
  },
  {},
);

export type TerminalsCalls = Calls<typeof terminalsChannel>;
