import type { ContentBlock, PanelItem, RowItem, ToolBlock } from '../../../protocol/conversation';
import { linesOf } from '../state/expandedRows';

/** A block, and the row that contains it. */
export interface Step {
  readonly row: RowItem;
  readonly block: ContentBlock;
}

/** A part of an item, from top to bottom. */
export type Piece =
  /** Blocks of one row; its first piece has the row's header, its last one the row's branches. */
  | {
      readonly kind: 'row';
      readonly row: RowItem;
      readonly blocks: readonly ContentBlock[];
      readonly isFirst: boolean;
      readonly isLast: boolean;
    }
  /** Successful calls, shown as one line that opens. */
  | { readonly kind: 'run'; readonly steps: readonly Step[]; readonly calls: readonly ToolBlock[] }
  /** Notes for Claude, shown as one line that opens. */
  | { readonly kind: 'notes'; readonly steps: readonly Step[] };

/** Fewer successful calls are shown one by one. */
const MIN_RUN = 3;

/**
 * How rows are shown. Calls that succeeded and notes for Claude are folded; a note between two calls is moved behind them,
 * because it would interrupt the calls.
 * @param isShown  whether the block is shown at all
 */
export function piecesOf(rows: readonly RowItem[], isShown: (row: RowItem, block: ContentBlock) => boolean): Piece[] {
  const folded = new Folds();
  for (const row of rows) {
    const visible = row.blocks.filter((block) => isShown(row, block));
    for (const block of visible) {
      const step = { row, block };
      if (isContextNote(block) && row.branches.length === 0) folded.addNote(step);
      else if (isFoldable(step)) folded.addCall(step);
      else folded.addOther(step);
    }
    if (visible.length === 0 && (showsHeader(row) || row.branches.length > 0)) folded.addRow(row);
  }
  return folded.finish();
}

/** Whether the author's name and the time are above the row. */
export function showsHeader(row: RowItem): boolean {
  return !row.continues && (row.role === 'assistant' || !row.blocks.every(isQuiet));
}

export function isQuiet(block: ContentBlock): boolean {
  switch (block.kind) {
    case 'note':
    case 'compaction':
    case 'summary':
    case 'interruption':
      return true;
    case 'text':
    case 'thinking':
    case 'tool':
    case 'result':
    case 'image':
    case 'error':
    case 'raw':
      return false;
  }
}

/** The rows of an item; none of what is no row. */
export function rowsOf(item: PanelItem): readonly RowItem[] {
  switch (item.kind) {
    case 'row':
      return [item];
    case 'steps':
      return item.rows;
    case 'break':
    case 'fault':
      return [];
  }
}

/** Whether one of the steps is the row at the line, or has the result at the line. */
export function hasLine(steps: readonly Step[], line: number | null): boolean {
  return line !== null && steps.some(({ row }) => linesOf(row).includes(line));
}

function isContextNote(block: ContentBlock): boolean {
  return block.kind === 'note' && block.isForPerson !== true;
}

/**
 * Whether a fold may hide the step: a call that succeeded, or thinking that was not kept. A subagent is a conversation of its
 * own, and stays in sight.
 */
function isFoldable({ row, block }: Step): boolean {
  if (row.branches.length > 0) return false;
  if (block.kind === 'thinking') return block.body.text === '' && block.body.more === 0;
  return block.kind === 'tool' && block.input.kind !== 'agent' && block.result?.isError === false;
}

class Folds {
  readonly #pieces: Piece[] = [];
  #calls: Step[] = [];
  #notes: Step[] = [];
  /** Rows whose first piece was added. */
  readonly #begun = new Set<RowItem>();

  addNote(step: Step): void {
    this.#notes.push(step);
  }

  addCall(step: Step): void {
    if (this.#calls.length === 0) this.#flush();
    this.#calls.push(step);
  }

  addOther(step: Step): void {
    this.#flush();
    this.#addBlock(step);
  }

  /** Adds a row of which no block is shown, for its header and its branches. */
  addRow(row: RowItem): void {
    this.#flush();
    this.#addPiece(row, []);
  }

  finish(): Piece[] {
    this.#flush();
    // Only the last piece of a row has its branches.
    const ended = new Set<RowItem>();
    for (let at = this.#pieces.length - 1; at >= 0; at--) {
      const piece = this.#pieces[at];
      if (piece?.kind !== 'row') continue;
      this.#pieces[at] = { ...piece, isLast: !ended.has(piece.row) };
      ended.add(piece.row);
    }
    return this.#pieces;
  }

  #flush(): void {
    const [steps, notes] = [this.#calls, this.#notes];
    [this.#calls, this.#notes] = [[], []];
    const calls = steps.flatMap(({ block }) => (block.kind === 'tool' ? [block] : []));
    const header = steps[0]?.row ?? notes[0]?.row;
    if (header !== undefined && showsHeader(header) && !this.#begun.has(header)) this.#addPiece(header, []);
    if (calls.length >= MIN_RUN) this.#pieces.push({ kind: 'run', steps, calls });
    else for (const step of steps) this.#addBlock(step);
    if (notes.length > 0) this.#pieces.push({ kind: 'notes', steps: notes });
  }

  #addBlock({ row, block }: Step): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === 'row' && last.row === row) {
      this.#pieces[this.#pieces.length - 1] = { ...last, blocks: [...last.blocks, block] };
    } else this.#addPiece(row, [block]);
  }

  #addPiece(row: RowItem, blocks: readonly ContentBlock[]): void {
    this.#pieces.push({ kind: 'row', row, blocks, isFirst: !this.#begun.has(row), isLast: true });
    this.#begun.add(row);
  }
}
