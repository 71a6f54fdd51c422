import { get } from './columns';
import { NO_ID, idCount } from './ids';
import { keyCount } from './keys';
import { link } from './plainGraph';
import { addResults, addSiblings, chooseStart, walk } from './plainHistory';
import { countRows, keepRequest } from './plainRequest';
import { MAX_IDS, MAX_KEYS, MAX_ROWS, NONE, UNSURE } from './plainTables';
import { isInFileOrder, rowCount, uuidColumn } from './rows';

// What the client loads of a plain transcript, told from the columns: the steps of src/core/resume, which is the judge of
// these files, without what only odd transcripts need. In a plain one every row has a uuid of its own and stands behind its
// parent, if the file holds that at all. Whatever is not certain here is left to TypeScript.

/** Id of the row that the walk starts from, or `NO_ID`. */
export let startId: i32 = NO_ID;

/**
 * Tells the resume. `leaf` is the id that the newest `last-prompt` names, or `NO_ID`; `boundary` the row of the last
 * compaction, which preserves no rows, or `NONE`; `healMs` how far back in time the client looks for a row to go on with
 * at a broken link. False when it is left to TypeScript.
 */
export function resume(leaf: i32, boundary: i32, healMs: f64): bool {
  if (rowCount() > MAX_ROWS || idCount() > MAX_IDS || keyCount() > MAX_KEYS || !isInFileOrder()) return false;
  if (!link(boundary)) return false;
  const start = chooseStart(leaf);
  if (start == UNSURE || !walk(start, healMs)) return false;
  const length = addResults(addSiblings());
  if (length == UNSURE) return false;
  startId = start == NONE ? NO_ID : <i32>get(uuidColumn, start);
  keepRequest(length);
  countRows();
  return true;
}
