import type { OutlineEntry } from '../../shared/conversation';
import { RowFlag, RowKind } from '../scan/rowFlags';
import type { RowTable } from '../scan/rowTable';
import { oneLine } from './describe/cutText';
import { describeRow } from './describe/describeRow';
import { bareContext } from './describe/rowContext';
import type { ConversationOrder } from './order/conversationOrder';
import { ItemKind } from './order/itemBuilder';
import type { TranscriptRows } from './rows/transcriptRows';
import type { TranscriptState } from './transcriptState';

const MAX_LABEL = 120;
/** Labels that are kept. */
const MAX_LABELS = 50_000;

/** First words of prompts by the offset of their row; null for a row that is no prompt. Good while the file grows. */
export class PromptLabels {
  readonly #labels = new Map<number, string | null>();

  of(row: number, rows: TranscriptRows): string | null {
    const offset = rows.table.offset(row);
    const known = this.#labels.get(offset);
    if (known !== undefined) return known;
    const object = rows.object(row);
    const block = object === null ? undefined : describeRow(object, bareContext(0)).blocks.find(isPrompt);
    const label = block?.kind === 'text' ? oneLine(block.body.text, MAX_LABEL) : null;
    if (this.#labels.size >= MAX_LABELS) this.#labels.clear();
    this.#labels.set(offset, label);
    return label;
  }

  clear(): void {
    this.#labels.clear();
  }
}

function isPrompt({ kind }: { readonly kind: string }): boolean {
  return kind === 'text';
}

/** Items that may be prompts: user rows with text that stand for themselves. */
export function* promptItems(rows: RowTable, order: ConversationOrder): Generator<{ index: number; row: number }> {
  for (let index = 0; index < order.count; index++) {
    if (order.kinds[index] !== ItemKind.row) continue;
    const row = order.values[index] ?? 0;
    if (rows.kind(row) === RowKind.user && rows.has(row, RowFlag.hasText)) yield { index, row };
  }
}

/** Null when the row is no prompt. */
export function outlineEntry(
  { index, row }: { readonly index: number; readonly row: number },
  state: TranscriptState,
  rows: TranscriptRows,
  labels: PromptLabels,
): OutlineEntry | null {
  const label = labels.of(row, rows);
  if (label === null) return null;
  const time = rows.table.timestamp(row);
  return {
    index,
    line: rows.table.line(row),
    label,
    timeMs: Number.isNaN(time) ? null : time,
    isLoaded: state.isLoaded(row) === true,
  };
}
