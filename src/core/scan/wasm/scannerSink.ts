import { parseUuid } from '../idTable';
import { keyHash } from '../keyHash';
import type { OddIds } from '../oddIds';
import type { FactSink } from '../rowCollector';
import type { RowRecord } from '../rowTable';
import type { TranscriptNotes } from '../transcriptFacts';
import type { ScannerInstance } from './scannerInstance';

/** Writes the rows that JSON.parse has read into the tables of the instance, between those that it reads itself. */
export function createScannerSink(
  instance: ScannerInstance,
  odd: OddIds,
  notes: TranscriptNotes,
  withUsage: boolean,
): FactSink {
  const { exports } = instance;
  return {
    notes,
    ids: {
      intern: (id) => {
        const words = parseUuid(id);
        if (words === null) return odd.intern(id);
        exports.setUuid(...words);
        return exports.internUuid();
      },
    },
    keys: {
      intern: (key) => {
        const { low, high } = keyHash(key);
        return exports.internHashes(low, high);
      },
    },
    rows: {
      get count() {
        return exports.rowCount();
      },
      add: (row) => addRow(instance, row),
    },
    usage: withUsage
      ? {
          add: (row, key, model, counts) => {
            const number = model === null ? -1 : instance.internModel(model);
            const { bytes } = instance;
            for (const [index, count] of counts.entries()) bytes.writeUInt32LE(count, exports.counts.value + index * 4);
            exports.addUsage(row, key, number);
          },
        }
      : null,
  };
}

function addRow(instance: ScannerInstance, row: RowRecord): number {
  const { exports } = instance;
  const toolStart = instance.lengthOf('toolColumn');
  for (const key of row.toolUses) exports.push(instance.columns.toolColumn, key * 2);
  for (const key of row.toolResults) exports.push(instance.columns.toolColumn, key * 2 + 1);
  return exports.pushRow(
    row.line,
    row.flags,
    row.uuid,
    row.parent,
    row.timestamp,
    row.message,
    row.hash,
    toolStart,
    row.offset,
  );
}
