import { closeSync } from 'node:fs';
import { CHECKPOINT_NEEDLE, readCheckpointRow, type CheckpointRow } from '../claude/checkpointRow';
import { dissectLine } from '../scan/dissectLine';
import { openRegularFile } from '../scan/openRegularFile';
import { bytePattern } from '../search/bytePattern';
import { CandidateLines } from '../search/candidateLines';
import type { Pacer } from '../util/pacer';

/** Where a row of the file history stands; what it says is read again when it is asked for. */
export interface HistoryEntry {
  /** 1-based. */
  readonly line: number;
  /** Bytes from the start of the file to the line. */
  readonly offset: number;
  readonly promptId: string;
  /** Only of snapshots. */
  readonly isUpdate: boolean;
}

/** The rows of a transcript's file history by the row that each stands with, `messageId`. */
export interface HistoryIndex {
  /** The last one for each row. */
  readonly snapshots: ReadonlyMap<string, HistoryEntry>;
  /** In the order of the file. */
  readonly deltas: ReadonlyMap<string, readonly HistoryEntry[]>;
}

/**
 * Finds the rows of the file history in the first `end` bytes of a transcript. Looks for their bytes and parses nothing
 * else, and keeps only where they are: with each prompt a snapshot tells all files again. Throws the file system's error.
 */
export async function indexFileHistory(filePath: string, end: number, pacer: Pacer): Promise<HistoryIndex> {
  const snapshots = new Map<string, HistoryEntry>();
  const deltas = new Map<string, HistoryEntry[]>();
  const { file } = openRegularFile(filePath);
  try {
    const lines = new CandidateLines(file, end, bytePattern(CHECKPOINT_NEEDLE, true));
    for (let found = lines.next(); found !== null; found = lines.next()) {
      for (const { line, offset, bytes } of found) {
        for (const row of historyRows(bytes, line === 1)) {
          const isUpdate = row.kind === 'snapshot' && row.isUpdate;
          const entry = { line, offset, promptId: row.promptId, isUpdate };
          const { messageId } = row;
          const known = deltas.get(messageId);
          if (row.kind === 'snapshot') snapshots.set(messageId, entry);
          else if (known === undefined) deltas.set(messageId, [entry]);
          else known.push(entry);
        }
      }
      const turn = pacer.pause();
      if (turn !== null) await turn;
    }
  } finally {
    closeSync(file);
  }
  return { snapshots, deltas };
}

/** The rows of the file history on a line that the client sees: one, as a rule. (docs/format.md, "Lines") */
export function historyRows(bytes: Buffer, isFirstLine: boolean): readonly CheckpointRow[] {
  if (!bytes.includes(CHECKPOINT_NEEDLE)) return [];
  return dissectLine(bytes, isFirstLine).objects.flatMap(({ object, visibility }) =>
    visibility === 'never' ? [] : (readCheckpointRow(object) ?? []),
  );
}
