import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import type { Diagnostics } from '../core/diagnose/verdict';
import { createCheckpointHooks } from '../core/history/checkpoints/checkpointHooks';
import { createOwnCheckpoints } from '../core/history/checkpoints/ownCheckpoints';
import { pruneSessions } from '../core/history/checkpoints/pruneSessions';
import { clearLeftRecords } from '../core/history/leftovers';
import { createForks } from '../core/history/fork/forks';
import { compareFile } from '../core/history/rewind/compareFile';
import { createRewinds, type Rewinds } from '../core/history/rewind/rewinds';
import { configDirFor } from '../core/providers/claude/format/paths';
import type { SessionCapabilities } from '../core/providers/provider';
import { nodeWriteFs } from '../core/storage/writeFs';
import type { LivenessAnswer } from '../core/providers/provider';
import { createFileScanner } from '../core/transcript/scanFile';
import type { ScannerFactory } from '../core/transcript/scanner';
import { createPacer } from '../core/util/scheduling';
import type { Calls } from '../protocol/channel';
import type { historyChannel } from '../protocol/channels/history';
import type { RecoveredRewind } from '../protocol/history';
import type { SessionRef } from '../protocol/session';
import { UnfinishedWork } from './unfinishedWork';

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

export interface RewindingDeps {
  readonly createScanner: ScannerFactory;
  /** Those of the sessions' provider. */
  readonly capabilities: () => SessionCapabilities;
  /** The engine's diagnostics, which change with the client. */
  readonly diagnostics: () => Diagnostics;
  /** Absolute paths of the config folders, the main one first. Throws while they are unknown. */
  readonly configDirs: () => readonly [string, ...string[]];
  readonly liveness: (filePath: string) => Promise<LivenessAnswer>;
  /** True once no work is to be started any more. */
  readonly isClosing: () => boolean;
}

export interface Rewinding extends Calls<typeof historyChannel> {
  /** Resolves when nothing is being written. */
  settled(): Promise<void>;
}

/** Forks, rewinds and checkpoints. Loaded on first use: many windows never need them. */
export function createRewinding(deps: RewindingDeps): Rewinding {
  const { createScanner, capabilities, diagnostics, configDirs, liveness, isClosing } = deps;
  const work = new UnfinishedWork(isClosing);
  const scanFile = createFileScanner(createScanner, createPacer(MAX_WORK_MS));
  const write = { fs: nodeWriteFs, now: Date.now, random: randomUUID };
  const mainDir = (): string => configDirs()[0];
  const byDir = new Map<string, Rewinds>();
  const rewindsIn = (configDir: string): Rewinds => {
    const rewinds =
      byDir.get(configDir) ??
      createRewinds({
        scanFile,
        get capabilities() {
          return capabilities();
        },
        get rules() {
          return diagnostics().rules;
        },
        configDir: () => configDir,
        get ownConfigDir() {
          return mainDir();
        },
        homeDir: homedir(),
        write,
        liveness,
        ownCheckpoints: createOwnCheckpoints({ ...write, configDir: () => configDir }),
      });
    byDir.set(configDir, rewinds);
    return rewinds;
  };
  /** What is kept of a session is in the config folder that contains its transcript. */
  const of = ({ path }: SessionRef): Rewinds => rewindsIn(configDirFor(path, configDirs()));
  const hooks = createCheckpointHooks({ ...write, configDir: mainDir, home: homedir() });
  return {
    ...hooks,
    checkpoints: (session, roots) => of(session).checkpoints(session, roots),
    planRewind: (request) => of(request.session).planRewind(request),
    compareFile: (file) => compareFile(file, nodeWriteFs),
    rewindState: (session, roots) => of(session).rewindState(session, roots),
    rewoundSessions: async () =>
      (await Promise.all(configDirs().map((each) => rewindsIn(each).rewoundSessions()))).flat(),
    fork: work.keep((request) =>
      createForks({
        scanFile,
        capabilities: capabilities(),
        diagnostics: diagnostics(),
        configDir: mainDir,
        write,
        random: randomUUID,
      }).fork(request),
    ),
    rewind: work.keep((request) => of(request.session).rewind(request)),
    undoRewind: work.keep((session, options) => of(session).undoRewind(session, options)),
    recoverRewinds: work.keep(async (roots) => {
      const recovered: RecoveredRewind[] = [];
      for (const configDir of configDirs()) {
        recovered.push(...(await rewindsIn(configDir).recoverRewinds(roots)));
        await clearLeftRecords(configDir, write);
      }
      return recovered;
    }),
    applyHook: work.keep((change, extensionsFolder) => hooks.applyHook(change, extensionsFolder)),
    installProgram: work.keep((files) => hooks.installProgram(files)),
    // Can be interrupted at any point: the next run finishes a partial removal.
    async pruneCheckpoints() {
      const pruned: string[] = [];
      for (const configDir of configDirs())
        pruned.push(...(await pruneSessions({ ...write, configDir: () => configDir })));
      return pruned;
    },
    settled: () => work.settled(),
  };
}
