import type { RewindCalls, RewindState, UndoOptions } from '../../../src/protocol/channels/history';
import type {
  ApplyRewindRequest,
  Checkpoint,
  ComparedFile,
  FileComparison,
  PlannedFile,
  RecoveredRewind,
  RewindOutcome,
  RewindPlan,
  RewindRequest,
} from '../../../src/protocol/history';
import type { SessionRef } from '../../../src/protocol/session';

export const FILE_PATH = '/c/projects/-src-app/44444444-4444-4444-8444-444444444444.jsonl';
export const PROMPT = '11111111-1111-4111-8111-111111111111';

export function plannedFile(change: Partial<PlannedFile> = {}): PlannedFile {
  return {
    path: '/src/app/chart.ts',
    action: 'restore',
    insertions: 3,
    deletions: 1,
    isBinary: false,
    isTooLarge: false,
    size: 120,
    contentPath: '/c/file-history/x/1@v1',
    exists: true,
    modeChange: null,
    isOutside: false,
    isSensitive: false,
    ...change,
  };
}

export function plan(change: Partial<RewindPlan> = {}): RewindPlan {
  return {
    kind: 'client',
    filePath: FILE_PATH,
    sessionId: '44444444-4444-4444-8444-444444444444',
    promptUuid: PROMPT,
    prompt: 'Draw the rain as bars',
    timeMs: null,
    problem: null,
    files: [plannedFile()],
    coverage: [],
    insertions: 3,
    deletions: 1,
    isLive: false,
    token: 'token 1',
    ...change,
  };
}

export function checkpoint(change: Partial<Checkpoint> = {}): Checkpoint {
  return {
    kind: 'client',
    promptUuid: PROMPT,
    line: 12,
    prompt: 'Draw the rain as bars',
    timeMs: null,
    filesChanged: ['/src/app/chart.ts'],
    insertions: 3,
    deletions: 1,
    filesTracked: 2,
    problem: null,
    ...change,
  };
}

export function outcome(change: Partial<RewindOutcome> = {}): RewindOutcome {
  return {
    result: {
      canRewind: true,
      filesChanged: ['/src/app/chart.ts'],
      insertions: 3,
      deletions: 1,
      files: [
        { path: '/src/app/chart.ts', action: 'restore' },
        { path: '/src/app/same.ts', action: 'unchanged' },
      ],
    },
    reason: null,
    safetyPath: '/c/rethread/rewinds/x/1',
    obstacles: [],
    warning: null,
    ...change,
  };
}

/** An engine that gives the configured answers in turn, and repeats the last one. */
export class FakeRewinds implements RewindCalls {
  readonly calls: string[] = [];
  readonly planned: RewindRequest[] = [];
  readonly applied: ApplyRewindRequest[] = [];
  readonly compared: ComparedFile[] = [];
  plans: RewindPlan[] = [plan()];
  outcomes: RewindOutcome[] = [outcome()];
  list: readonly Checkpoint[] = [checkpoint()];
  state: RewindState = { undoableMs: null, paths: [], obstacles: [], isLive: false };
  readonly undone: (UndoOptions | undefined)[] = [];
  rewound: readonly string[] = [];
  recovered: readonly RecoveredRewind[] = [];
  /** The error with which file changes reject. */
  failure: Error | null = null;

  checkpoints(_session: SessionRef, roots: readonly string[]): Promise<readonly Checkpoint[]> {
    this.calls.push(`checkpoints in ${roots.join()}`);
    return Promise.resolve(this.list);
  }

  planRewind(request: RewindRequest): Promise<RewindPlan> {
    this.calls.push('planRewind');
    this.planned.push(request);
    return Promise.resolve(takeFirst(this.plans));
  }

  compareFile(file: ComparedFile): Promise<FileComparison> {
    this.compared.push(file);
    return Promise.resolve({ kind: 'binary' });
  }

  rewind(request: ApplyRewindRequest): Promise<RewindOutcome> {
    this.calls.push('rewind');
    this.applied.push(request);
    return this.#change();
  }

  rewindState(_session: SessionRef, roots: readonly string[]): Promise<RewindState> {
    this.calls.push(`rewindState in ${roots.join()}`);
    return Promise.resolve(this.state);
  }

  rewoundSessions(): Promise<readonly string[]> {
    this.calls.push('rewoundSessions');
    return Promise.resolve(this.rewound);
  }

  recoverRewinds(roots: readonly string[]): Promise<readonly RecoveredRewind[]> {
    this.calls.push(`recoverRewinds in ${roots.join()}`);
    return this.failure === null ? Promise.resolve(this.recovered) : Promise.reject(this.failure);
  }

  undoRewind(_session: SessionRef, options?: UndoOptions): Promise<RewindOutcome> {
    this.calls.push('undoRewind');
    this.undone.push(options);
    return this.#change();
  }

  #change(): Promise<RewindOutcome> {
    return this.failure === null ? Promise.resolve(takeFirst(this.outcomes)) : Promise.reject(this.failure);
  }
}

function takeFirst<T>(answers: T[]): T {
  const [first] = answers;
  if (first === undefined) throw new Error('Nothing to answer');
  if (answers.length > 1) answers.shift();
  return first;
}
