import type { ConversationItem, PanelItem, RowItem } from '../../../protocol/conversation';
import { SYNTHETIC_MODEL } from '../../providers/claude/format/rowTypes';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import type { RowTable } from '../../transcript/rowTable';
import { Column } from '../../util/columns';
import type { ConversationOrder } from './conversationOrder';
import { ItemKind } from './itemBuilder';

/**
 * Maximum number of rows in one item of a panel. It limits what a page of items contains, and a longer sequence of steps
 * becomes several items.
 */
const MAX_STEPS = 16;

/** What is stored of an item: the place of its first row in the order, and two marks. */
const BEGINS_REPLY = 1;
const HAS_OTHER_MODEL = 2;
const PLACE = 4;

/**
 * The items of a view as the panel shows them: in turns. The rows between two messages (calls, thinking and notes) are one
 * item, and what Claude writes in a turn has one header. Both depend only on what comes before, so that items do not change
 * while others are loaded or appended, except that the last one takes further steps. Some bytes per item.
 */
export class TurnOrder {
  readonly #order: ConversationOrder;
  readonly #hasSteps: boolean;
  readonly #items = Column.int32();
  #known = 0;
  /** Number of rows in the last item if further steps may be added to it; otherwise 0. */
  #steps = 0;
  #hasHeader = false;
  #isSidechain = false;
  #model: string | null = null;

  /** @param hasSteps  whether the rows between messages are collected; otherwise each is an item */
  constructor(order: ConversationOrder, hasSteps: boolean) {
    this.#order = order;
    this.#hasSteps = hasSteps;
  }

  get count(): number {
    return this.#items.length;
  }

  /** Takes what was appended to the order since the last call. Must be called before the other methods. */
  extend(rows: RowTable): void {
    const { kinds, values, count } = this.#order;
    for (; this.#known < count; this.#known++) {
      const kind = kinds[this.#known];
      if (kind === ItemKind.row) this.#addRow(values[this.#known] ?? 0, rows);
      else {
        this.#begin(0, 0);
        // What is below a break is a conversation of its own.
        if (kind === ItemKind.break || kind === ItemKind.healedBreak) this.#hasHeader = false;
      }
    }
  }

  /** The item that shows the one at this place of the order. */
  itemAt(place: number): number {
    let [low, high] = [0, this.#items.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#placeOf(middle) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param read  reads the item at a place of the order */
  item(index: number, read: (place: number) => ConversationItem): PanelItem {
    const marks = this.#items.get(index) % PLACE;
    const from = this.#placeOf(index);
    const end = index + 1 < this.count ? this.#placeOf(index + 1) : this.#known;
    const first = read(from);
    if (first.kind !== 'row') return first;
    const rows = [this.#withHeader(first, marks)];
    for (let place = from + 1; place < end; place++) {
      const next = read(place);
      if (next.kind === 'row') rows.push(this.#withHeader(next, 0));
    }
    return rows.length === 1 ? (rows[0] ?? first) : { kind: 'steps', line: first.line, rows };
  }

  #withHeader(row: RowItem, marks: number): RowItem {
    if (row.role !== 'assistant') return row;
    return {
      ...row,
      continues: (marks & BEGINS_REPLY) === 0,
      ...((marks & HAS_OTHER_MODEL) !== 0 && { isModelNew: true }),
    };
  }

  #placeOf(item: number): number {
    return Math.floor(this.#items.get(item) / PLACE);
  }

  #addRow(row: number, rows: RowTable): void {
    const isSidechain = rows.has(row, RowFlag.sidechain);
    if (isSidechain !== this.#isSidechain) this.#endReply(isSidechain);
    if (rows.kind(row) === RowKind.assistant) {
      const marks = this.#hasHeader ? 0 : this.#headerOf(row, rows);
      this.#hasHeader = true;
      this.#add(marks, isStep(row, rows));
    } else {
      if (beginsTurn(row, rows)) this.#endReply(isSidechain);
      this.#add(0, isStep(row, rows));
    }
  }

  #endReply(isSidechain: boolean): void {
    this.#isSidechain = isSidechain;
    this.#hasHeader = false;
    this.#steps = 0;
  }

  #headerOf(row: number, rows: RowTable): number {
    const model = rows.model(row);
    if (model === null || model === SYNTHETIC_MODEL || model === this.#model) return BEGINS_REPLY;
    this.#model = model;
    return BEGINS_REPLY | HAS_OTHER_MODEL;
  }

  #add(marks: number, isStep: boolean): void {
    if (!isStep || !this.#hasSteps) this.#begin(marks, 0);
    else if (marks !== 0 || this.#steps === 0 || this.#steps >= MAX_STEPS) this.#begin(marks, 1);
    else this.#steps++;
  }

  #begin(marks: number, steps: number): void {
    this.#items.push(this.#known * PLACE + marks);
    this.#steps = steps;
  }
}

/** Whether the row is not a message: a call without words, thinking, or what the client noted. */
function isStep(row: number, rows: RowTable): boolean {
  switch (rows.kind(row)) {
    case RowKind.assistant:
      return !rows.has(row, RowFlag.hasText | RowFlag.apiError | RowFlag.noMessage);
    case RowKind.user:
      return rows.has(row, RowFlag.meta) && !rows.has(row, RowFlag.hasToolResult | RowFlag.hasServerResult);
    case RowKind.system:
      return !rows.has(row, RowFlag.compactBoundary);
    case RowKind.attachment:
    case RowKind.progress:
    case RowKind.other:
      return true;
  }
}

/**
 * Whether what Claude writes after the row has a header again: after words in the person's name, a result that is shown apart
 * from its call and so has a header of its own, or a compaction.
 */
function beginsTurn(row: number, rows: RowTable): boolean {
  const kind = rows.kind(row);
  if (kind === RowKind.system) return rows.has(row, RowFlag.compactBoundary);
  if (kind !== RowKind.user || rows.has(row, RowFlag.meta)) return false;
  return rows.has(row, RowFlag.hasText | RowFlag.counted | RowFlag.hasToolResult | RowFlag.hasServerResult);
}
