import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { RowKind } from '../../scan/rowFlags';
import { BitSet } from '../../util/bitSet';
import { RowLists } from '../../util/rowLists';
import type { Climb } from './climb';

/**
 * Adds to rows that no resume loads what hangs beside them because calls ran in parallel, as `recoverParallelCalls` does for
 * those that it loads. `climb` has all rows of the view, and takes those that are added.
 */
export function withParallelRows(examination: Examination, line: readonly number[], climb: Climb): Int32Array {
  const { rows, keyCount } = examination.facts;
  const lastOfMessage = new Int32Array(keyCount).fill(NO_ID);
  for (const row of line) {
    const message = rows.message(row);
    if (message !== NO_ID) lastOfMessage[message] = row;
  }
  const siblings = new RowLists(keyCount);
  for (let row = 0; row < rows.count; row++) {
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] === NO_ID || !isFree(examination, row, climb)) continue;
    siblings.add(message, row);
  }
  const whole: number[] = [];
  for (const row of line) {
    whole.push(row);
    const message = rows.message(row);
    if (message === NO_ID || lastOfMessage[message] !== row) continue;
    for (const sibling of siblings.take(message)) {
      climb.take(sibling);
      whole.push(sibling);
    }
  }
  return withResults(examination, whole, climb);
}

function withResults(examination: Examination, line: readonly number[], climb: Climb): Int32Array {
  const { rows, keyCount } = examination.facts;
  const open = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  for (const row of line) {
    rows.addToolUses(row, open);
    rows.addToolResults(row, answered);
  }
  open.deleteAll(answered);
  if (open.isEmpty) return new Int32Array(line);
  const results = new RowLists(keyCount);
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind(row) !== RowKind.user || !rows.someToolResult(row, open) || !isFree(examination, row, climb))
      continue;
    const [call] = rows.toolResults(row).filter((key) => open.has(key));
    if (call !== undefined) results.add(call, row);
  }
  const whole: number[] = [];
  for (const row of line) {
    whole.push(row);
    for (const call of rows.toolUses(row)) {
      for (const result of results.take(call)) {
        if (climb.has(result)) continue;
        climb.take(result);
        whole.push(result);
      }
    }
  }
  return new Int32Array(whole);
}

/** Not in the view, and no copy that a later row replaced. */
function isFree({ facts, view }: Examination, row: number, climb: Climb): boolean {
  if (climb.has(row)) return false;
  const uuid = facts.rows.uuid(row);
  return facts.rows.kind(row) !== RowKind.other && (uuid === NO_ID || view.rowOf(uuid) === row);
}
