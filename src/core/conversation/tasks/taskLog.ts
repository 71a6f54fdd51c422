import type { TaskPlace } from '../../../protocol/task';
import {
  type AgentNotice,
  NOTICE_NEEDLES,
  readAgentNotice,
  readTaskCalls,
  readTaskResults,
  TASK_CALL_NEEDLES,
  type TaskCall,
  type TaskResult,
} from '../../providers/claude/format/taskCalls';
import { NO_ID } from '../../transcript/idTable';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import type { TranscriptRows } from '../../transcript/transcriptRows';
import type { TranscriptState } from '../transcriptState';

/** The task calls, results and notices of one row. */
export interface LoggedRow {
  readonly calls: readonly TaskCall[];
  readonly results: readonly TaskResult[];
  readonly notice: AgentNotice | null;
}

/** Longer rows are skipped: no client writes a task list that long. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

/**
 * All task calls, results and notices in a transcript, whether or not their rows are on the chain. Only appended rows
 * are read. Valid as long as the file only grows.
 */
export class TaskLog {
  readonly #rows = new Map<number, LoggedRow>();
  /** Keys of the calls whose results are collected. */
  readonly #calls = new Set<number>();
  #hasAgents = false;
  #callsRead = 0;
  #resultsRead = 0;
  #version = 0;

  /** Row number in the table → its entries, in no particular order. */
  get rows(): ReadonlyMap<number, LoggedRow> {
    return this.#rows;
  }

  /** Increases with every row that is added. */
  get version(): number {
    return this.#version;
  }

  clear(): void {
    this.#rows.clear();
    this.#calls.clear();
    this.#hasAgents = false;
    this.#callsRead = 0;
    this.#resultsRead = 0;
    this.#version++;
  }

  /** Resolves to false if `pause` reports that the rows are no longer valid. What was read before that stays valid. */
  async read(rows: TranscriptRows, pause: () => Promise<boolean>): Promise<boolean> {
    const { count } = rows.table;
    // All calls are read before any result, because in a damaged file a result may precede its call.
    for (; this.#callsRead < count; this.#callsRead++) {
      if (!(await pause())) return false;
      this.#readCalls(rows, this.#callsRead);
    }
    for (; this.#resultsRead < count; this.#resultsRead++) {
      if (!(await pause())) return false;
      this.#readAnswers(rows, this.#resultsRead);
    }
    return true;
  }

  #readCalls(rows: TranscriptRows, row: number): void {
    const { table } = rows;
    if (table.kind(row) !== RowKind.assistant || !table.has(row, RowFlag.hasToolUse)) return;
    if (!holds(rows, row, TASK_CALL_NEEDLES)) return;
    const object = rows.object(row);
    const calls = object === null ? [] : readTaskCalls(object);
    if (calls.length === 0) return;
    this.#hasAgents ||= calls.some(({ kind }) => kind === 'agent');
    for (const key of table.toolUses(row)) this.#calls.add(key);
    this.#add(row, { calls });
  }

  #readAnswers(rows: TranscriptRows, row: number): void {
    const { table } = rows;
    const kind = table.kind(row);
    if (kind === RowKind.user && table.has(row, RowFlag.hasToolResult)) {
      if (!table.toolResults(row).some((key) => this.#calls.has(key))) return;
      const object = rows.object(row);
      if (object !== null) this.#add(row, { results: readTaskResults(object) });
    } else if (this.#hasAgents && (kind === RowKind.user || kind === RowKind.attachment)) {
      if (!holds(rows, row, NOTICE_NEEDLES)) return;
      const object = rows.object(row);
      const notice = object === null ? null : readAgentNotice(object);
      if (notice !== null) this.#add(row, { notice });
    }
  }

  #add(row: number, said: Partial<LoggedRow>): void {
    const known = this.#rows.get(row) ?? { calls: [], results: [], notice: null };
    this.#rows.set(row, { ...known, ...said });
    this.#version++;
  }
}

function holds(rows: TranscriptRows, row: number, needles: readonly string[]): boolean {
  const bytes = rows.bytes(row, MAX_ROW_BYTES);
  return needles.some((needle) => bytes.includes(needle));
}

/** A task call, or an outcome of one. */
export type TaskStep =
  | { readonly kind: 'call'; readonly call: TaskCall; readonly result: TaskResult | null; readonly at: TaskPlace }
  | { readonly kind: 'result'; readonly result: TaskResult; readonly at: TaskPlace }
  | { readonly kind: 'notice'; readonly notice: AgentNotice; readonly at: TaskPlace };

export interface TaskSteps {
  /** Steps on the resumed chain, including what came before its breaks and compactions; oldest first. */
  readonly steps: readonly TaskStep[];
  /** Number of calls on the main chain that changed the list, on branches that the session does not continue. */
  readonly otherBranches: number;
}

/** The task steps of the resumed chain. Valid as long as the state is. */
export function taskSteps(state: TranscriptState, log: TaskLog): TaskSteps {
  const { index, session } = state;
  // Clients 1.0.x wrote subagents, which have task lists of their own, into the same file. In a subagent's transcript,
  // all rows belong to the subagent.
  const isMainChain = session.result.resume.of > 0;
  const { itemOfRow } = state.order({ kind: 'chain' });
  const results = new Map<string, TaskResult>();
  const rows: number[] = [];
  let otherBranches = 0;
  for (const [row, said] of log.rows) {
    if (isMainChain && index.rows.has(row, RowFlag.sidechain)) continue;
    if ((itemOfRow[row] ?? NO_ID) === NO_ID) {
      otherBranches += said.calls.filter(changesList).length;
      continue;
    }
    rows.push(row);
    for (const result of said.results) if (!results.has(result.callId)) results.set(result.callId, result);
  }
  // In an orderly file, parents come before their children. Otherwise the order of the chain is used.
  const place = (row: number): number => (index.isOrderly ? row : (itemOfRow[row] ?? row));
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

function placeOf({ index }: TranscriptState, row: number): TaskPlace {
  const { rows, ids } = index;
  const time = rows.timestamp(row);
  return {
    line: rows.line(row),
    uuid: ids.text(rows.uuid(row)),
    timeMs: Number.isNaN(time) ? null : time,
  };
}
