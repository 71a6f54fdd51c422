import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CoverageNote } from '../../../protocol/history';
import { oneLine } from '../../conversation/items/itemText';
import { bytePattern, CandidateLines } from '../../conversation/search/candidateLines';
import { type FileCall, readCallResults, readFileCalls } from '../../providers/claude/format/fileCalls';
import { dissectLine } from '../../transcript/dissectLine';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import { stringField } from '../../util/json';
import { openRegularFile } from '../../util/openForeignFile';
import type { FilePlan } from './filePlan';
import { MAX_SNAPSHOTS } from './foldHistory';
import type { PromptChain } from './promptChains';
import type { PromptInfo, SessionHistory } from './sessionHistory';
import { trackedPaths, type WantedFile } from './wantedFiles';

/** Maximum number of notes of one kind; views show fewer and give the total. */
const MAX_NOTES = 1_000;
const MAX_COMMAND_UNITS = 60;

export interface CoverageDeps {
  readonly history: SessionHistory;
  readonly chain: PromptChain;
  /** Null if no row of the transcript is this prompt, so that only Rethread's own checkpoints contain it. */
  readonly prompt: PromptInfo | null;
  readonly plans: readonly FilePlan[];
  /** Absolute paths of the transcripts of the session's subagents. */
  readonly subagents: readonly string[];
  /** Absolute paths of files whose copies are already reported as doubtful. */
  readonly doubted: ReadonlySet<string | null>;
}

/**
 * Notes on what a rewind cannot restore, or restores only with a warning, in addition to the notes of the file plans.
 */
export function findCoverage(deps: CoverageDeps): readonly CoverageNote[] {
  const { history, chain, prompt, plans } = deps;
  const paths = new Set(plans.map(({ planned }) => planned.path));
  const calls = [...callsSince(history, chain, prompt)];
  const subagents = deps.subagents.map((path) => callsOfSubagent(path, prompt?.timeMs ?? Infinity));
  const earlier = earlierEdits(history, chain, plans, calls, subagents);
  return [
    ...lateCopies(plans, deps.doubted),
    ...commandNotes(calls, subagents),
    ...capped(earlier, 'laterCopy', 'more files have copies that were made after an edit of them.'),
    ...untrackedEdits(history, [...calls, ...subagents.flatMap((each) => each.calls)], paths),
    ...otherBranch(deps, paths),
    ...snapshotNotes(deps),
  ];
}

/**
 * If a history was copied as a whole, all copies are late. One note then reports this, and no copy counts as doubtful.
 */
