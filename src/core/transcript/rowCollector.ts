import {
  type ChainRow,
  type ParentLink,
  type PreservedRows,
  readChainRow,
  readLastPrompt,
  readParentSession,
} from '../providers/claude/format/chainRow';
import { readContextTokens, readLengthRefusal, readModel } from '../providers/claude/format/contextFacts';
import type { MessageContent } from '../providers/claude/format/messageContent';
import { readMessageUsage } from '../providers/claude/format/messageUsage';
import { isKnownRowType } from '../providers/claude/format/rowTypes';
import { readSessionContext, readTitle } from '../providers/claude/format/sessionMetadata';
import { type JsonObject, stringField } from '../util/json';
import type { LineObject, Visibility } from './dissectLine';
import { NO_ID } from './idTable';
import { ParentForm, RowFlag, RowKind } from './rowFlags';
import type { RowRecord } from './rowTableBuilder';
import type { Preserved, TranscriptNotes } from './transcriptIndex';

const PARENT_FORMS: Readonly<Record<ParentLink['kind'], ParentForm>> = {
  absent: ParentForm.absent,
  empty: ParentForm.null,
  id: ParentForm.text,
  other: ParentForm.other,
};

const VISIBILITY_FLAGS: Readonly<Record<Visibility, number>> = {
  always: 0,
  largeFile: RowFlag.nulPrefixed,
  never: RowFlag.hidden,
};

/** Receives what the collector extracts. */
export interface IndexSink {
  /** Assigns each id its number. */
  readonly ids: { intern(id: string): number };
  readonly keys: { intern(key: string): number };
  readonly rows: { readonly count: number; add(row: RowRecord): number };
  /** Null if usage was not requested. */
  readonly usage: { add(row: number, key: number, model: string | null, counts: readonly number[]): void } | null;
  readonly notes: TranscriptNotes;
}

/** The position of an object. */
export interface RowPlace {
  readonly line: number;
  /** The line counts as a row. See `DissectedLine`. */
  readonly isRow: boolean;
  /** The line, or one of its lines, is not exactly the object, NULs in front and white space. */
  readonly isShared: boolean;
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly hash: number;
}

/** Receives parsed objects in file order and stores what later steps need of them. */
export class RowCollector {
  readonly #sink: IndexSink;

  constructor(sink: IndexSink) {
    this.#sink = sink;
  }

  add(entry: LineObject, place: RowPlace): void {
    const { object, visibility } = entry;
    this.#sink.notes.hasRow ||= !isEmpty(object);
    this.#noteType(object, place.line);
    const row = readChainRow(object);
    if (row !== null) {
      this.#store(row, entry, place);
      if (row.content !== null) this.#noteContext(object, row.timeMs);
    } else if (visibility === 'always') this.#noteLastPrompt(object, place.line);
    if (visibility !== 'never') noteTitle(this.#sink.notes, object);
  }

  #store(row: ChainRow, { object, visibility }: LineObject, place: RowPlace): void {
    const { keys, notes, rows, usage } = this.#sink;
    const parent = 'id' in row.parent ? this.#id(row.parent.id) : NO_ID;
    const hasContent = row.content?.hasContent === true && !row.isMeta;
    const uuid = this.#id(row.uuid);
    const message = row.messageId === null ? NO_ID : keys.intern(row.messageId);
    const at = rows.add({
      line: place.line,
      flags:
        RowKind[row.type] |
        PARENT_FORMS[row.parent.kind] |
        VISIBILITY_FLAGS[visibility] |
        flag(hasContent && place.isRow, RowFlag.counted) |
        flag(place.isShared, RowFlag.sharesLine) |
        stateFlags(row) |
        (row.content === null ? 0 : contentFlags(row, row.content)),
      uuid,
      parent,
      timestamp: row.timestamp,
      message,
      hash: place.hash,
      offset: place.offset,
      toolUses: [...(row.content?.toolUses ?? []), ...(row.content?.serverCalls ?? [])].map((id) => keys.intern(id)),
      toolResults: [...(row.content?.toolResults ?? []), ...(row.content?.serverResults ?? [])].map((id) =>
        keys.intern(id),
      ),
      contextTokens: readContextTokens(object),
      model: readModel(object),
    });
    const refusal = row.isApiError ? readLengthRefusal(object) : null;
    if (refusal !== null) notes.refusals.set(at, refusal);
    if (usage !== null) {
      const used = readMessageUsage(object);
      if (used !== null) usage.add(at, message, used.model, used.counts);
    }
    notes.parentSessionId ??= row.parentSessionId;
    const source = this.#id(row.toolSource);
    if (source !== NO_ID && source !== parent) notes.toolSources.set(at, source);
    if (row.hookCall !== null) notes.hookCalls.set(at, keys.intern(row.hookCall));
    if (row.boundary !== null) {
      const { preserved, hasMetadata } = row.boundary;
      notes.boundaries.push({ row: at, preserved: this.#preserved(preserved), hasMetadata });
    }
  }

  #id(id: string | null): number {
    return id === null ? NO_ID : this.#sink.ids.intern(id);
  }

  #preserved(named: PreservedRows): Preserved {
    switch (named.kind) {
      case 'none':
        return named;
      case 'list':
        return { kind: 'list', anchor: this.#id(named.anchor), ids: named.uuids.map((uuid) => this.#id(uuid)) };
      case 'segment':
        return {
          kind: 'segment',
          anchor: this.#id(named.anchor),
          head: this.#id(named.head),
          tail: this.#id(named.tail),
        };
    }
  }

  #noteLastPrompt(object: JsonObject, line: number): void {
    const row = readLastPrompt(object);
    if (row === null || row.leafForm === 'absent' || (row.leafForm === 'null' && !row.isExplicit)) return;
    this.#sink.notes.lastPrompt = {
      line,
      rowsBefore: this.#sink.rows.count,
      leaf: this.#id(row.leaf),
      isExplicit: row.isExplicit,
    };
  }

  #noteType(object: JsonObject, line: number): void {
    const type = stringField(object, 'type');
    if (type === null || isKnownRowType(type)) return;
    const entry = this.#sink.notes.unknownTypes.get(type) ?? { type, count: 0, lines: [] };
    this.#sink.notes.unknownTypes.set(type, entry);
    entry.count++;
    entry.lines.push(line);
  }

  #noteContext(object: JsonObject, timeMs: number): void {
    const { latest } = this.#sink.notes;
    const { cwd, gitBranch, clientVersion, model } = readSessionContext(object);
    latest.cwd = cwd ?? latest.cwd;
    latest.gitBranch = gitBranch ?? latest.gitBranch;
    latest.clientVersion = clientVersion ?? latest.clientVersion;
    latest.model = model ?? latest.model;
    if (!Number.isNaN(timeMs)) latest.messageMs = Math.max(latest.messageMs ?? 0, timeMs);
  }
}

