import { NO_ID } from '../../scan/idTable';
import type { TranscriptFacts } from '../../scan/transcriptFacts';
import type { ConversationOrder } from '../order/conversationOrder';
import { ItemKind } from '../order/itemBuilder';

/** Where a row of a line is shown. */
export interface LinePlace {
  readonly item: number;
  /** In the block of its call. */
  readonly isInCall: boolean;
}

const NOWHERE: readonly LinePlace[] = [];

/** Line → items of a view. Holds on to no facts, so that it stays good while the file grows. */
export class ViewLines {
  readonly fileSize: number;
  readonly #lines: Int32Array;
  readonly #order: ConversationOrder;
  /** Lines of which no row is stored. */
  readonly #others = new Map<number, LinePlace>();

  constructor({ rows, fileSize }: TranscriptFacts, order: ConversationOrder) {
    this.fileSize = fileSize;
    this.#order = order;
    this.#lines = new Int32Array(rows.count);
    for (let row = 0; row < rows.count; row++) this.#lines[row] = rows.line(row);
    order.kinds.forEach((kind, item) => {
      const line = order.values[item] ?? 0;
      if (kind === ItemKind.unknown) this.#others.set(line, { item, isInCall: false });
    });
  }

  /** The rows of a line that are in the view, in their order on it. */
  at(line: number): readonly LinePlace[] {
    const other = this.#others.get(line);
    if (other !== undefined) return [other];
    const places: LinePlace[] = [];
    for (let row = this.#firstFrom(line); this.#lines[row] === line; row++) {
      const item = this.#order.itemOfRow[row] ?? NO_ID;
      if (item !== NO_ID) places.push({ item, isInCall: this.#order.pairs.callOf(row) !== NO_ID });
    }
    return places.length === 0 ? NOWHERE : places;
  }

  #firstFrom(line: number): number {
    let low = 0;
    let high = this.#lines.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lines[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
