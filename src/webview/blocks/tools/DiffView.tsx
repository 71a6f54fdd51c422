import type { JSX } from 'preact';
import type { DiffHunk, RowItem, ToolBlock, ToolInput } from '../../../protocol/conversation';
import type { BlockHost } from '../blockHost';
import { useExpanded } from '../parts/Disclosure';
import { VisibleText } from '../parts/VisibleText';
import { formatCount, holdsHit, safeCut } from '../text/texts';

const FOLD_ROWS = 24;
const MAX_ROWS = 1000;
const MAX_LINE_CHARS = 2000;
const SIGNS = { context: ' ', added: '+', removed: '-' } as const;

/** A change of a file, line by line. */
export function DiffView(props: {
  readonly input: ToolInput & { readonly kind: 'diff' };
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element {
  const { input, block, item, host } = props;
  const rows = flattenHunks(input.hunks, MAX_ROWS);
  const [isExpanded, toggle] = useExpanded(host, item.line, `${block.path}#all`, false, (find) =>
    rows.slice(FOLD_ROWS).some((row) => row.kind !== 'gap' && holdsHit(find, row.text)),
  );
  const isLong = rows.length > FOLD_ROWS + 3;
  const shown = isLong && !isExpanded ? rows.slice(0, FOLD_ROWS) : rows;
  const missing = input.more + Math.max(0, countLines(input.hunks) - MAX_ROWS);
  return (
    <div class="block-diff">
      <div class="block-diff-rows" dir="ltr">
        {shown.map((row, at) => (
          <Row key={at} row={row} />
        ))}
      </div>
      {isLong && (
        <button type="button" data-unsearched class="block-link block-more" onClick={toggle}>
          {isExpanded ? host.t('Show less') : host.t('Show all ({0} lines)', formatCount(rows.length, host.locale))}
        </button>
      )}
      {missing > 0 && (isExpanded || !isLong) && (
        <div data-unsearched class="block-more">
          {host.t('{0} more lines are in the diff.', formatCount(missing, host.locale))}
        </div>
      )}
    </div>
  );
}

function Row({ row }: { row: DiffRow }): JSX.Element {
  if (row.kind === 'gap') return <div class="block-diff-row block-diff-gap">⋯</div>;
  const cut = safeCut(row.text, MAX_LINE_CHARS);
  return (
    <div class={`block-diff-row block-diff-${row.kind}`}>
      <span class="block-diff-number" data-line={row.number} />
      <span class="block-diff-sign">{SIGNS[row.kind]}</span>
      <span class="block-diff-text">
        <VisibleText text={row.text.slice(0, cut)} />
        {cut < row.text.length && <span class="block-control">+{row.text.length - cut}</span>}
      </span>
    </div>
  );
}

function countLines(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}

type DiffRow =
  | { readonly kind: 'gap' }
  | {
      readonly kind: 'context' | 'added' | 'removed';
      /** Line number in the file after the change; for a removed line, before the change. */
      readonly number: number;
      readonly text: string;
    };

/** The rows of a diff in reading order; `gap` represents unchanged lines. */
function flattenHunks(hunks: readonly DiffHunk[], maxRows: number): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (const hunk of hunks) {
    if (rows.length > 0) rows.push({ kind: 'gap' });
    let before = hunk.oldStart;
    let after = hunk.newStart;
    for (const { kind, text } of hunk.lines) {
      if (rows.length >= maxRows) return rows;
      rows.push({ kind, number: kind === 'removed' ? before : after, text });
      if (kind !== 'added') before += 1;
      if (kind !== 'removed') after += 1;
    }
  }
  return rows;
}
