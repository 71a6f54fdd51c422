import { objectField, stringField, type JsonObject } from './json';
import { COMPACT_BOUNDARY } from './rowTypes';

/** Which rows from before a compaction stay in the history, by uuid. (docs/format.md, "Compaction") */
export type PreservedRows =
  | { readonly kind: 'none' }
  /** Oldest first; null for an entry that is no string. */
  | { readonly kind: 'list'; readonly anchor: string | null; readonly uuids: readonly (string | null)[] }
  /** The chain from the tail up to the head: what clients wrote that had no list. */
  | {
      readonly kind: 'segment';
      readonly anchor: string | null;
      readonly head: string | null;
      readonly tail: string | null;
    };

/** Null for every row but a `compact_boundary`. */
export function readCompactBoundary(row: JsonObject): PreservedRows | null {
  if (row['subtype'] !== COMPACT_BOUNDARY) return null;
  const metadata = objectField(row, 'compactMetadata') ?? {};
  const list = objectField(metadata, 'preservedMessages');
  const uuids: unknown = list?.['uuids'];
  if (list !== null && Array.isArray(uuids)) {
    const named = uuids.map((uuid) => (typeof uuid === 'string' ? uuid : null));
    return { kind: 'list', anchor: stringField(list, 'anchorUuid'), uuids: named };
  }
  const segment = objectField(metadata, 'preservedSegment');
  if (segment === null) return { kind: 'none' };
  return {
    kind: 'segment',
    anchor: stringField(segment, 'anchorUuid'),
    head: stringField(segment, 'headUuid'),
    tail: stringField(segment, 'tailUuid'),
  };
}

/** The row that the conversation went on from: the link is kept for people, and the client does not load by it. */
export function readLogicalParent(row: JsonObject): string | null {
  return stringField(row, 'logicalParentUuid');
}
