import { type JsonObject, MAX_LEVELS } from '../../../util/json';
import { readChainRow } from './chainRow';

/** What is sent of a row, or decides how it is sent, besides what `readChainRow` reads. */
const FIELDS = [
  ...['message', 'content', 'attachment', 'rendered', 'renderedRole', 'data', 'subtype', 'compactMetadata'],
  ...['isCompactSummary', 'isVisibleInTranscriptOnly'],
  ...['error', 'apiError', 'apiErrorParams', 'apiErrorStatus', 'errorDetails', 'healsDistinctCarrier'],
];

/**
 * What a row says, as a text. Rows hold the same message if, and only if, their texts are equal: to the client, one is as good as the
 * other. How a row is written does not count (white space, the order of keys, the form of its time), and neither does what it tells of
 * its circumstances: session, folder, branch, client, the fork that copied it, and a tool's result as the client shows it.
 * Null if the row is not in the tree, or is nested too deeply to be compared. (docs/format.md, "Parents")
 */
export function sameMessageText(row: JsonObject): string | null {
  const facts = readChainRow(row);
  if (facts === null) return null;
  const read = { ...facts, parentSessionId: null, isForked: false, timeMs: null };
  return textInOrder([read, FIELDS.map((field) => row[field])], MAX_LEVELS);
}

/** The value as JSON with the keys of each object in order. */
function textInOrder(value: unknown, levels: number): string | null {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (levels === 0) return null;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  // A loop, because a callback would take as much of the stack once more.
  for (const [key, each] of isList ? value.entries() : inKeyOrder(value)) {
    const text = textInOrder(each, levels - 1);
    if (text === null) return null;
    parts.push(isList ? text : `${JSON.stringify(key)}:${text}`);
  }
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}

function inKeyOrder(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
