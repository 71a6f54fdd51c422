import { dissectLine } from '../../../transcript/dissectLine';
import { isCommandOutput, RowFlag, RowKind } from '../../../transcript/rowFlags';
import type { RowSource } from '../../../transcript/rowSource';
import { isJsonObject, type JsonObject, MAX_LEVELS, parseObject, withoutDeepValues } from '../../../util/json';
import type { LoadedTranscript } from '../loader/loadTranscript';
import { modelOfResume } from '../loader/request';
import { isOfRequest, orderResults } from '../loader/requestMessages';

/** A row that takes part in the next request, or changes what is sent. */
export interface RequestRow {
  /** Its number in the index; negative for a row that a repair would add. */
  readonly row: number;
  readonly line: number;
  readonly kind: 'user' | 'assistant' | 'output' | 'error' | 'attachment';
  /** Null for an attachment that changes nothing: only its place counts. */
  readonly object: JsonObject | null;
  /** Whether a text of it may contain half of a surrogate pair. */
  readonly mayBeHalved: boolean;
  /** The client sends the attachment as a text of the user's message before it, and not as one of the system. */
  readonly isOfUser?: true;
  /** A call without a result takes the whole row along. */
  readonly isUnanswered?: true;
}

export interface RequestHistory {
  /** The model with which a resume continues; null if it is the client's default, which depends on the account. */
  readonly model: string | null;
  /** In the order of the request. */
  readonly rows: readonly RequestRow[];
  /** 1-based lines of rows that were left out, because they are too long, or more than the API accepts comes before them. */
  readonly unread: readonly number[];
}

/** The bytes of a row; null if it is too long. */
export type RowReader = (row: number) => Buffer | null;

/** A longer row is not read: the API accepts no request of this size. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;
/** What is kept of all rows together, in UTF-16 units. The API accepts requests up to 32 MB, so the rest is never answered. */
const MAX_TOTAL_UNITS = 40 * 1024 * 1024;

/** Reads the rows of a transcript from an open file. */
export function rowReader({ index }: Pick<LoadedTranscript, 'index'>, source: RowSource): RowReader {
  return (row) => {
    const offset = index.rows.offset(row);
    if (index.rows.has(row, RowFlag.sharesLine)) return source.valueAt(offset);
    const { bytes, isCut } = source.lineAt(offset, MAX_ROW_BYTES, 0);
    return isCut ? null : Buffer.from(bytes);
  };
}

/**
 * The rows of the next request, each read once. Rows that the client does not send because of what is in them are included:
 * `composeRequest` decides about those.
 */
export function readRequestRows(loaded: LoadedTranscript, read: RowReader): RequestHistory {
  const { index, rules, resume } = loaded;
  const { rows } = index;
  const ordered = resume.request.isOrderly ? resume.history : orderResults(rows, resume.history, rules);
  const found: RequestRow[] = [];
  const unread: number[] = [];
  let total = 0;
  for (const row of ordered) {
    const kind = kindOfRow(loaded, row);
    if (kind === null) continue;
    const line = rows.line(row);
    const isLeftOut = total > MAX_TOTAL_UNITS && (kind === 'user' || kind === 'assistant' || kind === 'output');
    const bytes = isLeftOut ? null : read(row);
    if (bytes === null) {
      if (kind !== 'attachment') unread.push(line);
      found.push({ row, line, kind: 'attachment', object: null, mayBeHalved: false });
      continue;
    }
    if (kind === 'attachment' && !bytes.includes(MARKER)) {
      const isOfUser = bytes.includes(RENDERED_FOR_USER) ? ({ isOfUser: true } as const) : {};
      found.push({ row, line, kind, object: null, mayBeHalved: false, ...isOfUser });
      continue;
    }
    const object = objectOf(bytes);
    const size = roughSize(object);
    const isDeep = size === Infinity;
    total += isDeep ? bytes.length : size;
    // No rule is about what is nested so deeply.
    const { kept, answered } = resume.request;
    const isUnanswered =
      kind === 'assistant' && !kept.has(row) && rows.has(row, RowFlag.hasToolUse) && !rows.someToolUse(row, answered);
    found.push({
      ...{ row, line, kind, object: isDeep ? shallow(object) : object, mayBeHalved: mayBeHalved(bytes) },
      ...(isUnanswered ? { isUnanswered } : {}),
    });
  }
  return { model: modelOfResume(rows, resume.history, rules), rows: found, unread };
}

/** A little less than the length of a value as JSON, in UTF-16 units. Infinity if it is nested more deeply than `levels`. */
function roughSize(value: unknown, levels = MAX_LEVELS): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0) return Infinity;
  let size = 0;
  for (const each of Object.values(value)) size += roughSize(each, levels - 1);
  return size;
}

function shallow(object: JsonObject | null): JsonObject | null {
  const value = withoutDeepValues(object);
  return isJsonObject(value) ? value : null;
}

const MARKER = 'thinking_stripped';
const RENDERED_FOR_USER = '"renderedRole":"user"';

/** The first object in the bytes of a row. */
function objectOf(bytes: Buffer): JsonObject | null {
  const object = parseObject(bytes.toString('utf8')) ?? dissectLine(bytes, false).objects[0]?.object ?? null;
  // What else is in a row, such as the result of a tool as the client shows it, can be larger than all that is sent.
  return object === null ? null : Object.fromEntries(KEPT_FIELDS.map((field) => [field, object[field]]));
}

const KEPT_FIELDS = [
  ...['message', 'content', 'attachment', 'timestamp'],
  ...['apiError', 'apiErrorParams', 'apiErrorStatus', 'errorDetails', 'healsDistinctCarrier'],
];

function mayBeHalved(bytes: Buffer): boolean {
  return bytes.includes('\\ud') || bytes.includes('\\uD');
}

function kindOfRow({ index: { rows } }: LoadedTranscript, row: number): RequestRow['kind'] | null {
  const kind = rows.kind(row);
  if (kind === RowKind.attachment) return 'attachment';
  if (rows.has(row, RowFlag.apiError)) return 'error';
  if (!isOfRequest(rows, row) || rows.has(row, RowFlag.virtual)) return null;
  if (isCommandOutput(rows.flags(row))) return 'output';
  return kind === RowKind.user ? 'user' : 'assistant';
}