function lateCopies(plans: readonly FilePlan[], doubted: ReadonlySet<string | null>): CoverageNote[] {
  const late = plans.filter(({ isLateCopy }) => isLateCopy).map(({ planned }) => planned.path);
  if (late.length > 3) {
    const message = `The copies of ${late.length} files were written later than the transcript says: they may not be what the files were.`;
    return [{ ...note('other', null, null, message), lateCopies: late }];
  }
  return late
    .filter((path) => !doubted.has(path))
    .map((path) =>
      note(
        'doubtfulBackup',
        path,
        null,
        `The copy of ${path} was written later than the transcript says: it may not be what the file was.`,
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

/** Notes on files that were edited since the prompt and that no checkpoint contains. */
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

function* callsSince(history: SessionHistory, chain: PromptChain, prompt: PromptInfo | null): Generator<LocatedCall> {
  if (prompt === null) return;
  const at = chain.rows.indexOf(prompt.row);
  if (at >= 0) yield* callsOnChain(history, chain.rows, at);
  if (prompt.timeMs !== null) yield* sidechainCalls(history, prompt.timeMs);
}

/** Notes on files that Claude changed on the branch that it continues, and that this rewind does not cover. */
function otherBranch({ history, chain }: CoverageDeps, known: ReadonlySet<string>): CoverageNote[] {
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

function snapshotNotes({ history, chain, prompt }: CoverageDeps): CoverageNote[] {
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

/**
 * Notes on files whose first copy since the prompt was made after an edit. A subagent made the edit, for which the
 * client keeps no copies, or checkpoints were switched off at the time. The rewind restores such a file to a state that
 * did not exist before the prompt.
 *
 * @param calls the calls in the transcript itself since the prompt
 */
function earlierEdits(
  history: SessionHistory,
  chain: PromptChain,
  plans: readonly FilePlan[],
  calls: readonly LocatedCall[],
  subagents: readonly SubagentCalls[],
): readonly CoverageNote[] {
  const files = new Map<string, WantedFile>();
  for (const { planned, wanted } of plans) {
    // A file outside may still be changed; other skipped files have no copy.
    if (planned.action !== 'skipped' || planned.isOutside) files.set(planned.path, wanted);
  }
  const suspectsOf = (among: readonly LocatedCall[]): readonly Suspect[] =>
    among.flatMap((call) => {
      const file = call.kind === 'edit' ? files.get(resolve(history.cwd ?? '/', call.path)) : undefined;
      return file !== undefined && mayBeBefore(call, file) ? [{ call, file }] : [];
    });
  const suspects = suspectsOf(calls);
  const results =
    suspects.length === 0
      ? NO_RESULTS
      : resultsOf(
          history,
          suspects.map(({ call }) => call),
        );
  const isInLaterTurn = suspects.length === 0 ? () => false : turnsOf(history, chain, [...files.values()]);
  const before = [
    ...suspects.filter((suspect) => wasBefore(suspect, results) && !isInLaterTurn(suspect)),
    ...subagents.flatMap((each) => suspectsOf(each.calls).filter((suspect) => wasBefore(suspect, each.results))),
  ];
  const notes = new Map<string, CoverageNote>();
  for (const { call, file } of before) if (!notes.has(file.path)) notes.set(file.path, noteOf(file, call));
  return [...notes.values()];
}

interface Suspect {
  readonly call: LocatedCall;
  readonly file: WantedFile;
}

type Results = ReadonlyMap<string, CallResult>;

const NO_RESULTS: Results = new Map();

/** Whether the call was requested before the copy was made, and the copy was not made for it. */
function mayBeBefore(call: LocatedCall, { keptMs, toolUseId }: WantedFile): boolean {
  if (keptMs === null || !(call.timeMs < keptMs)) return false;
  return call.kind === 'edit' && (call.toolUseId === null || call.toolUseId !== toolUseId);
}

function wasBefore({ call, file: { kind, keptMs } }: Suspect, results: Results): boolean {
  const result = call.kind === 'edit' && call.toolUseId !== null ? results.get(call.toolUseId) : undefined;
  // Without a result, the client may have made its copy for this very call: its rows do not name the call of a copy.
  if (result === undefined) return kind === 'own' || call.isOfSubagent;
  return !result.isError && keptMs !== null && result.timeMs < keptMs;
}

/** Returns a test for calls in turns after the one in which the copy was made. */
function turnsOf(
  history: SessionHistory,
  chain: PromptChain,
  files: readonly WantedFile[],
): (suspect: Suspect) => boolean {
  const prompts = new Set([
    ...history.fold(chain).snapshots.map(({ promptId }) => promptId),
    ...files.flatMap(({ promptUuid }) => promptUuid ?? []),
  ]);
  /** Row → position in the chain of the prompt that started its turn. */
  const turns = new Map<number, number>();
  const starts = new Map<string, number>();
  let turn = 0;
  for (const [place, row] of chain.rows.entries()) {
    const uuid = history.uuid(row);
    if (uuid !== null && prompts.has(uuid)) {
      turn = place;
      starts.set(uuid, place);
    }
    turns.set(row, turn);
  }
  return ({ call, file }) => {
    const [of, copied] = [turns.get(call.row ?? -1), starts.get(file.promptUuid ?? '')];
    return of !== undefined && copied !== undefined && of > copied;
  };
}

function noteOf({ path }: WantedFile, { line }: LocatedCall): CoverageNote {
  const message = `The first copy of ${path} since this prompt was made after an edit of it, which is not taken back.`;
  return { kind: 'laterCopy', path, line, message };
}

type LocatedCall = FileCall & {
  /** 1-based; null for rows of other files. */
  readonly line: number | null;
  /** Null for rows of other files. */
  readonly row: number | null;
  /** Time of the call's row; NaN if it has none. */
  readonly timeMs: number;
  /** The client keeps no copies for calls of subagents. */
  readonly isOfSubagent: boolean;
};

/** The result of a call. */
interface CallResult {
  /** When it was written; NaN if the row does not say. */
  readonly timeMs: number;
  /** The call was rejected or failed, so it changed nothing. */
  readonly isError: boolean;
}

/** Calls after a row of a chain, oldest first. @param from position in the chain of the first row that counts */
function* callsOnChain(history: SessionHistory, chain: Int32Array, from: number): Generator<LocatedCall> {
  const { rows } = history.transcriptIndex;
  for (let at = from; at < chain.length; at++) {
    const row = chain[at] ?? 0;
    const isAsked = rows.kind(row) === RowKind.user && rows.has(row, RowFlag.hasText);
    if (!rows.has(row, RowFlag.hasToolUse) && !isAsked) continue;
    const object = history.rows.object(row);
    if (object === null) continue;
    const place = { line: rows.line(row), row, timeMs: rows.timestamp(row), isOfSubagent: false };
    for (const call of readFileCalls(object)) yield { ...call, ...place };
  }
}

/** Calls, since a time, of subagents whose rows are in the transcript itself. */
function* sidechainCalls(history: SessionHistory, sinceMs: number): Generator<LocatedCall> {
  const { rows } = history.transcriptIndex;
  for (let row = 0; row < rows.count; row++) {
    if (!rows.has(row, RowFlag.sidechain) || !rows.has(row, RowFlag.hasToolUse)) continue;
    if (!(rows.timestamp(row) >= sinceMs)) continue;
    const object = history.rows.object(row);
    if (object === null) continue;
    const place = { line: rows.line(row), row, timeMs: rows.timestamp(row), isOfSubagent: true };
    for (const call of readFileCalls(object)) yield { ...call, ...place };
  }
}

/** The results of these calls by call id, if the transcript contains them. */
function resultsOf(history: SessionHistory, calls: readonly LocatedCall[]): ReadonlyMap<string, CallResult> {
  const { rows } = history.transcriptIndex;
  const results = new Map<string, CallResult>();
  const asked = calls.flatMap(({ row }) => row ?? []);
  const keys = new Set(asked.flatMap((row) => rows.toolUses(row)));
  for (let row = Math.min(...asked); row < rows.count; row++) {
    if (!rows.toolResults(row).some((key) => keys.has(key))) continue;
    const object = history.rows.object(row);
    for (const { toolUseId, isError } of object === null ? [] : readCallResults(object)) {
      results.set(toolUseId, { timeMs: rows.timestamp(row), isError });
    }
  }
  return results;
}

/** Occurs in every row that holds a tool call or a result. */
const CALL_NEEDLE = 'tool_use';

const elsewhere = { line: null, row: null, isOfSubagent: true } as const;

interface SubagentCalls {
  readonly calls: readonly LocatedCall[];
  readonly results: ReadonlyMap<string, CallResult>;
}

/** Calls and results since a time in a subagent's own transcript. Never throws: an error ends the reading. */
function callsOfSubagent(filePath: string, sinceMs: number): SubagentCalls {
  const calls: LocatedCall[] = [];
  const results = new Map<string, CallResult>();
  try {
    const { file, identity } = openRegularFile(filePath);
    try {
      const lines = new CandidateLines(file, Number(identity.size), bytePattern(CALL_NEEDLE, true));
      for (let found = lines.next(); found !== null; found = lines.next()) {
        for (const { bytes, line } of found) {
          for (const { object } of dissectLine(bytes, line === 1).objects) {
            const timeMs = Date.parse(stringField(object, 'timestamp') ?? '');
            if (!(timeMs >= sinceMs)) continue;
            for (const call of readFileCalls(object)) calls.push({ ...call, ...elsewhere, timeMs });
            for (const { toolUseId, isError } of readCallResults(object)) results.set(toolUseId, { timeMs, isError });
          }
        }
      }
    } finally {
      closeSync(file);
    }
  } catch {
    // The calls that were read before the error still count.
  }
  return { calls, results };
}
