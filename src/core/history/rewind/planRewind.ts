import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import {
  COVERAGE_KINDS,
  type CoverageNote,
  type PlannedFile,
  type RewindFailureReason,
  type RewindPlan,
} from '../../../protocol/history';
import { readMovedText } from '../../providers/claude/files/readMovedText';
import { type FileBackup, isFileBackupName } from '../../providers/claude/format/checkpointRow';
import { EDIT_RESULT_NEEDLE, type EditResult, readEditResult } from '../../providers/claude/format/fileCalls';
import type { WriteFs } from '../../storage/writeFs';
import { NO_ID } from '../../transcript/idTable';
import { RowFlag } from '../../transcript/rowFlags';
import { allowedFolders, type KnownFolders } from './allowedFolders';
import { findCoverage } from './coverage';
import { type FilePlan, planFile } from './filePlan';
import { haveSameBytes, lstatOrNull, readFileText } from './fileText';
import { MAX_SNAPSHOTS } from './foldHistory';
import type { OwnCheckpoint } from './ownCheckpoints';
import type { SessionHistory } from './sessionHistory';
import { wantedFiles } from './wantedFiles';

export interface PlanDeps {
  readonly history: SessionHistory;
  readonly promptUuid: string;
  /** Absolute. Named by the person. */
  readonly roots: readonly string[];
  /** Null if they could not be read. */
  readonly own: readonly OwnCheckpoint[] | null;
  readonly known: KnownFolders;
  /** Absolute path of the client's copies of the session. */
  readonly backupFolder: string;
  readonly subagents: readonly string[];
  readonly isLive: boolean;
  readonly fs: Pick<WriteFs, 'open' | 'lstat' | 'realpath' | 'accessToWrite'>;
}

export interface PlannedRewind {
  readonly plan: RewindPlan;
  /** Why nothing can be done; null otherwise. */
  readonly reason: RewindFailureReason | null;
  readonly files: readonly FilePlan[];
  /** Absolute path of the session's project folder; null if unknown. */
  readonly cwd: string | null;
}

