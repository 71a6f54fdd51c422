import { simulateResume } from '../../../src/core/resume/simulateResume';
import { RowFlag } from '../../../src/core/scan/rowFlags';
import { joinRows, readRow, splitRows } from '../../support/rowText';
import { scanBytes } from '../../support/scanBytes';

/** What the client would load with the row as the leaf, in other words: uuids of the rows that count, and of all rows. */
export interface CutByPointer {
  readonly counted: readonly string[];
  readonly history: ReadonlySet<string>;
  readonly leaf: string | null;
}

/**
 * Another way to say what a fork holds: the transcript as it was before the next compaction, with an explicit pointer to the
 * row behind it. The client starts from the row that such a pointer names.
 */
export function cutByPointer(bytes: Buffer, uuid: string): CutByPointer {
  const pointed = pointedTranscript(bytes, uuid);
  const facts = scanBytes(pointed);
  const { history, request, leaf } = simulateResume(facts);
  const names = Array.from(history, (row) => facts.ids.text(facts.rows.uuid(row)) ?? '');
  const counted = Array.from(history)
    .filter((row) => facts.rows.has(row, RowFlag.counted) && request.kept.has(row))
    .map((row) => facts.ids.text(facts.rows.uuid(row)) ?? '');
  return { counted, history: new Set(names), leaf: facts.ids.text(facts.rows.uuid(leaf)) };
}

export function pointedTranscript(bytes: Buffer, uuid: string): Buffer {
  const rows = splitRows(bytes);
  const at = rows.findIndex((row) => readRow(row)?.uuid === uuid);
  const end = rows.findIndex((row, place) => place > at && isBoundary(row));
  const kept = rows.slice(0, end < 0 ? rows.length : end).filter((row) => readRow(row)?.type !== 'last-prompt');
  const pointer = { type: 'last-prompt', leafUuid: uuid, explicit: true, sessionId: 's' };
  return joinRows([...kept, `\n${JSON.stringify(pointer)}\n`]);
}

function isBoundary(row: string): boolean {
  return row.includes('"compact_boundary"') && readRow(row)?.type === 'system';
}
