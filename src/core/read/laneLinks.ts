import { isJsonObject, objectField, stringField, type JsonObject } from '../claude/json';
import type { Examination } from '../faults/examination';
import { plainText } from './describe/valueText';
import { findLanes, type SubagentLane } from './order/subagentLanes';
import { RowSource } from './rows/rowSource';
import { RowMemory, TranscriptRows } from './rows/transcriptRows';

/** Subagents of one transcript that are looked at: each takes some rows that are read. */
const MAX_LANES = 1_000;

/** Subagents whose rows stand in the transcript of their session, by the calls that started them. */
export interface LaneLinks {
  /** Line of the subagent's last row, by the id of the call. */
  readonly leafLines: ReadonlyMap<string, number>;
  /** Rows of subagents whose calls are not known, in the order of the file. */
  readonly loose: Int32Array;
}

export const NO_LANES: LaneLinks = { leafLines: new Map(), loose: new Int32Array(0) };

/**
 * A subagent's first row says what its call told it: so it is known which call that is, of those that had no result when it
 * began. Of calls with one and the same prompt, the first is taken for that of the subagent that began first. Reads some
 * rows. Never throws.
 */
export function linkLanes(examination: Examination, filePath: string): LaneLinks {
  const { facts, view } = examination;
  const lanes = findLanes(facts, view);
  const leafLines = new Map<string, number>();
  const loose: number[] = [];
  const source = openSource(filePath, facts.fileSize);
  try {
    const rows = source === null ? null : new TranscriptRows(facts.rows, source, new RowMemory());
    for (const [at, lane] of lanes.entries()) {
      const call = rows === null || at >= MAX_LANES ? null : callOf(lane, rows, leafLines);
      if (call === null) loose.push(...lane.rows);
      else leafLines.set(call, facts.rows.line(lane.rows.at(-1) ?? 0));
    }
  } finally {
    source?.close();
  }
  return { leafLines, loose: Int32Array.from(loose).sort() };
}

function openSource(filePath: string, fileSize: number): RowSource | null {
  try {
    return RowSource.open(filePath, fileSize);
  } catch {
    return null;
  }
}

/** Id of the call that started the subagent; null when none did that is not taken. */
function callOf(lane: SubagentLane, rows: TranscriptRows, taken: ReadonlyMap<string, number>): string | null {
  const told = promptOf(read(rows, lane.rows[0] ?? 0));
  if (told === null) return null;
  for (const caller of lane.callers) {
    const content = objectField(read(rows, caller) ?? {}, 'message')?.['content'];
    if (!Array.isArray(content)) continue;
    for (const block of content as readonly unknown[]) {
      const id = isJsonObject(block) ? stringField(block, 'id') : null;
      if (!isJsonObject(block) || id === null || taken.has(id)) continue;
      if (stringField(objectField(block, 'input') ?? {}, 'prompt') === told) return id;
    }
  }
  return null;
}

function promptOf(row: JsonObject | null): string | null {
  return row?.['type'] === 'user' ? plainText(objectField(row, 'message')?.['content']) : null;
}

/** Null as well when the disk gives no bytes: the next reading of the file says why. */
function read(rows: TranscriptRows, row: number): JsonObject | null {
  try {
    return rows.object(row);
  } catch {
    return null;
  }
}
