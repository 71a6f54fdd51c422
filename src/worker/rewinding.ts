import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import type { Diagnostics } from '../core/diagnose/verdict';
import { createCheckpointHooks } from '../core/history/checkpoints/checkpointHooks';
import { createOwnCheckpoints } from '../core/history/checkpoints/ownCheckpoints';
import { pruneSessions } from '../core/history/checkpoints/pruneSessions';
import { clearLeftRecords } from '../core/history/leftovers';
import { createForks } from '../core/history/fork/forks';
import { createRewinds } from '../core/history/rewind/rewinds';
import type { SessionCapabilities } from '../core/providers/provider';
import { nodeWriteFs } from '../core/storage/writeFs';
import type { LivenessAnswer } from '../core/providers/provider';
import { createFileScanner } from '../core/transcript/scanFile';
import type { ScannerFactory } from '../core/transcript/scanner';
import { createPacer } from '../core/util/scheduling';
import type { Calls } from '../protocol/channel';
import type { historyChannel } from '../protocol/channels/history';
import { UnfinishedWork } from './unfinishedWork';

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

export interface RewindingDeps {
  readonly createScanner: ScannerFactory;
  /** Those of the sessions' provider. */
  readonly capabilities: () => SessionCapabilities;
  /** The engine's diagnostics, which change with the client. */
  readonly diagnostics: () => Diagnostics;
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
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
  const { createScanner, capabilities, diagnostics, configDir, liveness, isClosing } = deps;
  const work = new UnfinishedWork(isClosing);
  const scanFile = createFileScanner(createScanner, createPacer(MAX_WORK_MS));
  const write = { fs: nodeWriteFs, now: Date.now, random: randomUUID };
  const ownCheckpoints = createOwnCheckpoints({ ...write, configDir });
  const rewinds = createRewinds({
    scanFile,
    get capabilities() {
      return capabilities();
    },
    get rules() {
      return diagnostics().rules;
    },
    configDir,
    homeDir: homedir(),
    write,
    liveness,
    ownCheckpoints,
  });
  const hooks = createCheckpointHooks({ ...write, configDir, home: homedir() });
  return {
    ...rewinds,
    ...hooks,
    fork: work.keep((request) =>
      createForks({
        scanFile,
        capabilities: capabilities(),
        diagnostics: diagnostics(),
        configDir,
        write,
        random: randomUUID,
      }).fork(request),
    ),
    rewind: work.keep((request) => rewinds.rewind(request)),
    undoRewind: work.keep((session, options) => rewinds.undoRewind(session, options)),
    recoverRewinds: work.keep(async (roots) => {
      const recovered = await rewinds.recoverRewinds(roots);
      await clearLeftRecords(configDir(), write);
      return recovered;
    }),
    applyHook: work.keep((change, extensionsFolder) => hooks.applyHook(change, extensionsFolder)),
    installProgram: work.keep((files) => hooks.installProgram(files)),
    // Can be interrupted at any point: the next run finishes a partial removal.
    pruneCheckpoints: () => pruneSessions({ ...write, configDir }),
    settled: () => work.settled(),
  };
}