/** Stores the session that a row was copied from, unless an earlier row named one. */
export function noteParentSession(notes: TranscriptNotes, object: JsonObject): void {
  notes.parentSessionId ??= readParentSession(object);
}

/** Stores the title that a row gives its session, if any. */
export function noteTitle({ titles }: TranscriptNotes, object: JsonObject): void {
  const title = readTitle(object);
  if (title === null) return;
  if (title.source === 'firstPrompt') titles.firstPrompt ??= title.text;
  else titles[title.source] = title.text;
}

function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return false;
  return true;
}

function stateFlags(row: ChainRow): number {
  return (
    flag(row.isSidechain, RowFlag.sidechain) |
    flag(row.hasOddSidechainFlag, RowFlag.oddSidechain) |
    flag(row.isApiError, RowFlag.apiError) |
    flag(row.isVirtual, RowFlag.virtual) |
    flag(row.isMetaTrue, RowFlag.meta) |
    flag(row.content !== null && !row.hasMessage, RowFlag.noMessage) |
    flag(row.isForked, RowFlag.forked) |
    flag(row.toolSource !== null, RowFlag.toolSource) |
    flag(!Number.isNaN(row.timestamp) && Number.isNaN(row.timeMs), RowFlag.looseTime) |
    flag(row.isTimeNumber, RowFlag.numericTime) |
    flag(row.boundary !== null, RowFlag.compactBoundary) |
    flag(row.isFileSnapshot, RowFlag.fileSnapshot) |
    flag(row.isForSystem, RowFlag.usable) |
    flag(row.isCompanion || row.isCommandOutput || row.isSilentAttachment, RowFlag.kindSpecific)
  );
}

function contentFlags({ type, parent }: ChainRow, content: MessageContent): number {
  const isReply = type === 'assistant';
  const isPromptBelow = type === 'user' && (parent.kind === 'id' || parent.kind === 'other');
  return (
    flag(isReply && content.form === 'text', RowFlag.kindSpecific) |
    flag(content.isMissing && (isReply || isPromptBelow), RowFlag.oddMessage) |
    flag(content.hasNullEntry && isPromptBelow, RowFlag.oddMessage) |
    flag(content.form === 'other' || (isReply && content.hasBareEntry), RowFlag.oddContent) |
    flag(content.isUsable, RowFlag.usable) |
    flag(content.hasText, RowFlag.hasText) |
    flag(content.isNoResponse || (isReply && content.isEmptyList), RowFlag.noResponse) |
    flag(content.isRedacted, RowFlag.redacted) |
    flag(content.toolUses.length > 0, RowFlag.hasToolUse) |
    flag(content.toolResults.length > 0, RowFlag.hasToolResult) |
    flag(content.serverCalls.length > 0, RowFlag.hasServerCall) |
    flag(content.serverResults.length > 0, RowFlag.hasServerResult)
  );
}

function flag(isSet: boolean, bit: number): number {
  return isSet ? bit : 0;
}
