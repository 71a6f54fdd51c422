import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { isCompanionRow } from './companionRow';
import { type MessageContent, readMessageContent } from './messageContent';
import {
  CHAIN_ROW_TYPES,
  type ChainRowType,
  COMMAND_OUTPUT,
  COMPACT_BOUNDARY,
  FILE_SNAPSHOT,
  isUsuallyForSystem,
  readTime,
  SENT_ATTACHMENTS,
  SYNTHETIC_MODEL,
  UNSENT_ATTACHMENTS,
} from './rowTypes';

/**
 * The form of `parentUuid` in a row. The client treats any empty value as "no parent". Otherwise the parent is the row
 * whose `uuid` is the same value, which need not be a string. (docs/format.md, "Parents")
 */
export type ParentLink =
  | { readonly kind: 'absent' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'id'; readonly id: string }
  /** Not a string. `id`: as in `rowId`; null if no row can have it. */
  | { readonly kind: 'other'; readonly id: string | null };

/** The fields that loading, diagnosis and repair need from a row that is in the tree or has a uuid. */
export interface ChainRow {
  /** `other`: not a chain row, but it has a uuid. */
  readonly type: ChainRowType | 'other';
  /** Null if the row has none, or an empty one. */
  readonly uuid: string | null;
  readonly parent: ParentLink;
  /**
   * Milliseconds since the epoch as the client reads them (`new Date(timestamp)`), for simulating a resume; NaN if
   * there is no readable timestamp.
   */
  readonly timestamp: number;
  /** When the row was written, for display: NaN where `timestamp` is a guess. (`readTime`) */
  readonly timeMs: number;
  /** Whether `timestamp` is a number, which is a time to the client only in places. (docs/format.md, "Walk") */
  readonly isTimeNumber: boolean;
  readonly isSidechain: boolean;
  /** Whether `isSidechain` is not a boolean. */
  readonly hasOddSidechainFlag: boolean;
  readonly isMeta: boolean;
  /** Whether `isMeta` is exactly true. The client's reader for large files asks this. (docs/format.md, "Files over 5 MiB") */
  readonly isMetaTrue: boolean;
  /** Whether the client shows the row, but does not send it: `isVirtual` is true, or it is such an output of a command. */
  readonly isVirtual: boolean;
  /** Whether a fork copied the row from another session. */
  readonly isForked: boolean;
  /** The session that it was copied from; null if the row does not contain its id. */
  readonly parentSessionId: string | null;
  /** Whether the client wrote the row itself to report an error of the API. (docs/format.md, "Request") */
  readonly isApiError: boolean;
  /** Whether `message` is an object. */
  readonly hasMessage: boolean;
  /** Whether it is a user row that neither begins nor ends a turn. (docs/format.md, "Companions") */
  readonly isCompanion: boolean;
  /** Whether it is a `system` row of subtype `local_command`. (docs/format.md, "Request") */
  readonly isCommandOutput: boolean;
  /** Whether it is an attachment that the client does not send. (docs/format.md, "Request") */
  readonly isSilentAttachment: boolean;
  /** Whether it is an attachment with texts for the system. */
  readonly isForSystem: boolean;
  /** Whether the row is a `system` row of subtype `file_snapshot`. */
  readonly isFileSnapshot: boolean;
  /** Present in user and assistant rows; null for every other type. */
  readonly content: MessageContent | null;
  /** `message.id` of assistant rows. */
  readonly messageId: string | null;
  /** The row with the call that a tool result answers, according to the result. */
  readonly toolSource: string | null;
  /** What a `compact_boundary` row says; null for every other row. */
  readonly boundary: BoundaryFacts | null;
  /** The call id of a hook's `progress` row or of a stop hook's summary. */
  readonly hookCall: string | null;
}

const CHAIN_TYPES: ReadonlySet<string> = new Set(CHAIN_ROW_TYPES);

