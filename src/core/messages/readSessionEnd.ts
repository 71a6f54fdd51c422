import { open, type FileHandle } from 'node:fs/promises';
import type { SessionEnd, SessionState } from '../../shared/message';
import { isJsonObject, objectField, stringField, type JsonObject } from '../claude/json';
import { CHAIN_ROW_TYPES } from '../claude/rowTypes';
import { dissectLine } from '../scan/dissectLine';
import { END_ROWS, inferState, type EndRow } from './inferState';

/** How much of the end is read, until it holds enough rows. */
const TAIL_BYTES = [128 * 1024, 1024 * 1024, 4 * 1024 * 1024];
const NEWLINE = 10;

/** Rows of the conversation tree; `progress` stands between them and says nothing. */
const TREE_TYPES: ReadonlySet<unknown> = new Set(CHAIN_ROW_TYPES);

/**
 * How a session that nobody runs ended, from the rows at the end of its transcript alone; `SessionReader` says the same from all
 * of it.
 * @param leafUuid of the row that a resume goes on from
 * @returns null when the end does not tell, or cannot be read. Never rejects.
 */
export async function readSessionEnd(filePath: string, leafUuid: string): Promise<SessionEnd | null> {
  let file: FileHandle | null = null;
  try {
    file = await open(filePath, 'r');
    const { size } = await file.stat();
    for (const bytes of TAIL_BYTES) {
      const isWhole = bytes >= size;
      const isLast = isWhole || bytes === TAIL_BYTES.at(-1);
      const chain = chainTo(leafUuid, await readTail(file, isWhole ? 0 : size - bytes, size));
      if (chain.length >= END_ROWS || isLast) return endOf(inferState(chain.slice(-END_ROWS)));
    }
    return null;
  } catch {
    return null;
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** Which lines it is told by is not known from the end. */
function endOf(state: SessionState): SessionEnd | null {
  switch (state.kind) {
    case 'interrupted':
      return { kind: 'interrupted', by: state.by, duringTool: state.duringTool };
    case 'waitingOnTool':
      return { kind: 'waitingOnTool', tools: [...new Set(state.calls.map(({ name }) => name))] };
    case 'apiError':
      return { kind: 'apiError', text: state.text };
    case 'ended':
      return { kind: 'ended' };
    case 'running':
    case 'empty':
      return null;
  }
}

/** The rows of the lines that are whole, and where they stand among each other. */
async function readTail(file: FileHandle, start: number, end: number): Promise<EndRow[]> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  const window = bytes.subarray(0, bytesRead);
  const rows: EndRow[] = [];
  let from = start === 0 ? 0 : window.indexOf(NEWLINE) + 1;
  if (start > 0 && from === 0) return [];
  for (let line = 1; from < window.length; line++) {
    const newline = window.indexOf(NEWLINE, from);
    const to = newline < 0 ? window.length : newline;
    for (const { object, visibility } of dissectLine(window.subarray(from, to), start === 0 && from === 0).objects) {
      if (visibility !== 'never' && TREE_TYPES.has(object['type'])) rows.push({ line, object });
    }
    from = to + 1;
  }
  return rows;
}

/** Rows that lead to the leaf, and what ran in parallel with them, in the order of the file. */
function chainTo(leafUuid: string, rows: readonly EndRow[]): EndRow[] {
  const byUuid = new Map<string | null, JsonObject>();
  for (const { object } of rows) byUuid.set(stringField(object, 'uuid'), object);
  byUuid.delete(null);
  const chain = new Set<JsonObject>();
  for (let row = byUuid.get(leafUuid); row !== undefined && !chain.has(row);) {
    chain.add(row);
    row = byUuid.get(stringField(row, 'parentUuid') ?? stringField(row, 'logicalParentUuid'));
  }
  const messages = new Set([...chain].map(messageOf));
  messages.delete(null);
  const calls = new Set<string>();
  return rows.filter(({ object }) => {
    const isKept =
      chain.has(object) ||
      messages.has(messageOf(object)) ||
      idsIn(object, 'tool_result', 'tool_use_id').some((id) => calls.has(id));
    if (isKept) for (const id of idsIn(object, 'tool_use', 'id')) calls.add(id);
    return isKept && object['type'] !== 'progress';
  });
}

/** Id of the message that an assistant row is a part of. */
function messageOf(row: JsonObject): string | null {
  return row['type'] === 'assistant' ? stringField(objectField(row, 'message') ?? {}, 'id') : null;
}

function idsIn(row: JsonObject, type: string, key: string): string[] {
  const content = objectField(row, 'message')?.['content'];
  if (!Array.isArray(content)) return [];
  return (content as readonly unknown[]).flatMap((block) =>
    isJsonObject(block) && block['type'] === type ? (stringField(block, key) ?? []) : [],
  );
}