/** Inspects everything and changes nothing. Rejects only if the disk fails. */
export async function planRewind(deps: PlanDeps): Promise<PlannedRewind> {
  const { history, promptUuid, roots, own, known, backupFolder, subagents, fs } = deps;
  const prompt = history.prompt(promptUuid);
  const chain = prompt === null ? history.chains.resumed : history.chains.of(prompt.row);
  const wanted = wantedFiles(history, chain, promptUuid, own ?? [], backupFolder);
  const problem = findProblem(deps, prompt !== null, wanted === null);
  const head = {
    kind: wanted?.kind ?? ('client' as const),
    filePath: history.filePath,
    sessionId: history.sessionId,
    promptUuid,
    prompt: prompt?.words ?? '',
    timeMs: wanted?.timeMs ?? prompt?.timeMs ?? null,
    isLive: deps.isLive,
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
  const allowed = await allowedFolders(roots, known, fs);
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

function findProblem(
  { history, promptUuid }: PlanDeps,
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

type ReadFs = Pick<WriteFs, 'open' | 'lstat'>;

/** How Claude left a file, as far as the transcript says. */
type LeftAs =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'copy'; readonly path: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/**
 * Notes on files that are about to change although they are not as Claude left them, because a rewind also reverts what
 * a person or a program has changed since. Also notes on first copies that differ from the file's text in the
 * transcript.
 */
async function findHandChanges(
  history: SessionHistory,
  plans: readonly FilePlan[],
  backupFolder: string,
  fs: ReadFs,
): Promise<readonly CoverageNote[]> {
  const changing = plans.filter(({ change, changesContent }) => change !== null && changesContent);
  if (changing.length === 0) return [];
  const { left, first } = readStatedFiles(history, backupFolder, new Set(changing.map(({ planned }) => planned.path)));
  const notes: CoverageNote[] = [];
  for (const { planned, change } of changing) {
    const { path } = planned;
    if (!(await isAsLeft(path, left.get(path) ?? { kind: 'unknown' }, fs).catch(() => true))) {
      const what = planned.exists ? 'was changed' : 'was removed';
      notes.push(
        note('byHand', path, `${path} ${what} after Claude’s last change of it, which a rewind takes back, too.`),
      );
    }
    const original = first.get(path);
    const isFirst = change?.after.kind === 'file' && change.after.contentPath.endsWith('@v1');
    if (isFirst && typeof original === 'string' && !(await isText(change.after.contentPath, original, fs))) {
      notes.push(note('doubtfulBackup', path, `The copy of ${path} is not what the transcript says the file was.`));
    }
  }
  return notes;
}

/** The states of files according to the transcript. */
interface StatedFiles {
  /** By path, how Claude left the file. */
  readonly left: ReadonlyMap<string, LeftAs>;
  /** By path, the file before the first edit. */
  readonly first: ReadonlyMap<string, string | null>;
}

/** The newest snapshot has the files' states at its prompt; the results of later edits have the states after these. */
function readStatedFiles(history: SessionHistory, backupFolder: string, paths: ReadonlySet<string>): StatedFiles {
  const chain = history.chains.compacted;
  const folded = history.fold(chain);
  const { snapshots } = folded;
  const newest = snapshots.at(-1);
  const left = new Map<string, LeftAs>();
  const first = new Map<string, string | null>();
  if (newest !== undefined) {
    const folder = history.folderOf(folded);
    for (const [trackingPath, backup] of newest.backups) {
      const path = folder.locate(trackingPath, backup);
      if (path !== null && paths.has(path)) left.set(path, leftAs(backup, backupFolder));
    }
  }
  const row = newest === undefined ? NO_ID : history.chains.rowOf(newest.promptId);
  const from = row === NO_ID ? -1 : chain.rows.indexOf(row);
  for (const { at, result } of editResults(history, chain.rows)) {
    const path = resolve(history.cwd ?? '/', result.path);
    if (!paths.has(path)) continue;
    if (!first.has(path) && result.before !== undefined) first.set(path, result.before);
    if (at < from) continue;
    left.set(path, result.after === null ? { kind: 'unknown' } : { kind: 'text', text: result.after });
  }
  return { left, first };
}

function leftAs({ name }: FileBackup, backupFolder: string): LeftAs {
  if (name === null) return { kind: 'absent' };
  return isFileBackupName(name) ? { kind: 'copy', path: join(backupFolder, name) } : { kind: 'unknown' };
}

function* editResults(
  history: SessionHistory,
  chain: Int32Array,
): Generator<{ readonly at: number; readonly result: EditResult }> {
  const { rows } = history.transcriptIndex;
  for (let at = 0; at < chain.length; at++) {
    const row = chain[at] ?? 0;
    if (!rows.has(row, RowFlag.hasToolResult)) continue;
    if (!history.rows.bytes(row, MAX_RESULT_BYTES).includes(EDIT_RESULT_NEEDLE)) continue;
    const object = history.rows.object(row);
    const result = object === null ? null : readEditResult(object, (text) => readMovedText(history.filePath, text));
    if (result !== null) yield { at, result };
  }
}

/** Maximum size of a result; longer ones are not examined. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

async function isAsLeft(path: string, left: LeftAs, fs: ReadFs): Promise<boolean> {
  const stat = await lstatOrNull(path, fs);
  switch (left.kind) {
    case 'unknown':
      return true;
    case 'absent':
      return stat === null;
    case 'text':
      return stat !== null && (await isText(path, left.text, fs));
    case 'copy': {
      const copy = await lstatOrNull(left.path, fs);
      if (copy === null) return true;
      return stat?.size === copy.size && (await haveSameBytes(path, left.path, Number(copy.size), fs));
    }
  }
}

/**
 * Ignores a BOM and the kind of line endings, because rows hold texts with `\n`, whatever line endings the file has.
 */
async function isText(path: string, text: string, fs: ReadFs): Promise<boolean> {
  const found = await readFileText(path, fs);
  return found.kind !== 'text' || withNewlines(found.text) === withNewlines(text);
}

function withNewlines(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function note(kind: CoverageNote['kind'], path: string, message: string): CoverageNote {
  return { kind, path, line: null, message };
}