/** Null for rows that are not in the tree and have no uuid either. */
export function readChainRow(row: JsonObject): ChainRow | null {
  const type = chainTypeOf(row);
  const uuid = type === 'other' ? filled(row, 'uuid') : rowId(row['uuid']);
  if (type === 'other' && uuid === null) return null;
  const isMessage = type === 'user' || type === 'assistant';
  const timestamp = row['timestamp'];
  const isCommandOutput = type === 'system' && row['subtype'] === COMMAND_OUTPUT;
  const isSent = type === 'attachment' && isSentAttachment(row);
  return {
    type,
    uuid,
    parent: readParent(row),
    timestamp: readClientTime(timestamp),
    timeMs: readTime(timestamp),
    isTimeNumber: typeof timestamp === 'number',
    isSidechain: Boolean(row['isSidechain']),
    hasOddSidechainFlag: typeof row['isSidechain'] !== 'boolean',
    isMeta: Boolean(row['isMeta']),
    isMetaTrue: row['isMeta'] === true,
    isVirtual: row['isVirtual'] === true || (isCommandOutput && row['isDisplayOnly'] === true),
    isForked: row['forkedFrom'] !== undefined,
    parentSessionId: readParentSession(row),
    isApiError: type === 'assistant' && isApiError(row),
    hasMessage: objectField(row, 'message') !== null,
    isCompanion: type === 'user' && isCompanionRow(row),
    isCommandOutput,
    isSilentAttachment: type === 'attachment' && !isSent,
    isForSystem: isSent && isForSystem(row),
    isFileSnapshot: type === 'system' && row['subtype'] === FILE_SNAPSHOT,
    content: isMessage ? readMessageContent(row) : null,
    messageId: type === 'assistant' ? filled(objectField(row, 'message') ?? {}, 'id') : null,
    toolSource: filled(row, 'sourceToolAssistantUUID'),
    boundary: type === 'system' ? readCompactBoundary(row) : null,
    hookCall: isHookRow(row, type) ? filled(row, 'toolUseID') : null,
  };
}

/** The client sends the texts in `rendered`, or writes them itself if an older client has not. */
function isSentAttachment(row: JsonObject): boolean {
  const type = stringField(objectField(row, 'attachment') ?? {}, 'type');
  if (type === null || UNSENT_ATTACHMENTS.has(type)) return false;
  return hasTexts(row) || SENT_ATTACHMENTS.has(type);
}

/** For the system, or for the user: as the row says, or else as the type has it. */
function isForSystem(row: JsonObject): boolean {
  const role = row['renderedRole'];
  if (role === 'system' || role === 'user') return role === 'system';
  return isUsuallyForSystem(stringField(objectField(row, 'attachment') ?? {}, 'type') ?? '');
}

/** Whether the client takes the texts of an attachment. If one of them is not as it writes them, it takes none. */
function hasTexts({ rendered }: JsonObject): boolean {
  return Array.isArray(rendered) && rendered.length > 0 && rendered.every((text) => isRendered(text));
}

function isRendered(text: unknown): boolean {
  if (!isJsonObject(text) || Object.keys(text).length !== 1) return false;
  const { content } = text;
  if (!Array.isArray(content)) return typeof content === 'string' && content !== '';
  return content.length > 0 && content.every((block) => isJsonObject(block) && isTextBlock(block));
}

function isTextBlock(block: JsonObject): boolean {
  return block['type'] === 'text' && typeof block['text'] === 'string' && block['text'] !== '';
}

/** Whether `readChainRow` returns a row; cheaper than reading the row. */
export function isChainOrNamedRow(row: JsonObject): boolean {
  return chainTypeOf(row) !== 'other' || filled(row, 'uuid') !== null;
}

function chainTypeOf(row: JsonObject): ChainRowType | 'other' {
  const type = stringField(row, 'type') ?? '';
  // SAFETY: the set contains exactly the members of this type.
  return CHAIN_TYPES.has(type) ? (type as ChainRowType) : 'other';
}

