import { readCompactBoundary, type PreservedRows } from './compactBoundary';
import { objectField, stringField, type JsonObject } from './json';
import { readMessageContent, type MessageContent } from './messageContent';
import { readTime } from './rowTime';
import { CHAIN_ROW_TYPES, type ChainRowType } from './rowTypes';

/**
 * How `parentUuid` stands in a row. The client takes any empty value for "no parent", and any other value that is no
 * string for a parent that it does not have. (docs/format.md, "Parents")
 */
export type ParentLink =
  | { readonly kind: 'absent' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'other' };

/** What loading, diagnosing and repairing ask of a row that has a place in the tree, or a uuid. */
export interface ChainRow {
  /** `other`: no chain row, but it carries a uuid. */
  readonly type: ChainRowType | 'other';
  /** Null when the row has none, or an empty one. */
  readonly uuid: string | null;
  readonly parent: ParentLink;
  /**
   * Milliseconds since the epoch as the client reads them (`new Date(timestamp)`), for what a resume does; NaN when there
   * is no readable timestamp.
   */
  readonly timestamp: number;
  /** When the row was written, for people: NaN where `timestamp` is a guess. (`readTime`) */
  readonly timeMs: number;
  readonly isSidechain: boolean;
  /** `isSidechain` is neither true nor false. */
  readonly hasOddLane: boolean;
  readonly isMeta: boolean;
  /** Copied from another session by a fork. */
  readonly isForked: boolean;
  /** The session that it was copied from; null when the row does not say. */
  readonly parentSessionId: string | null;
  readonly isApiError: boolean;
  /** Of user and assistant rows; null for every other type. */
  readonly content: MessageContent | null;
  /** `message.id` of assistant rows. */
  readonly messageId: string | null;
  /** The row with the call that a tool result answers, as the result says. */
  readonly toolSource: string | null;
  /** Of a `compact_boundary` row. */
  readonly boundary: PreservedRows | null;
  /** The call of a hook's `progress` row or of a stop hook's summary. */
  readonly hookCall: string | null;
}

const CHAIN_TYPES: ReadonlySet<string> = new Set(CHAIN_ROW_TYPES);

/** Null for rows without a place in the tree that carry no uuid either. */
export function readChainRow(row: JsonObject): ChainRow | null {
  const type = chainTypeOf(row);
  if (type === 'other' && filled(row, 'uuid') === null) return null;
  const isMessage = type === 'user' || type === 'assistant';
  const timestamp = stringField(row, 'timestamp') ?? '';
  return {
    type,
    uuid: filled(row, 'uuid'),
    parent: readParent(row),
    timestamp: Date.parse(timestamp),
    timeMs: readTime(timestamp),
    isSidechain: Boolean(row['isSidechain']),
    hasOddLane: typeof row['isSidechain'] !== 'boolean',
    isMeta: Boolean(row['isMeta']),
    isForked: row['forkedFrom'] !== undefined,
    parentSessionId: readParentSession(row),
    isApiError: Boolean(row['isApiErrorMessage']),
    content: isMessage ? readMessageContent(row) : null,
    messageId: type === 'assistant' ? filled(objectField(row, 'message') ?? {}, 'id') : null,
    toolSource: filled(row, 'sourceToolAssistantUUID'),
    boundary: type === 'system' ? readCompactBoundary(row) : null,
    hookCall: isHookRow(row, type) ? filled(row, 'toolUseID') : null,
  };
}

/** Whether `readChainRow` gives something: cheaper than to read the row. */
export function isChainOrNamedRow(row: JsonObject): boolean {
  return chainTypeOf(row) !== 'other' || filled(row, 'uuid') !== null;
}

function chainTypeOf(row: JsonObject): ChainRowType | 'other' {
  const type = stringField(row, 'type') ?? '';
  // SAFETY: the set holds exactly the members of this type.
  return CHAIN_TYPES.has(type) ? (type as ChainRowType) : 'other';
}

function readParent(row: JsonObject): ParentLink {
  const parent = row['parentUuid'];
  if (parent === undefined) return { kind: 'absent' };
  if (!parent) return { kind: 'empty' };
  return typeof parent === 'string' ? { kind: 'id', id: parent } : { kind: 'other' };
}

/** The session that a fork copied the row from. (docs/format.md, "Forks") */
export function readParentSession(row: JsonObject): string | null {
  const forkedFrom = objectField(row, 'forkedFrom');
  return forkedFrom === null ? null : filled(forkedFrom, 'sessionId');
}

function isHookRow(row: JsonObject, type: ChainRowType | 'other'): boolean {
  if (type === 'system') return row['subtype'] === 'stop_hook_summary';
  return type === 'progress' && objectField(row, 'data')?.['type'] === 'hook_progress';
}

/** A string that is not empty. */
function filled(object: JsonObject, key: string): string | null {
  const value = stringField(object, key);
  return value === '' ? null : value;
}
