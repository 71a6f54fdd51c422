import {
  NOTICE_NEEDLES,
  readAgentNotice,
  readTaskResults,
  type AgentNotice,
  type TaskResult,
} from '../claude/taskResults';
import { readTaskCalls, TASK_CALL_NEEDLES, type TaskCall } from '../claude/taskCalls';
import type { TranscriptRows } from '../read/rows/transcriptRows';
import { RowFlag, RowKind } from '../scan/rowFlags';

/** What one row says of tasks. */
export interface LoggedRow {
  readonly calls: readonly TaskCall[];
  readonly results: readonly TaskResult[];
  readonly notice: AgentNotice | null;
}

/** Longer rows are not looked into: no client writes a list of tasks that long. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

/**
 * Whatever the rows of a transcript say of tasks, wherever they stand. Rows that are appended are read, the ones before are
 * not read again. Good as long as the file only grows.
 */
export class TaskLog {
  readonly #rows = new Map<number, LoggedRow>();
  /** Keys of the calls that results are looked for. */
  readonly #calls = new Set<number>();
  #hasAgents = false;
  #callsRead = 0;
  #resultsRead = 0;
  #version = 0;

  /** Number of a row in the table → what it says; in no particular order. */
  get rows(): ReadonlyMap<number, LoggedRow> {
    return this.#rows;
  }

  /** Counts up with every row that says something. */
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

  /** False when `pause` says that the rows are void: what was read of them stays good. */
  async read(rows: TranscriptRows, pause: () => Promise<boolean>): Promise<boolean> {
    const { count } = rows.table;
    // Results first need the calls: in a damaged file they may stand before them.
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
