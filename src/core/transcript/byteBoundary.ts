import { COMPACT_BOUNDARY } from '../providers/claude/format/rowTypes';
import { isJsonObject, parseObject } from '../util/json';

// How the client's reader for large files finds compactions. (docs/format.md, "Files over 5 MiB")

/** The text of a boundary's subtype, or of its metadata, is searched in this many bytes after leading NULs. */
const WINDOW_BYTES = 4096;

const NAME = Buffer.from(`"${COMPACT_BOUNDARY}"`);
const METADATA = Buffer.from('"compactMetadata":');

/** Which rows from before it a compaction keeps, as the reader understands it. */
export const BoundaryForm = {
  none: 0,
  /** It keeps none. */
  plain: 1 << 11,
  /** It lists them. */
  listed: 2 << 11,
  /** It names them in a way that the reader does not follow. */
  unlisted: 3 << 11,
} as const;
export type BoundaryForm = (typeof BoundaryForm)[keyof typeof BoundaryForm];

export interface Boundary {
  readonly form: BoundaryForm;
  /** Its subtype comes after the window, in which there is only its metadata. */
  readonly isLate: boolean;
  readonly kept: { readonly anchor: string; readonly uuids: readonly string[] } | null;
}

/** Null if no client's reader takes the line for a compaction. `body` starts after leading NULs. */
export function readBoundary(body: Buffer): Boundary | null {
  const window = body.subarray(0, WINDOW_BYTES);
  const isLate = !window.includes(NAME);
  if (isLate && !(body.length > window.length && window.includes(METADATA) && body.includes(NAME))) return null;
  const row = parseObject(body.toString('utf8'));
  if (row?.['type'] !== 'system' || row['subtype'] !== COMPACT_BOUNDARY) return null;
  const metadata = isJsonObject(row['compactMetadata']) ? row['compactMetadata'] : {};
  const { preservedMessages: messages, preservedSegment: segment } = metadata;
  if (!messages) return { form: segment ? BoundaryForm.unlisted : BoundaryForm.plain, isLate, kept: null };
  const { anchorUuid: anchor, uuids } = isJsonObject(messages) ? messages : {};
  const isList = typeof anchor === 'string' && isListOfStrings(uuids) && uuids.length > 0;
  return isList
    ? { form: BoundaryForm.listed, isLate, kept: { anchor, uuids } }
    : { form: BoundaryForm.unlisted, isLate, kept: null };
}

function isListOfStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
