import { objectField, stringField, type JsonObject } from '../claude/json';
import { readMessageContent, type MessageContent } from '../claude/messageContent';
import { COMPACT_BOUNDARY, isKnownRowType } from '../claude/rowTypes';
import type { LineObject, Visibility } from './dissectLine';
import { NO_ID } from './idTable';
import { KeyTable } from './keyTable';
import { ParentForm, RowFlag, RowKind } from './rowFlags';
import { MAX_LISTED_LINES, TranscriptFacts, type Preserved } from './transcriptFacts';

const CHAIN_KINDS: ReadonlyMap<string, RowKind> = new Map([
  ['user', RowKind.user],
  ['assistant', RowKind.assistant],
  ['attachment', RowKind.attachment],
  ['system', RowKind.system],
  ['progress', RowKind.progress],
]);

const VISIBILITY_FLAGS: Readonly<Record<Visibility, number>> = {
  always: 0,
  largeFile: RowFlag.nulPrefixed,
  never: RowFlag.hidden,
};

/** Whether the object gets a place in the row table: chain rows, and any other object that has a uuid. */
export function isStoredRow(object: JsonObject): boolean {
  return CHAIN_KINDS.has(stringField(object, 'type') ?? '') || stringField(object, 'uuid') !== null;
}

/** Takes parsed objects in file order and writes down what later steps ask of them. */
export class RowCollector {
  readonly facts = new TranscriptFacts();
  readonly #keys = new KeyTable();

  /** `isRow`: the object is all that stands on its line. */
  add(entry: LineObject, line: number, isRow: boolean, hash: number): void {
    const { object, visibility } = entry;
    const type = stringField(object, 'type');
    if (type !== null && !isKnownRowType(type)) this.#noteUnknown(type, line);
    if (isStoredRow(object)) this.#store(object, type ?? '', line, isRow, visibility, hash);
    else if (type === 'last-prompt' && visibility === 'always') this.#noteLastPrompt(object, line);
    if (visibility !== 'never') this.#noteTitles(object, type);
  }

  #store(object: JsonObject, type: string, line: number, isRow: boolean, visibility: Visibility, hash: number): void {
    const { ids, rows } = this.facts;
    const kind = CHAIN_KINDS.get(type) ?? RowKind.other;
    const isMessage = kind === RowKind.user || kind === RowKind.assistant;
    const content = isMessage ? readMessageContent(object) : null;
    const parent = object['parentUuid'];
    const parentId = typeof parent === 'string' && parent !== '' ? ids.intern(parent) : NO_ID;
    const uuid = stringField(object, 'uuid');
    const messageId = kind === RowKind.assistant ? stringField(objectField(object, 'message') ?? {}, 'id') : null;
    const timestamp = Date.parse(stringField(object, 'timestamp') ?? '');
    const row = rows.add({
      line,
      flags:
        kind |
        parentForm(object) |
        VISIBILITY_FLAGS[visibility] |
        stateFlags(object, kind) |
        (content === null ? 0 : contentFlags(content)) |
        (isRow && content?.hasContent === true && !isTruthy(object['isMeta']) ? RowFlag.counted : 0),
      uuid: uuid === null || uuid === '' ? NO_ID : ids.intern(uuid),
      parent: parentId,
      timestamp,
      message: messageId === null || messageId === '' ? NO_ID : this.#keys.intern(messageId),
      hash,
      toolUses: (content?.toolUses ?? []).map((id) => this.#keys.intern(id)),
      toolResults: (content?.toolResults ?? []).map((id) => this.#keys.intern(id)),
    });
    this.#noteSpecial(object, kind, row, parentId);
    if (isMessage) this.#noteLatest(object, kind, timestamp);
  }

  #noteSpecial(object: JsonObject, kind: RowKind, row: number, parentId: number): void {
    const { facts } = this;
    const source = stringField(object, 'sourceToolAssistantUUID');
    if (source !== null && source !== '') {
      const sourceId = facts.ids.intern(source);
      if (sourceId !== parentId) facts.toolSources.set(row, sourceId);
    }
    if (kind === RowKind.system) {
      const subtype = stringField(object, 'subtype');
      if (subtype === COMPACT_BOUNDARY) this.#noteBoundary(object, row);
      if (subtype === 'stop_hook_summary') this.#noteHookCall(object, row);
    } else if (
      kind === RowKind.progress &&
      stringField(objectField(object, 'data') ?? {}, 'type') === 'hook_progress'
    ) {
      this.#noteHookCall(object, row);
    }
  }

  #noteHookCall(object: JsonObject, row: number): void {
    const call = stringField(object, 'toolUseID');
    if (call !== null && call !== '') this.facts.hookCalls.set(row, this.#keys.intern(call));
  }

