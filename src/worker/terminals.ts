import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { diagnosticsFor } from '../core/diagnose/verdict';
import { createEngine, type Engine } from '../core/engine';
import { findInstalledClients, type InstalledClientDeps } from '../core/providers/claude/installedClient';
import { thisMachine } from '../core/providers/claude/live/machine';
import { readRunningClients, thisProcessTree } from '../core/providers/claude/live/runningClients';
import { configDirFor } from '../core/providers/claude/format/paths';
import type { LivenessAnswer } from '../core/providers/provider';
import { readQuickMetadata } from '../core/sessions/quickMetadata';
import { RememberedSessions, type WindowProcess } from '../core/sessions/rememberedSessions';
import { lastSession, locateSessions } from '../core/sessions/sessionLookups';
import { nodeWriteFs } from '../core/storage/writeFs';
import type { ScannerFactory } from '../core/transcript/scanner';
import { diskSessionFiles } from '../core/util/diskFiles';
import { systemClock, untilAborted } from '../core/util/scheduling';
import type { SessionDetails } from '../protocol/channels/sessions';
import type { TerminalsCalls } from '../protocol/channels/terminals';
import type { WorkerConfiguration, WorkerEvents } from '../protocol/channels/worker';
import type { SessionRef } from '../protocol/session';
import { UnfinishedWork } from './unfinishedWork';

export interface TerminalsDeps {
  readonly createScanner: ScannerFactory;
  /** Throws while it is unknown. */
  readonly configuration: () => WorkerConfiguration;
  /** Absolute paths of the config folders, the main one first. Throws while they are unknown. */
  readonly configDirs: () => readonly [string, ...string[]];
  /** What is known of a session, by the rules of the client that verdicts speak for. */
  /** Judges the next request of the session, too. */
  readonly judge: (session: SessionRef) => Promise<Pick<SessionDetails, 'scan' | 'client'>>;
  readonly liveness: (filePath: string) => Promise<LivenessAnswer>;
  readonly clientDeps: (places: Pick<WorkerConfiguration, 'clientExtensionFolder' | 'cacheDir'>) => InstalledClientDeps;
  readonly log: WorkerEvents['log'];
  /** True once no work is to be started any more. */
  readonly isClosing: () => boolean;
}

export interface Terminals extends TerminalsCalls {
  /** Resolves when nothing is being written, and what is remembered has been. */
  settled(): Promise<void>;
}

/** How much later two readings of the start of one process may be, in milliseconds. */
const START_TOLERANCE_MS = 2000;

const NOTHING = { terminals: [], panels: [], urgent: [], hasCrashed: false, isOtherRunning: false };

/** Clients in terminals, and what is remembered of them. Loaded on first use: many windows never need it. */
export function createTerminals(deps: TerminalsDeps): Terminals {
  const { createScanner, configuration, configDirs, judge, liveness, clientDeps, log, isClosing } = deps;
  const machine = thisMachine();
  const work = new UnfinishedWork(isClosing);
  const own: WindowProcess = {
    id: randomUUID(),
    pid: process.pid,
    pidDomain: machine.pidDomain,
    startedMs: machine.startedMs(process.pid),
  };
  const isAlive = ({ pid, pidDomain, startedMs }: WindowProcess): boolean => {
    if (pidDomain !== own.pidDomain || pid === own.pid || !machine.isAlive(pid, null)) return false;
    const nowMs = startedMs === null ? null : machine.startedMs(pid);
    return startedMs === null || nowMs === null || Math.abs(nowMs - startedMs) <= START_TOLERANCE_MS;
  };
  let remembered: RememberedSessions | null = null;
  const memory = (): RememberedSessions | null => {
    const folder = configuration().cacheDir;
    if (folder === null) return null;
    remembered ??= new RememberedSessions({ folder, own, isAlive, fs: nodeWriteFs, clock: systemClock, log });
    return remembered;
  };
  const engineFor = ({ path }: SessionRef, clientVersion: string): Engine => {
    const configDir = configDirFor(path, configDirs());
    return createEngine({ configDir, createScanner, diagnostics: diagnosticsFor(clientVersion) });
  };

  return {
    findClients: () => findInstalledClients(clientDeps(configuration())),
    async judge(session, clientVersion, signal) {
      const judged = async (): Promise<Pick<SessionDetails, 'scan' | 'client'>> => {
        const known = await judge(session);
        if (clientVersion === null || clientVersion === known.client.version) return known;
        const engine = engineFor(session, clientVersion);
        return {
          scan: await engine.scan(session.path, { signal, isThorough: true }),
          client: engine.diagnostics.client,
        };
      };
      const [{ scan, client }, { live, why }] = await untilAborted(
        Promise.all([judged(), liveness(session.path)]),
        signal,
      );
      return { scan, client, live, why };
    },
    repairFor: work.keep((session, clientVersion) =>
      engineFor(session, clientVersion).repair(session.path, { isAutomatic: true }),
    ),
    async runningClients() {
      const read = (configDir: string): ReturnType<typeof readRunningClients> =>
        readRunningClients({ configDir, machine, processes: thisProcessTree, now: Date.now });
      const [main, ...extra] = configDirs();
      // Another folder may be gone.
      const ofAll = await Promise.all([read(main), ...extra.map((each) => read(each).catch(() => []))]);
      return ofAll.flat();
    },
    locate: (sessionIds) => locateSessions(configDirs(), sessionIds, diskSessionFiles),
    lastSession: (folder) =>
      lastSession(folder, {
        provider: {
          findBatches: () => createEngine({ configDir: configDirs()[0], createScanner }).findBatches(configDirs()),
        },
        files: diskSessionFiles,
        readQuickMetadata,
        homeDir: homedir(),
      }),
    restore: async (workspace) => (await memory()?.restore(workspace)) ?? NOTHING,
    remember: (workspace, windowMemory) => memory()?.remember(workspace, windowMemory),
    async settled() {
      await Promise.all([work.settled(), remembered?.close()]);
    },
  };
}
