import { basename, dirname } from 'node:path';
import { diagnosticsFor } from '../../rooms/diagnose';
import type { Engine } from '../../../src/core/engine';
import type { RepairOutcome, SessionRepairResult } from '../../../src/protocol/repair';
import type { ScannedSession, SessionMetadata, SessionScanResult } from '../../../src/protocol/session';
import { FAKE_PROVIDER } from '../../support/fakeProvider';
import { sessionRefOf } from '../../rooms/format';

export const SESSION_ID = '11111111-1111-4111-8111-111111111111';
export const NOW_MS = Date.UTC(2026, 0, 31, 12);

export function scanned(
  filePath: string,
  result: Partial<SessionScanResult> = {},
  metadata: Partial<SessionMetadata> = {},
  problem: string | null = null,
): ScannedSession {
  return {
    result: {
      sessionId: basename(filePath, '.jsonl'),
      filePath,
      provider: 'claude',
      status: 'healthy',
      chainDepth: 12,
      orphanCount: 0,
      fileSize: 2048,
      messageCount: 10,
      resume: { loads: 10, of: 10, leafUuid: 'leaf', missingLines: [], client: '2.1.330', isExact: true },
      findings: [],
      ...result,
    },
    metadata: {
      title: 'A calm talk',
      cwd: '/home/person/work/app',
      model: null,
      gitBranch: null,
      clientVersion: null,
      lastMessageMs: NOW_MS - 2 * 3_600_000,
      parentSessionId: null,
      createdMs: null,
      ...metadata,
    },
    problem,
  };
}

export function corrupted(filePath: string): ScannedSession {
  return scanned(
    filePath,
    {
      status: 'corrupted',
      orphanCount: 1,
      resume: {
        loads: 3,
        of: 10,
        leafUuid: 'leaf',
        missingLines: [1, 2, 3, 4, 5, 6, 7],
        client: '2.1.330',
        isExact: true,
      },
      findings: [
        {
          code: 'dangling-parent',
          severity: 'error',
          action: 'auto',
          lines: [8],
          uuids: ['row-8'],
          message: 'The parent of this row is not in the file, so everything before it is lost on resume.',
        },
      ],
    },
    { title: 'A broken talk' },
  );
}

export function outcome(
  filePath: string,
  result: Partial<SessionRepairResult> = {},
  problem: string | null = null,
): RepairOutcome {
  return {
    result: {
      sessionId: basename(filePath, '.jsonl'),
      filePath,
      status: 'already_healthy',
      orphansFixed: 0,
      newChainDepth: 12,
      edits: [],
      resumeBefore: { loads: 10, of: 10 },
      resumeAfter: { loads: 10, of: 10 },
      ...result,
    },
    problem,
  };
}

export function repaired(filePath: string): RepairOutcome {
  return outcome(filePath, {
    status: 'repaired',
    backupPath: `${filePath}.backup-1`,
    orphansFixed: 1,
    edits: [
      {
        line: 8,
        uuid: 'row-8',
        field: 'parentUuid',
        from: 'dddddddd-dddd-4ddd-8ddd-dddddddddddd',
        to: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
        why: 'The row before it is the nearest one of the same conversation.',
      },
    ],
    resumeBefore: { loads: 3, of: 10 },
    resumeAfter: { loads: 10, of: 10 },
  });
}

export interface FakeEngine extends Engine {
  /** The calls, such as "repair /path". */
  readonly calls: string[];
}

/** An engine that knows the given sessions. Every other path is missing. */
export function fakeEngine(
  sessions: readonly ScannedSession[],
  outcomes: readonly RepairOutcome[] = [],
  overrides: Partial<Engine> = {},
): FakeEngine {
  const calls: string[] = [];
  const known = new Map(sessions.map((session) => [session.result.filePath, session]));
  const answers = new Map(outcomes.map((each) => [each.result.filePath, each]));
  const answer = (call: string, filePath: string): Promise<RepairOutcome> => {
    calls.push(`${call} ${filePath}`);
    const missing = outcome(filePath, { status: 'failed', reason: 'missing' }, 'There is no such file.');
    return Promise.resolve(answers.get(filePath) ?? missing);
  };
  return {
    ...FAKE_PROVIDER,
    calls,
    diagnostics: diagnosticsFor(),
    filesChangedBy: () => Promise.resolve({ compared: [], unknown: [] }),
    sessionsThatChanged: () => Promise.resolve([]),
    readRetention: () => Promise.resolve(() => Promise.resolve(null)),
    async *find(paths) {
      await Promise.resolve();
      const all = [...new Set([...known.keys(), ...answers.keys()])];
      const named = paths.flatMap((path) => {
        const inside = all.filter((file) => file.startsWith(`${path}/`));
        return inside.length > 0 ? inside : [path];
      });
      for (const filePath of paths.length === 0 ? all : named) {
        yield { ...sessionRefOf(filePath), projectFolder: dirname(filePath) };
      }
    },
    async *findBatches(paths, signal) {
      for await (const found of this.find(paths, signal)) yield [found];
    },
    search() {
      throw new Error('Nobody searches');
    },
    follow(filePath) {
      throw new Error(`Nobody follows ${filePath}`);
    },
    scan(filePath) {
      calls.push(`scan ${filePath}`);
      const missing = scanned(
        filePath,
        {
          status: 'missing',
          fileSize: 0,
          resume: { loads: 0, of: 0, leafUuid: null, missingLines: [], client: '2.1.330', isExact: true },
        },
        { title: null, cwd: null, lastMessageMs: null },
        'There is no such file.',
      );
      return Promise.resolve(known.get(filePath) ?? missing);
    },
    planRepair: (filePath) => answer('plan', filePath),
    repair: (filePath) => answer('repair', filePath),
    undoRepair: (filePath) => answer('undo', filePath),
    liveSessions: () => Promise.resolve(new Set()),
    createScanner() {
      throw new Error('Nobody reads a transcript by itself');
    },
    ...overrides,
  };
}