function readParent(row: JsonObject): ParentLink {
  const parent = row['parentUuid'];
  if (parent === undefined) return { kind: 'absent' };
  if (!parent) return { kind: 'empty' };
  return typeof parent === 'string' ? { kind: 'id', id: parent } : { kind: 'other', id: rowId(parent) };
}

/** The session that a fork copied the row from. (docs/format.md, "Forks") */
export function readParentSession(row: JsonObject): string | null {
  const forkedFrom = objectField(row, 'forkedFrom');
  return forkedFrom === null ? null : filled(forkedFrom, 'sessionId');
}

function readClientTime(timestamp: unknown): number {
  if (typeof timestamp === 'number') return new Date(timestamp).getTime();
  return typeof timestamp === 'string' ? Date.parse(timestamp) : NaN;
}

/** The flag alone does not count: the client sends the row of any other model. */
function isApiError(row: JsonObject): boolean {
  return row['isApiErrorMessage'] === true && objectField(row, 'message')?.['model'] === SYNTHETIC_MODEL;
}

function isHookRow(row: JsonObject, type: ChainRowType | 'other'): boolean {
  if (type === 'system') return row['subtype'] === 'stop_hook_summary';
  return type === 'progress' && objectField(row, 'data')?.['type'] === 'hook_progress';
}

/** The first character of ids that are not strings in the file; no client writes it in a string. */
export const NON_STRING_ID = '\0';

/**
 * The id in the `uuid` or `parentUuid` of a chain row; null if it is empty or an object. The client compares ids as they
 * are, so the number 5 and the string "5" are different ids. (docs/format.md, "Parents")
 */
function rowId(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (value === true || (typeof value === 'number' && value !== 0)) return `${NON_STRING_ID}${String(value)}`;
  return null;
}

/** A non-empty string, or null. */
function filled(object: JsonObject, key: string): string | null {
  const value = stringField(object, key);
  return value === '' ? null : value;
}

/** Which rows from before a compaction stay in the history, by uuid. (docs/format.md, "Compaction") */
export type PreservedRows =
  | { readonly kind: 'none' }
  /** Oldest first; null for an entry that is not a string. */
  | { readonly kind: 'list'; readonly anchor: string | null; readonly uuids: readonly (string | null)[] }
  /** The chain from the tail up to the head: written by clients without lists. */
  | {
      readonly kind: 'segment';
      readonly anchor: string | null;
      readonly head: string | null;
      readonly tail: string | null;
    };

export interface BoundaryFacts {
  readonly preserved: PreservedRows;
  /** It says how it was made. Every client writes that. */
  readonly hasMetadata: boolean;
}

function readCompactBoundary(row: JsonObject): BoundaryFacts | null {
  if (row['subtype'] !== COMPACT_BOUNDARY) return null;
  const metadata = objectField(row, 'compactMetadata');
  return { preserved: readPreserved(metadata ?? {}), hasMetadata: metadata !== null };
}

function readPreserved(metadata: JsonObject): PreservedRows {
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

/** The row that the conversation continued from: for display only, because the client does not load by this link. */
export function readLogicalParent(row: JsonObject): string | null {
  return stringField(row, 'logicalParentUuid');
}

/** The fields of a `last-prompt` row that concern the leaf. (docs/format.md, "Leaf") */
export interface LastPromptRow {
  /** `row`: a uuid is given. `null`: the row states that there is no leaf. `absent`: nothing is given. */
  readonly leafForm: 'row' | 'null' | 'absent';
  readonly leaf: string | null;
  /** Written on purpose, for example by a rewind of the conversation. */
  readonly isExplicit: boolean;
}

/** Null for rows of every other type. */
export function readLastPrompt(row: JsonObject): LastPromptRow | null {
  if (row['type'] !== 'last-prompt') return null;
  const leaf = stringField(row, 'leafUuid');
  const isNamed = leaf !== null && leaf !== '';
  return {
    leafForm: isNamed ? 'row' : row['leafUuid'] === null ? 'null' : 'absent',
    leaf: isNamed ? leaf : null,
    isExplicit: Boolean(row['explicit']),
  };
}
