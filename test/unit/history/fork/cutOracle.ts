import { loaded } from '../../../support/diagnosed';
import { joinRows, readRow, splitRows } from '../../../support/rowText';
import { scanBytes } from '../../../support/scanBytes';

/** What the client loads from a transcript, by the uuids of its rows. */
export interface Loaded {
  readonly history: ReadonlySet<string>;
  /** Rows of the history whose content reaches the request. */
  readonly sent: ReadonlySet<string>;
  readonly leaf: string | null;
}

export function loadedNow(bytes: Buffer): Loaded {
  const index = scanBytes(bytes);
  const { history, request, summary } = loaded(index).resume;
  const nameOf = (row: number): string => index.ids.text(index.rows.uuid(row)) ?? '';
  return {
    history: new Set(Array.from(history, nameOf)),
    sent: new Set(
      Array.from(
        history.filter((row) => request.kept.has(row)),
        nameOf,
      ),
    ),
    leaf: summary.leafUuid,
  };
}

/**
 * The expected content of a fork, derived in another way: the transcript up to the next compaction, with an explicit
 * pointer to the row at the cut. The client starts from the row that such a pointer names.
 */
export function cutByPointer(bytes: Buffer, uuid: string): Loaded {
  const rows = splitRows(bytes);
  const at = rows.findIndex((row) => readRow(row)?.uuid === uuid);
  const end = rows.findIndex((row, place) => place > at && isBoundary(row));
  const kept = rows.slice(0, end < 0 ? rows.length : end).filter((row) => readRow(row)?.type !== 'last-prompt');
  const pointer = JSON.stringify({ type: 'last-prompt', leafUuid: uuid, explicit: true, sessionId: 's' });
  return loadedNow(joinRows([...kept, `\n${pointer}\n`]));
}

/** The client does not see a boundary after NULs. */
function isBoundary(row: string): boolean {
  return row.startsWith('{') && row.includes('"compact_boundary"') && readRow(row)?.type === 'system';
}
