import { readChainRow, type ChainRow, type ParentLink } from '../claude/chainRow';
import type { PreservedRows } from '../claude/compactBoundary';
import { stringField, type JsonObject } from '../claude/json';
import { readLastPrompt } from '../claude/lastPromptRow';
import type { MessageContent } from '../claude/messageContent';
import { isKnownRowType } from '../claude/rowTypes';
import { readSessionContext } from '../claude/sessionContext';
import { readTitle } from '../claude/sessionTitle';
import type { LineObject, Visibility } from './dissectLine';
import { NO_ID } from './idTable';
import { KeyTable } from './keyTable';
import { ParentForm, RowFlag, RowKind } from './rowFlags';
import { MAX_LISTED_LINES, TranscriptFacts, type Preserved } from './transcriptFacts';

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

/** Takes parsed objects in file order and writes down what later steps ask of them. */
export class RowCollector {
  readonly facts = new TranscriptFacts();
  readonly #keys = new KeyTable();

  /** The facts, once all objects were added. */
  end(): TranscriptFacts {
    this.facts.keyCount = this.#keys.count;
    return this.facts;
  }

  /** `isRow`: the object is all that stands on its line. */
  add(entry: LineObject, line: number, isRow: boolean, hash: number): void {
    const { object, visibility } = entry;
    this.#noteType(object, line);
    const row = readChainRow(object);
    if (row !== null) {
      this.#store(row, line, isRow, visibility, hash);
      if (row.content !== null) this.#noteContext(object, row.timestamp);
    } else if (visibility === 'always') this.#noteLastPrompt(object, line);
    if (visibility !== 'never') this.#noteTitle(object);
  }

  #store(row: ChainRow, line: number, isRow: boolean, visibility: Visibility, hash: number): void {
    const { facts } = this;
    const parent = row.parent.kind === 'id' ? facts.ids.intern(row.parent.id) : NO_ID;
    const isCounted = isRow && row.content?.hasContent === true && !row.isMeta;
    const at = facts.rows.add({
      line,
      flags:
        RowKind[row.type] |
        PARENT_FORMS[row.parent.kind] |
        VISIBILITY_FLAGS[visibility] |
        flag(isCounted, RowFlag.counted) |
        stateFlags(row) |
        (row.content === null ? 0 : contentFlags(row.content)),
      uuid: this.#id(row.uuid),
      parent,
      timestamp: row.timestamp,
      message: row.messageId === null ? NO_ID : this.#keys.intern(row.messageId),
      hash,
      toolUses: (row.content?.toolUses ?? []).map((id) => this.#keys.intern(id)),
      toolResults: (row.content?.toolResults ?? []).map((id) => this.#keys.intern(id)),
    });
    const source = this.#id(row.toolSource);
    if (source !== NO_ID && source !== parent) facts.toolSources.set(at, source);
    if (row.hookCall !== null) facts.hookCalls.set(at, this.#keys.intern(row.hookCall));
    if (row.boundary !== null) facts.boundaries.push({ row: at, preserved: this.#preserved(row.boundary) });
  }

  #id(id: string | null): number {
    return id === null ? NO_ID : this.facts.ids.intern(id);
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
    this.facts.lastPrompt = {
      line,
      rowsBefore: this.facts.rows.count,
      leaf: this.#id(row.leaf),
      isExplicit: row.isExplicit,
    };
  }

  #noteType(object: JsonObject, line: number): void {
    const type = stringField(object, 'type');
    if (type === null || isKnownRowType(type)) return;
    const entry = this.facts.unknownTypes.get(type) ?? { type, count: 0, lines: [] };
    this.facts.unknownTypes.set(type, entry);
    entry.count++;
    if (entry.lines.length < MAX_LISTED_LINES) entry.lines.push(line);
  }

  #noteTitle(object: JsonObject): void {
    const title = readTitle(object);
    if (title === null) return;
    const { titles } = this.facts;
    if (title.source === 'firstPrompt') titles.firstPrompt ??= title.text;
    else titles[title.source] = title.text;
  }

  #noteContext(object: JsonObject, timestamp: number): void {
    const { latest } = this.facts;
    const { cwd, gitBranch, clientVersion, model } = readSessionContext(object);
    latest.cwd = cwd ?? latest.cwd;
    latest.gitBranch = gitBranch ?? latest.gitBranch;
    latest.clientVersion = clientVersion ?? latest.clientVersion;
    latest.model = model ?? latest.model;
    if (!Number.isNaN(timestamp)) latest.messageMs = Math.max(latest.messageMs ?? 0, timestamp);
  }
}

function stateFlags(row: ChainRow): number {
  return (
    flag(row.isSidechain, RowFlag.sidechain) |
    flag(row.isApiError, RowFlag.apiError) |
    flag(row.isForked, RowFlag.forked) |
    flag(row.toolSource !== null, RowFlag.toolSource) |
    flag(row.boundary !== null, RowFlag.compactBoundary)
  );
}

function contentFlags(content: MessageContent): number {
  return (
    flag(content.isUsable, RowFlag.usable) |
    flag(content.hasText, RowFlag.hasText) |
    flag(content.isNoResponse, RowFlag.noResponse) |
    flag(content.toolUses.length > 0, RowFlag.hasToolUse) |
    flag(content.toolResults.length > 0, RowFlag.hasToolResult)
  );
}

function flag(isSet: boolean, bit: number): number {
  return isSet ? bit : 0;
}
