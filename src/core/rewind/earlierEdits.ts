import { resolve } from 'node:path';
import type { CoverageNote } from '../../shared/rewind';
import { resultsOf, type CallResult, type LocatedCall, type SubagentCalls } from './callsSince';
import type { FilePlan } from './filePlan';
import type { PromptChain } from './promptChains';
import type { SessionHistory } from './sessionHistory';
import type { WantedFile } from './wantedFiles';

/**
 * Files of which the first copy since the prompt was made after an edit: by a subagent, for which the client makes none, or
 * while whoever keeps copies was switched off. They get a state that never was before the prompt.
 *
 * @param calls of the transcript itself, since the prompt
 */
export function earlierEdits(
  history: SessionHistory,
  chain: PromptChain,
  plans: readonly FilePlan[],
  calls: readonly LocatedCall[],
  subagents: readonly SubagentCalls[],
): readonly CoverageNote[] {
  const files = new Map<string, WantedFile>();
  for (const { planned, wanted } of plans) {
    // One outside may be changed yet; whatever else is skipped gets no copy.
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
  const told = new Map<string, CoverageNote>();
  for (const { call, file } of before) if (!told.has(file.path)) told.set(file.path, noteOf(file, call));
  return [...told.values()];
}

interface Suspect {
  readonly call: LocatedCall;
  readonly file: WantedFile;
}

type Results = ReadonlyMap<string, CallResult>;

const NO_RESULTS: Results = new Map();

/** The call was asked for before the copy was made, and is not the one that it was made for. */
function mayBeBefore(call: LocatedCall, { keptMs, toolUseId }: WantedFile): boolean {
  if (keptMs === null || !(call.timeMs < keptMs)) return false;
  return call.kind === 'edit' && (call.toolUseId === null || call.toolUseId !== toolUseId);
}

function wasBefore({ call, file: { kind, keptMs } }: Suspect, results: Results): boolean {
  const result = call.kind === 'edit' && call.toolUseId !== null ? results.get(call.toolUseId) : undefined;
  // Without a result, it may be the call that the client's copy was made for, which no row of a copy names by its id.
  if (result === undefined) return kind === 'own' || call.isOfSubagent;
  return !result.isError && keptMs !== null && result.timeMs < keptMs;
}

/** Tells calls of turns after the one in which the copy was made. */
function turnsOf(
  history: SessionHistory,
  chain: PromptChain,
  files: readonly WantedFile[],
): (suspect: Suspect) => boolean {
  const prompts = new Set([
    ...history.fold(chain).snapshots.map(({ promptId }) => promptId),
    ...files.flatMap(({ promptUuid }) => promptUuid ?? []),
  ]);
  /** By row, the place in the chain of the prompt whose turn it is of. */
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
