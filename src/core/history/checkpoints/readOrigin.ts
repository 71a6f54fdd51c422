import { readTurnRow } from '../../providers/claude/format/turnRow';
import type { WriteFs } from '../../storage/writeFs';
import { type JsonObject, objectField, parseObject, stringField } from '../../util/json';
import { readLines } from './transcriptLines';

type ReadingFs = Pick<WriteFs, 'lstat' | 'open'>;

/** The rows that a fork took over from the session from which it was forked. */
export interface InheritedRows {
  /** uuids of the prompts among these rows. */
  readonly prompts: ReadonlySet<string>;
  /** The latest time of these rows, in milliseconds since the epoch; 0 if there are none. */
  readonly endMs: number;
}

/**
 * The id of the session from which a fork was made. Null if the transcript is not a fork, does not name that session,
 * or cannot be read. Each row that a fork took over names it, so the first row of the conversation is enough.
 * (docs/format.md)
 */
export async function readOrigin(transcriptPath: string, fs: ReadingFs): Promise<string | null> {
  return originOf(transcriptPath, fs).catch(() => null);
}

/** Like `readOrigin`, but rejects with Node's error if the transcript cannot be read. */
export async function originOf(transcriptPath: string, fs: ReadingFs): Promise<string | null> {
  const found: { origin: string | null } = { origin: null };
  const isStill = (line: string): boolean => {
    const row = line.includes('"uuid"') ? parseObject(line) : null;
    if (row === null || readTurnRow(row) === null) return true;
    found.origin = namedOrigin(row);
    return false;
  };
  await readLines(transcriptPath, Infinity, isStill, fs);
  return found.origin;
}

export async function readInheritedRows(transcriptPath: string, fs: ReadingFs): Promise<InheritedRows> {
  let endMs = 0;
  const prompts = new Set<string>();
  const add = (line: string): true => {
    const row = line.includes('"forkedFrom"') ? parseObject(line) : null;
    const turn = row === null || namedOrigin(row) === null ? null : readTurnRow(row);
    if (turn?.start?.kind === 'prompt') prompts.add(turn.uuid);
    if (turn !== null && turn.timeMs > endMs) endMs = turn.timeMs;
    return true;
  };
  await readLines(transcriptPath, Infinity, add, fs).catch(() => undefined);
  return { prompts, endMs };
}

function namedOrigin(row: JsonObject): string | null {
  return stringField(objectField(row, 'forkedFrom') ?? {}, 'sessionId');
}
