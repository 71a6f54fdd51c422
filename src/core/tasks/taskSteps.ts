import type { TaskPlace } from '../../shared/task';
import type { AgentNotice, TaskResult } from '../claude/taskResults';
import type { TaskCall } from '../claude/taskCalls';
import type { TranscriptState } from '../read/transcriptState';
import { NO_ID } from '../scan/idTable';
import { RowFlag } from '../scan/rowFlags';
import type { TaskLog } from './taskLog';

/** Something that was done about tasks, or came of it. */
export type TaskStep =
  | { readonly kind: 'call'; readonly call: TaskCall; readonly result: TaskResult | null; readonly at: TaskPlace }
  | { readonly kind: 'result'; readonly result: TaskResult; readonly at: TaskPlace }
  | { readonly kind: 'notice'; readonly notice: AgentNotice; readonly at: TaskPlace };

export interface TaskSteps {
  /** Of the resumed chain, with what came before its breaks and compactions; oldest first. */
  readonly steps: readonly TaskStep[];
  /** Calls of the main lane that changed the list, on branches that the session does not go on from. */
  readonly otherBranches: number;
}

/** What the resumed chain says of tasks. Good as long as the state is. */
export function taskSteps(state: TranscriptState, log: TaskLog): TaskSteps {
  const { facts, session } = state;
  // Clients 1.0.x wrote subagents into the same file: their lists are their own. A subagent's transcript holds nothing else.
  const isMainLane = session.result.resume.of > 0;
  const { itemOfRow } = state.order({ kind: 'chain' });
  const results = new Map<string, TaskResult>();
  const rows: number[] = [];
  let otherBranches = 0;
  for (const [row, said] of log.rows) {
    if (isMainLane && facts.rows.has(row, RowFlag.sidechain)) continue;
    if ((itemOfRow[row] ?? NO_ID) === NO_ID) {
      otherBranches += said.calls.filter(changesList).length;
      continue;
    }
    rows.push(row);
    for (const result of said.results) if (!results.has(result.callId)) results.set(result.callId, result);
  }
  // In an orderly file parents stand before their children; else the chain has an order of its own.
  const place = (row: number): number => (facts.isOrderly ? row : (itemOfRow[row] ?? row));
  rows.sort((a, b) => place(a) - place(b) || a - b);
  const steps: TaskStep[] = [];
  for (const row of rows) {
    const said = log.rows.get(row);
    if (said === undefined) continue;
    const at = placeOf(state, row);
    for (const call of said.calls) steps.push({ kind: 'call', call, result: results.get(call.callId) ?? null, at });
    for (const result of said.results) steps.push({ kind: 'result', result, at });
    if (said.notice !== null) steps.push({ kind: 'notice', notice: said.notice, at });
  }
  return { steps, otherBranches };
}

function changesList({ kind }: TaskCall): boolean {
  return kind === 'todos' || kind === 'create' || kind === 'update';
}

function placeOf({ facts }: TranscriptState, row: number): TaskPlace {
  const { rows, ids } = facts;
  const time = rows.timestamp(row);
  return {
    line: rows.line(row),
    uuid: ids.text(rows.uuid(row)),
    timeMs: Number.isNaN(time) ? null : time,
  };
}
