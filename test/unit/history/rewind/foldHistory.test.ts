import assert from 'node:assert/strict';
import {
  type FoldedHistory,
  foldHistory,
  type HistoryEntry,
  type HistoryIndex,
  MAX_SNAPSHOTS,
  targetsOf,
} from '../../../rooms/history';
import { type CheckpointRow, readCheckpointRow } from '../../../rooms/format';

interface RecordedBackup {
  readonly backupFileName: string | null;
  readonly version: number;
}

function kept(name: string, version: number): RecordedBackup {
  return { backupFileName: `${name}@v${version}`, version };
}

const NONE: RecordedBackup = { backupFileName: null, version: 1 };

function snapshot(
  messageId: string,
  promptId: string,
  files: Record<string, RecordedBackup>,
  isSnapshotUpdate = false,
): object {
  const inner = { messageId: promptId, trackedFileBackups: files, timestamp: '2026-06-01T10:00:00.000Z' };
  return { type: 'file-history-snapshot', messageId, snapshot: inner, isSnapshotUpdate };
}

function delta(messageId: string, promptId: string, trackingPath: string, backup: RecordedBackup): object {
  return { type: 'file-history-delta', messageId, snapshotMessageId: promptId, trackingPath, backup };
}

/** Folds rows as if they were in a file, along a chain. */
function fold(rows: readonly object[], chain: readonly string[]): FoldedHistory {
  const read = rows.map((row) => readCheckpointRow(row as Record<string, unknown>));
  const snapshots = new Map<string, HistoryEntry>();
  const deltas = new Map<string, HistoryEntry[]>();
  for (const [line, row] of read.entries()) {
    assert.ok(row !== null);
    const entry = { line, offset: line, promptId: row.promptId, isUpdate: row.kind === 'snapshot' && row.isUpdate };
    if (row.kind === 'snapshot') snapshots.set(row.messageId, entry);
    else deltas.set(row.messageId, [...(deltas.get(row.messageId) ?? []), entry]);
  }
  const index: HistoryIndex = { snapshots, deltas };
  return foldHistory(index, chain, ({ line }): CheckpointRow | null => read[line] ?? null);
}

/** Maps each path to the name of the copy that is kept for a prompt. */
function targets(folded: FoldedHistory, prompt: string): Record<string, string | null> | null {
  const found = targetsOf(folded.snapshots, prompt);
  return found && Object.fromEntries(found.map(({ trackingPath, backup }) => [trackingPath, backup.name]));
}

describe('The rows of a file history', () => {
  it('give the state before a prompt, or the first state of files that were touched later', () => {
    const folded = fold(
      [
        snapshot('p1', 'p1', {}),
        delta('c1', 'p1', 'a', NONE),
        snapshot('p2', 'p2', { a: kept('a', 2) }),
        delta('c2', 'p2', 'b', kept('b', 1)),
      ],
      ['p1', 'c1', 'p2', 'c2'],
    );
    assert.deepEqual(targets(folded, 'p1'), { a: null, b: 'b@v1' });
    assert.deepEqual(targets(folded, 'p2'), { a: 'a@v2', b: 'b@v1' });
  });

  it('give no state for a file if neither is known', () => {
    const folded = fold([snapshot('p1', 'p1', {}), snapshot('p2', 'p2', { a: kept('a', 3) })], ['p1', 'p2']);
    assert.deepEqual(targets(folded, 'p1'), {});
  });

  it('count only on the chain', () => {
    const rows = [snapshot('p1', 'p1', {}), snapshot('p2', 'p2', { a: NONE }), delta('c3', 'p1', 'b', NONE)];
    const folded = fold(rows, ['p1']);
    assert.deepEqual(targets(folded, 'p1'), {});
    assert.equal(targets(folded, 'p2'), null);
  });

  it('replace a snapshot that they update, in the form of older clients', () => {
    const folded = fold(
      [
        snapshot('p1', 'p1', {}),
        snapshot('c1', 'p1', { a: NONE }, true),
        snapshot('c2', 'p1', { a: NONE, b: kept('b', 1) }, true),
      ],
      ['p1', 'c1', 'c2'],
    );
    assert.equal(folded.snapshots.length, 1);
    assert.deepEqual(targets(folded, 'p1'), { a: null, b: 'b@v1' });
  });

  it('count by the last line that has a row’s id', () => {
    const folded = fold([snapshot('p1', 'p1', {}), snapshot('p1', 'p1', { a: NONE })], ['p1']);
    assert.deepEqual(targets(folded, 'p1'), { a: null });
  });

  it('create a snapshot from the one before where a prompt has none', () => {
    const folded = fold(
      [snapshot('p1', 'p1', { a: kept('a', 2) }), delta('c2', 'p2', 'b', NONE), delta('c2', 'p2', 'c', NONE)],
      ['p1', 'p2', 'c2'],
    );
    assert.deepEqual(targets(folded, 'p2'), { a: 'a@v2', b: null, c: null });
    assert.deepEqual(targets(folded, 'p1'), { a: 'a@v2', b: null, c: null });
  });

  it('may name paths that equal inherited object properties', () => {
    const files = JSON.parse(
      '{"__proto__":{"backupFileName":"x@v1","version":1},"toString":{"backupFileName":null,"version":1}}',
    ) as Record<string, RecordedBackup>;
    const folded = fold([snapshot('p1', 'p1', files)], ['p1']);
    assert.equal(targetsOf(folded.snapshots, 'p1')?.length, 2);
  });

  it('are kept for the last 100 prompts, including those with deltas only', () => {
    const prompts = Array.from({ length: MAX_SNAPSHOTS + 5 }, (_, at) => `p${at}`);
    const rows = prompts.map((prompt, at) =>
      at % 7 === 4 ? delta(prompt, prompt, `f${at}`, NONE) : snapshot(prompt, prompt, { a: kept('a', at + 2) }),
    );
    const folded = fold(rows, prompts);
    assert.equal(folded.snapshots.length, MAX_SNAPSHOTS);
    assert.equal(folded.snapshots[0]?.promptId, 'p5');
    assert.deepEqual([...folded.evicted], ['p0', 'p1', 'p2', 'p3', 'p4']);
    assert.equal(targets(folded, 'p4'), null);
  });

  it('continue from a dropped prompt if the first remaining one has only a delta', () => {
    const prompts = Array.from({ length: MAX_SNAPSHOTS + 2 }, (_, at) => `p${at}`);
    const rows = prompts.map((prompt, at) =>
      at === 1 || at === 2 ? delta(prompt, prompt, `f${at}`, NONE) : snapshot(prompt, prompt, { a: kept('a', at + 2) }),
    );
    assert.deepEqual(targets(fold(rows, prompts), 'p2'), { a: 'a@v2', f1: null, f2: null });
  });

  it('are skipped when they do not state where they belong', () => {
    for (const row of [
      { type: 'file-history-snapshot' },
      { type: 'file-history-snapshot', messageId: 'p1', snapshot: { trackedFileBackups: {} } },
      { type: 'file-history-delta', messageId: 'p1', trackingPath: 'a', backup: NONE },
      {
        type: 'file-history-delta',
        messageId: 'p1',
        snapshotMessageId: 'p1',
        trackingPath: 'a',
        backup: { version: 1 },
      },
      { type: 'file-history-other', messageId: 'p1' },
    ]) {
      assert.equal(readCheckpointRow(row), null);
    }
    const odd = snapshot('p1', 'p1', { a: 7 as unknown as RecordedBackup, b: NONE });
    assert.deepEqual(targets(fold([odd], ['p1']), 'p1'), { b: null });
  });
});