  #noteBoundary(object: JsonObject, row: number): void {
    const metadata = objectField(object, 'compactMetadata') ?? {};
    this.facts.boundaries.push({ row, preserved: this.#readPreserved(metadata) });
  }

  /** The list of rows counts; the segment is what clients wrote that had no list. (docs/format.md, "Compaction") */
  #readPreserved(metadata: JsonObject): Preserved {
    const id = (object: JsonObject, key: string): number => {
      const value = stringField(object, key);
      return value === null ? NO_ID : this.facts.ids.intern(value);
    };
    const list = objectField(metadata, 'preservedMessages');
    const uuids: unknown = list?.['uuids'];
    if (list !== null && Array.isArray(uuids)) {
      const ids = uuids.map((uuid) => (typeof uuid === 'string' ? this.facts.ids.intern(uuid) : NO_ID));
      return { kind: 'list', anchor: id(list, 'anchorUuid'), ids };
    }
    const segment = objectField(metadata, 'preservedSegment');
    if (segment === null) return { kind: 'none' };
    return {
      kind: 'segment',
      anchor: id(segment, 'anchorUuid'),
      head: id(segment, 'headUuid'),
      tail: id(segment, 'tailUuid'),
    };
  }

  #noteLastPrompt(object: JsonObject, line: number): void {
    const leaf = object['leafUuid'];
    const isId = typeof leaf === 'string' && leaf !== '';
    this.facts.lastPrompts.add({
      line,
      rowsBefore: this.facts.rows.count,
      leafForm: isId ? 'row' : leaf === null ? 'null' : 'absent',
      leaf: isId ? this.facts.ids.intern(leaf) : NO_ID,
      isExplicit: isTruthy(object['explicit']),
    });
  }

  #noteUnknown(type: string, line: number): void {
    const known = this.facts.unknownTypes.get(type);
    const entry = known ?? { type, count: 0, lines: [] };
    if (known === undefined) this.facts.unknownTypes.set(type, entry);
    entry.count++;
    if (entry.lines.length < MAX_LISTED_LINES) entry.lines.push(line);
  }

  #noteTitles(object: JsonObject, type: string | null): void {
    const { titles } = this.facts;
    switch (type) {
      case 'custom-title':
        titles.custom = stringField(object, 'customTitle') ?? titles.custom;
        break;
      case 'ai-title':
        titles.ai = stringField(object, 'aiTitle') ?? titles.ai;
        break;
      case 'last-prompt':
        titles.lastPrompt = stringField(object, 'lastPrompt') ?? titles.lastPrompt;
        break;
      case 'summary':
        titles.summary = stringField(object, 'summary') ?? titles.summary;
        break;
      case 'user':
        titles.firstPrompt ??=
          isTruthy(object['isMeta']) || isTruthy(object['isSidechain']) ? null : promptText(object);
        break;
      default:
        break;
    }
  }

  #noteLatest(object: JsonObject, kind: RowKind, timestamp: number): void {
    const { latest } = this.facts;
    latest.cwd = stringField(object, 'cwd') ?? latest.cwd;
    latest.gitBranch = stringField(object, 'gitBranch') ?? latest.gitBranch;
    latest.clientVersion = stringField(object, 'version') ?? latest.clientVersion;
    if (kind === RowKind.assistant && !isTruthy(object['isApiErrorMessage'])) {
      latest.model = stringField(objectField(object, 'message') ?? {}, 'model') ?? latest.model;
    }
    if (!Number.isNaN(timestamp)) latest.messageMs = Math.max(latest.messageMs ?? 0, timestamp);
  }
}

function parentForm(object: JsonObject): ParentForm {
  const parent = object['parentUuid'];
  if (parent === undefined) return ParentForm.absent;
  // The client takes any empty value for "no parent". (docs/format.md, "Parents")
  if (!isTruthy(parent)) return ParentForm.null;
  return typeof parent === 'string' ? ParentForm.text : ParentForm.other;
}

function stateFlags(object: JsonObject, kind: RowKind): number {
  return (
    (isTruthy(object['isSidechain']) ? RowFlag.sidechain : 0) |
    (isTruthy(object['isMeta']) ? RowFlag.meta : 0) |
    (isTruthy(object['isCompactSummary']) ? RowFlag.compactSummary : 0) |
    (isTruthy(object['isApiErrorMessage']) ? RowFlag.apiError : 0) |
    (stringField(object, 'sourceToolAssistantUUID') ? RowFlag.toolSource : 0) |
    (object['forkedFrom'] === undefined ? 0 : RowFlag.forked) |
    (kind === RowKind.system && object['subtype'] === COMPACT_BOUNDARY ? RowFlag.compactBoundary : 0)
  );
}

function contentFlags(content: MessageContent): number {
  return (
    (content.isUsable ? RowFlag.usable : 0) |
    (content.isThinkingOnly ? RowFlag.thinkingOnly : 0) |
    (content.hasText ? RowFlag.hasText : 0) |
    (content.isNoResponse ? RowFlag.noResponse : 0) |
    (content.hasContent ? RowFlag.hasContent : 0) |
    (content.toolUses.length > 0 ? RowFlag.hasToolUse : 0) |
    (content.toolResults.length > 0 ? RowFlag.hasToolResult : 0)
  );
}

/** Text of a prompt as a title; null for rows that only answer tools. Bounded: a title is one short line. */
function promptText(object: JsonObject): string | null {
  const content = objectField(object, 'message')?.['content'];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  for (const block of blocks) {
    const text = typeof block === 'object' && block !== null ? stringField(block as JsonObject, 'text') : null;
    if (text !== null && text.trim() !== '' && !text.trimStart().startsWith('<')) return text.trim().slice(0, 400);
  }
  return null;
}

function isTruthy(value: unknown): boolean {
  return Boolean(value);
}
