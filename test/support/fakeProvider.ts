import { basename } from 'node:path';
import type { SessionActivity } from '../../src/protocol/sessionActivity';
import type { SlimOutcome, SlimResult } from '../../src/protocol/slim';
import type { SessionProvider } from '../../src/core/providers/provider';

/** Of a session that has ended. */
export const NOT_RUNNING: SessionActivity = {
  state: 'ended',
  isInferred: true,
  source: 'unknown',
  pid: null,
  sinceMs: null,
  waitingFor: null,
  agentName: null,
};

export function slimOutcome(
  filePath: string,
  result: Partial<SlimResult> = {},
  problem: string | null = null,
): SlimOutcome {
  return {
    result: {
      sessionId: basename(filePath, '.jsonl'),
      filePath,
      status: 'already_slim',
      bytesBefore: 2048,
      bytesAfter: 2048,
      kinds: [],
      relinked: 0,
      resumeBefore: { loads: 10, of: 10 },
      resumeAfter: { loads: 10, of: 10 },
      ...result,
    },
    problem,
  };
}

/** The common part of all fake providers: it has all capabilities, and names sessions after their files, none of which is running. */
export const FAKE_PROVIDER: Pick<
  SessionProvider,
  | 'id'
  | 'capabilities'
  | 'refOf'
  | 'readLiveness'
  | 'readActivities'
  | 'findDebris'
  | 'clearDebris'
  | 'pruneBackups'
  | 'planSlim'
  | 'slim'
  | 'undoSlim'
> = {
  id: 'claude',
  capabilities: { repair: true, fork: true, rewind: true },
  findDebris: () => Promise.resolve([]),
  clearDebris: () => Promise.resolve(null),
  pruneBackups: () => Promise.resolve([]),
  planSlim: (filePath) => Promise.resolve(slimOutcome(filePath)),
  slim: (filePath) => Promise.resolve(slimOutcome(filePath)),
  undoSlim: (filePath) => Promise.resolve(slimOutcome(filePath, { status: 'restored' })),
  readLiveness: () => () => Promise.resolve({ live: 'not-live', why: null }),
  readActivities: () => ({
    of: () => Promise.resolve({ live: 'not-live', activity: NOT_RUNNING }),
    running: () => Promise.resolve([]),
    look: () => Promise.resolve({ running: new Set(), said: new Map() }),
  }),
  refOf: (path) => ({ provider: 'claude', id: basename(path, '.jsonl'), path }),
};
