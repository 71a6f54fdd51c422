import { resolve } from 'node:path';
import type { CoverageNote } from '../../shared/rewind';
import { oneLine } from '../read/describe/cutText';
import { trackedPaths } from './targets';
import { callsBeside, callsOfSubagent, callsOnChain, type LocatedCall, type SubagentCalls } from './callsSince';
import { earlierEdits } from './earlierEdits';
import { MAX_SNAPSHOTS } from './foldHistory';
import type { FilePlan } from './filePlan';
import type { PromptChain } from './promptChains';
import type { PromptFacts, SessionHistory } from './sessionHistory';

/** Notes of one kind that are told one by one: whoever shows them shows fewer, and says of how many. */
const MAX_NOTES = 1_000;
const MAX_COMMAND_UNITS = 60;

export interface CoverageParts {
  readonly history: SessionHistory;
  readonly chain: PromptChain;
  /** Null when only our own checkpoints know it. */
  readonly prompt: PromptFacts | null;
  readonly plans: readonly FilePlan[];
  /** Absolute paths of the transcripts of the session's subagents. */
  readonly subagents: readonly string[];
  /** Absolute paths of files whose copies are told to be in doubt already. */
  readonly doubted: ReadonlySet<string | null>;
}

/** What a rewind will not bring back, or not without a word, beside what its files say themselves. */
export function findCoverage(parts: CoverageParts): readonly CoverageNote[] {
  const { history, chain, prompt, plans } = parts;
  const paths = new Set(plans.map(({ planned }) => planned.path));
  const calls = [...callsSince(history, chain, prompt)];
  const subagents = parts.subagents.map((path) => callsOfSubagent(path, prompt?.timeMs ?? Infinity));
  const earlier = earlierEdits(history, chain, plans, calls, subagents);
  return [
    ...lateCopies(plans, parts.doubted),
    ...commandNotes(calls, subagents),
    ...capped(earlier, 'laterCopy', 'more files have copies that were made after an edit of them.'),
    ...untrackedEdits(history, [...calls, ...subagents.flatMap((each) => each.calls)], paths),
    ...otherBranch(parts, paths),
    ...snapshotNotes(parts),
  ];
}

/** Of a history that was copied as a whole, all copies are late: that is said once, and none is in doubt for it. */
function lateCopies(plans: readonly FilePlan[], doubted: ReadonlySet<string | null>): CoverageNote[] {
  const late = plans.filter(({ isLateCopy }) => isLateCopy).map(({ planned }) => planned.path);
  if (late.length > 3) {
    const message = `The copies of ${late.length} files were written later than their rows say: they may not be what the files were.`;
    return [note('other', null, null, message)];
  }
  return late
    .filter((path) => !doubted.has(path))
    .map((path) =>
      note(
        'doubtfulBackup',
        path,
        null,
        `The copy of ${path} was written later than its row says: it may not be what the file was.`,
      ),
    );
}

function commandNotes(calls: readonly LocatedCall[], subagents: readonly SubagentCalls[]): CoverageNote[] {
  const commands = calls.filter(({ kind }) => kind === 'command');
  const notes: CoverageNote[] = commands.slice(0, MAX_NOTES).map((call) => {
    const text = call.kind === 'command' ? oneLine(call.text, MAX_COMMAND_UNITS) : '';
    const message = `A command may have changed files, which is not taken back: ${text}`;
    return { ...note('command', null, call.line, message), command: text };
  });
  if (commands.length > MAX_NOTES) {
    notes.push(note('command', null, null, `${commands.length - MAX_NOTES} more commands may have changed files.`));
  }
  const count = subagents.flatMap((each) => each.calls).filter(({ kind }) => kind === 'command').length;
  if (count > 0) {
    const what = count === 1 ? 'A command' : `${count} commands`;
    notes.push(note('command', null, null, `${what} of subagents may have changed files, which is not taken back.`));
  }
  return notes;
}

/** Edits since the prompt of files that no checkpoint holds. */
function untrackedEdits(
  { cwd }: SessionHistory,
  calls: readonly LocatedCall[],
  known: ReadonlySet<string>,
): CoverageNote[] {
  const notes = new Map<string, CoverageNote>();
  for (const call of calls) {
    if (call.kind !== 'edit') continue;
    const path = resolve(cwd ?? '/', call.path);
    if (known.has(path) || notes.has(path)) continue;
    notes.set(path, note('untracked', path, call.line, `${path} was changed, and no copy of it was kept.`));
  }
  return capped([...notes.values()], 'untracked', 'more files were changed of which no copy was kept.');
}

function* callsSince(history: SessionHistory, chain: PromptChain, prompt: PromptFacts | null): Generator<LocatedCall> {
  if (prompt === null) return;
  const at = chain.rows.indexOf(prompt.row);
  if (at >= 0) yield* callsOnChain(history, chain.rows, at);
  if (prompt.timeMs !== null) yield* callsBeside(history, prompt.timeMs);
}

/** Files that Claude changed on the branch that it goes on from, of which this one knows nothing. */
function otherBranch({ history, chain }: CoverageParts, known: ReadonlySet<string>): CoverageNote[] {
  if (chain.kind !== 'branch') return [];
  const folded = history.fold(history.chains.compacted);
  const { snapshots } = folded;
  const folder = history.folderOf(folded);
  const notes: CoverageNote[] = [];
  for (const trackingPath of trackedPaths(snapshots)) {
    const backup = snapshots.findLast(({ backups }) => backups.has(trackingPath))?.backups.get(trackingPath);
    const path = backup === undefined ? null : folder.locate(trackingPath, backup);
    if (path === null || known.has(path)) continue;
    notes.push(note('untracked', path, null, `${path} was changed on another branch, which is not taken back.`));
  }
  return capped(notes, 'untracked', 'more files were changed on another branch.');
}

function snapshotNotes({ history, chain, prompt }: CoverageParts): CoverageNote[] {
  const { snapshots, evicted } = history.fold(chain);
  const notes: CoverageNote[] = [];
  const at = prompt === null ? -1 : snapshots.findLastIndex(({ promptId }) => promptId === history.uuid(prompt.row));
  for (const { hasUntrackedChanges, promptId } of at < 0 ? [] : snapshots.slice(at)) {
    if (!hasUntrackedChanges) continue;
    const line = history.prompt(promptId)?.line ?? null;
    const message = 'Claude Code noticed that files changed in this turn of which it keeps no copy.';
    notes.push(note('untracked', null, line, message));
  }
  if (evicted.size > 0) {
    const message = `Claude Code keeps ${MAX_SNAPSHOTS} checkpoints of a session: those of ${evicted.size} older prompts are gone.`;
    notes.push(note('snapshotCap', null, null, message));
  }
  return capped(notes, 'untracked', 'more turns changed files of which no copy is kept.');
}

function capped(notes: readonly CoverageNote[], kind: CoverageNote['kind'], words: string): CoverageNote[] {
  if (notes.length <= MAX_NOTES) return [...notes];
  return [...notes.slice(0, MAX_NOTES), note(kind, null, null, `${notes.length - MAX_NOTES} ${words}`)];
}

function note(kind: CoverageNote['kind'], path: string | null, line: number | null, message: string): CoverageNote {
  return { kind, path, line, message };
}
