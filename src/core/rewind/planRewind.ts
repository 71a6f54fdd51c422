import { createHash } from 'node:crypto';
import { COVERAGE_KINDS } from '../../shared/coverageKinds';
import type { CoverageNote, PlannedFile, RewindFailureReason, RewindPlan } from '../../shared/rewind';
import type { WriteFs } from '../write/writeFs';
import { allowedFolders } from './allowedFolders';
import { findHandChanges } from './changedByHand';
import { findCoverage } from './coverage';
import { MAX_SNAPSHOTS } from './foldHistory';
import type { OwnCheckpoint } from './ownCheckpoints';
import type { FilePlan } from './filePlan';
import { planFile } from './planFile';
import type { SessionHistory } from './sessionHistory';
import { wantedFiles } from './wantedFiles';

export interface PlanParts {
  readonly history: SessionHistory;
  readonly promptUuid: string;
  /** Absolute; empty for the session's working directory. */
  readonly roots: readonly string[];
  /** Null when they could not be read. */
  readonly own: readonly OwnCheckpoint[] | null;
  readonly configDir: string;
  /** Absolute path of the client's copies of the session. */
  readonly backupFolder: string;
  readonly subagents: readonly string[];
  readonly isLive: boolean;
  readonly fs: Pick<WriteFs, 'open' | 'lstat' | 'realpath' | 'accessToWrite'>;
}

export interface PlannedRewind {
  readonly plan: RewindPlan;
  /** Why nothing can be done; null when it can. */
  readonly reason: RewindFailureReason | null;
  readonly files: readonly FilePlan[];
  /** Absolute path of the session's project folder; null when nothing tells it. */
  readonly cwd: string | null;
}

/** Looks at everything and changes nothing. Rejects only for faults of the disk. */
export async function planRewind(parts: PlanParts): Promise<PlannedRewind> {
  const { history, promptUuid, own, configDir, backupFolder, subagents, fs } = parts;
  const prompt = history.prompt(promptUuid);
  const chain = prompt === null ? history.chains.resumed : history.chains.of(prompt.row);
  const wanted = wantedFiles(history, chain, promptUuid, own ?? [], backupFolder);
  const problem = findProblem(parts, prompt !== null, wanted === null);
  const head = {
    kind: wanted?.kind ?? ('client' as const),
    filePath: history.filePath,
    sessionId: history.sessionId,
    promptUuid,
    prompt: prompt?.words ?? '',
    timeMs: wanted?.timeMs ?? prompt?.timeMs ?? null,
    isLive: parts.isLive,
  };
  if (wanted === null || problem !== null) {
    const nothing = { files: [], coverage: [], insertions: 0, deletions: 0, token: '' };
    return {
      plan: { ...head, ...nothing, problem: problem?.words ?? null },
      reason: problem?.reason ?? null,
      files: [],
      cwd: history.cwd,
    };
  }
  const roots = rootsOf(parts);
  const allowed = await allowedFolders(roots, configDir, fs);
  const files: FilePlan[] = [];
  for (const file of wanted.files) files.push(await planFile(file, allowed, fs));
  const handChanges = await findHandChanges(history, files, backupFolder, fs);
  const doubted = new Set(handChanges.filter(({ kind }) => kind === 'doubtfulBackup').map(({ path }) => path));
  const coverage = [
    ...files.flatMap(({ notes }) => notes),
    ...handChanges,
    ...findCoverage({ history, chain, prompt, plans: files, subagents, doubted }),
    ...(own === null ? [OWN_UNREADABLE] : []),
  ].sort(byKind);
  const planned = files.map((file) => file.planned).sort(byAction);
  const changing = planned.filter(isChange);
  const plan: RewindPlan = {
    ...head,
    problem: null,
    files: planned,
    coverage,
    insertions: changing.reduce((sum, { insertions }) => sum + insertions, 0),
    deletions: changing.reduce((sum, { deletions }) => sum + deletions, 0),
    token: tokenOf([promptUuid, ...allowed.roots, ...files.map(({ seen }) => seen)]),
  };
  return { plan, reason: null, files, cwd: history.cwd };
}

const OWN_UNREADABLE: CoverageNote = {
  kind: 'other',
  path: null,
  line: null,
  message: 'The checkpoints that Rethread made itself could not be read.',
};

/** The folders that may be changed, when the caller names none. */
function rootsOf({ roots, history }: PlanParts): readonly string[] {
  if (roots.length > 0) return roots;
  return history.cwd === null ? [] : [history.cwd];
}

function findProblem(
  { history, promptUuid }: PlanParts,
  isThere: boolean,
  isUnknown: boolean,
): { readonly words: string; readonly reason: RewindFailureReason } | null {
  if (!isUnknown) return null;
  if (!isThere) return { words: `There is no prompt ${promptUuid} in this session.`, reason: 'unknown-prompt' };
  const { evicted } = history.fold(history.chains.of(history.prompt(promptUuid)?.row ?? 0));
  const words = evicted.has(promptUuid)
    ? `Claude Code keeps ${MAX_SNAPSHOTS} checkpoints of a session, and the one of this prompt is gone.`
    : 'No file checkpoint was kept for this prompt.';
  return { words, reason: 'no-checkpoint' };
}

export function isChange({ action }: Pick<PlannedFile, 'action'>): boolean {
  return action === 'restore' || action === 'delete' || action === 'create';
}

function byKind(a: CoverageNote, b: CoverageNote): number {
  return COVERAGE_KINDS.indexOf(a.kind) - COVERAGE_KINDS.indexOf(b.kind);
}

const ORDER = { restore: 0, create: 0, delete: 0, skipped: 1, unchanged: 2 } as const;

function byAction(a: PlannedFile, b: PlannedFile): number {
  return ORDER[a.action] - ORDER[b.action] || (a.path < b.path ? -1 : 1);
}

function tokenOf(seen: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 32);
}
