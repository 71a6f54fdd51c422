import { NO_ID } from '../../scan/idTable';
import type { RowTable } from '../../scan/rowTable';
import type { ConversationOrder } from './conversationOrder';
import { ItemKind } from './itemBuilder';
import { firstRowFrom } from './rowAtLine';

/** The item that shows a line; null when it is not in the view. */
export function itemOfLine(rows: RowTable, order: ConversationOrder, line: number): number | null {
  const first = firstRowFrom(rows, line);
  for (let row = first; row < rows.count && rows.line(row) === line; row++) {
    const item = order.itemOfRow[row] ?? NO_ID;
    if (item !== NO_ID) return item;
  }
  return otherItemAt(order, line, first === 0 ? 0 : rows.line(first - 1));
}

/** The item of a line that holds no row; of a faulty one, that of the lines before it if it stands for this one, too. */
function otherItemAt({ kinds, values }: ConversationOrder, line: number, rowBefore: number): number | null {
  let fault: number | null = null;
  for (let item = 0; item < kinds.length; item++) {
    if (kinds[item] === ItemKind.row) continue;
    const value = values[item] ?? 0;
    if (value === line) return item;
    if (kinds[item] === ItemKind.fault && value < line && value > rowBefore) fault = item;
  }
  return fault;
}
