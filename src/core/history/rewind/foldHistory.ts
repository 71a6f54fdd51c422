import { closeSync } from 'node:fs';
import { bytePattern, CandidateLines } from '../../conversation/search/candidateLines';
import {
  CHECKPOINT_NEEDLE,
  type CheckpointRow,
  type DeltaRow,
  type FileBackup,
  readCheckpointRow,
  type SnapshotRow,
} from '../../providers/claude/format/checkpointRow';
import { dissectLine } from '../../transcript/dissectLine';
import { openRegularFile } from '../../util/openForeignFile';
import type { Pacer } from '../../util/scheduling';

/** Maximum number of snapshots that the client keeps for a session. */
export const MAX_SNAPSHOTS = 100;

/** The state of the files before a prompt, as far as the client kept copies. */
export interface Snapshot {
  readonly promptId: string;
  /** By path as given in the rows. */
  readonly backups: ReadonlyMap<string, FileBackup>;
  readonly timeMs: number | null;
  readonly hasUntrackedChanges: boolean;
}

export interface FoldedHistory {
  /** The last 100, oldest first. */
  readonly snapshots: readonly Snapshot[];
  /** Prompts whose snapshots are older than these, so that the client no longer has them. */
  readonly evicted: ReadonlySet<string>;
}

/** One row's effect on the list of snapshots. */
interface Step {
  readonly kind: 'append' | 'replace' | 'synthesise' | 'merge';
  /** Position of the snapshot in the list, evicted ones included. */
  readonly place: number;
  readonly entry: HistoryEntry;
}

/**
 * The client's list of snapshots once it has loaded the rows `uuids`, in that order. (docs/format.md, "File history")
 *
 * @param load reads the row of an entry again; returns null if the row is no longer there
 */
export function foldHistory(
  index: HistoryIndex,
  uuids: Iterable<string>,
  load: (entry: HistoryEntry) => CheckpointRow | null,
): FoldedHistory {
  const { steps, count } = planSteps(index, uuids);
  const first = Math.max(0, count - MAX_SNAPSHOTS);
  const snapshots: Snapshot[] = [];
  const evicted = new Set<string>();
  // Steps of the last evicted snapshot. They are read only if a snapshot that begins with a delta needs it as its base.
  let before: Step[] = [];
  for (const step of steps) {
    if (step.place < first) {
      evicted.add(step.entry.promptId);
      if (step.kind === 'append') before = [step];
      else if (step.kind === 'synthesise' || step.place === before.at(-1)?.place) before.push(step);
      continue;
    }
    const at = step.place - first;
    const changed = take(step, load, () => snapshots[at] ?? snapshots[at - 1] ?? replay(before, load));
    if (changed !== null) snapshots[at] = changed;
    else if (step.kind === 'append' || step.kind === 'synthesise') snapshots[at] = emptySnapshot(step.entry.promptId);
  }
  for (const { promptId } of snapshots) evicted.delete(promptId);
  return { snapshots, evicted };
}

function planSteps(index: HistoryIndex, uuids: Iterable<string>): { steps: readonly Step[]; count: number } {
  const steps: Step[] = [];
  const places = new Map<string, number>();
  let count = 0;
  for (const uuid of uuids) {
    const snapshot = index.snapshots.get(uuid);
    if (snapshot !== undefined) {
      const known = snapshot.isUpdate ? places.get(snapshot.promptId) : undefined;
      if (known !== undefined) steps.push({ kind: 'replace', place: known, entry: snapshot });
      else {
        places.set(snapshot.promptId, count);
        steps.push({ kind: 'append', place: count++, entry: snapshot });
      }
    }
    for (const delta of index.deltas.get(uuid) ?? []) {
      const known = places.get(delta.promptId);
      if (known !== undefined) steps.push({ kind: 'merge', place: known, entry: delta });
      else {
        places.set(delta.promptId, count);
        steps.push({ kind: 'synthesise', place: count++, entry: delta });
      }
    }
  }
  return { steps, count };
}

/** The snapshot after the step; null if its row no longer exists. */
function take(
  { entry }: Step,
  load: (entry: HistoryEntry) => CheckpointRow | null,
  base: () => Snapshot | null,
): Snapshot | null {
  const row = load(entry);
  if (row === null) return null;
  return row.kind === 'snapshot' ? ofRow(row) : withDelta(base(), row);
}

function replay(steps: readonly Step[], load: (entry: HistoryEntry) => CheckpointRow | null): Snapshot | null {
  let snapshot: Snapshot | null = null;
  for (const step of steps) snapshot = take(step, load, () => snapshot) ?? snapshot;
  return snapshot;
}

function ofRow({ promptId, backups, timeMs, hasUntrackedChanges }: SnapshotRow): Snapshot {
  return { promptId, backups, timeMs, hasUntrackedChanges };
}

/** @param base the prompt's own snapshot, or the previous snapshot if the prompt has none */
function withDelta(base: Snapshot | null, { promptId, path, backup, timeMs }: DeltaRow): Snapshot {
  const backups = new Map(base?.backups).set(path, backup);
  return base?.promptId === promptId ? { ...base, backups } : { promptId, backups, timeMs, hasUntrackedChanges: false };
}

function emptySnapshot(promptId: string): Snapshot {
  return { promptId, backups: new Map(), timeMs: null, hasUntrackedChanges: false };
}

/** The position of a row of the file history; its content is read again on demand. */
export interface HistoryEntry {
  /** 1-based. */
  readonly line: number;
  /** Bytes from the start of the file to the line. */
  readonly offset: number;
  readonly promptId: string;
  /** False for deltas. */
  readonly isUpdate: boolean;
}

/** The rows of a transcript's file history, by the uuid of the row to which each belongs (`messageId`). */
export interface HistoryIndex {
  /** The last snapshot for each row. */
  readonly snapshots: ReadonlyMap<string, HistoryEntry>;
  /** In the order of the file. */
  readonly deltas: ReadonlyMap<string, readonly HistoryEntry[]>;
}

/**
 * Finds the rows of the file history in the first `end` bytes of a transcript. Searches for their bytes and parses no
 * other lines. Stores only their positions, because the snapshot of each prompt repeats all files. Throws the file
 * system's error.
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
      const turn = pacer.yieldIfDue();
      if (turn !== null) await turn;
    }
  } finally {
    closeSync(file);
  }
  return { snapshots, deltas };
}

/** The rows of the file history on a line that the client sees; usually one. (docs/format.md, "Lines") */
export function historyRows(bytes: Buffer, isFirstLine: boolean): readonly CheckpointRow[] {
  if (!bytes.includes(CHECKPOINT_NEEDLE)) return [];
  return dissectLine(bytes, isFirstLine).objects.flatMap(({ object, visibility }) =>
    visibility === 'never' ? [] : (readCheckpointRow(object) ?? []),
  );
}
