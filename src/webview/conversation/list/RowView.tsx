import type { ComponentChildren, JSX } from 'preact';
import type { ContentBlock, ForgottenAs, RowItem, StepsItem } from '../../../protocol/conversation';
import type { BlockHost, TextMatcher } from '../../blocks/blockHost';
import { BlockView } from '../../blocks/BlockView';
import { Disclosure, useExpanded } from '../../blocks/parts/Disclosure';
import { VisibleText } from '../../blocks/parts/VisibleText';
import { holdsHit, textsOf } from '../../blocks/text/texts';
import { CallsLine } from '../../blocks/tools/CallsLine';
import { BranchChip } from '../branchMenu';
import { useApp } from '../conversationApp';
import { RepairSeamAt } from '../repair/RepairViews';
import { ItemFrame, type ListItemProps } from './ItemFrame';
import { hasLine, isQuiet, type Piece, piecesOf, rowsOf, showsHeader, type Step } from './pieces';
import { menuContext, RevealButton, RowActions } from './RowActions';
import { authorOf, forgottenName, RowHeader } from './RowHeader';

interface RowViewProps extends ListItemProps {
  readonly item: RowItem | StepsItem;
}

/** A message, or the steps between two messages. */
export function RowView(props: RowViewProps): JSX.Element {
  const { item, index } = props;
  const { t, formats, store, blockHost, shown } = useApp();
  const rows = rowsOf(item);
  const [first] = rows;
  const host = blockHost(store.filePath, 0);
  const marked = props.isMarked ? store.marked.value : null;
  const pieces = piecesOf(rows, (row, block) => shown.shows(block) || host.found(row.line) !== null || props.isMarked);
  const forgotten = forgottenOf(rows);
  const said = [
    first === undefined ? null : authorOf(first, t),
    first === undefined || first.timeMs === null ? null : formats.dateTime(first.timeMs),
    forgotten === undefined ? null : forgottenName(forgotten, t),
  ];
  const role = first?.role ?? 'unknown';
  return (
    <ItemFrame
      {...props}
      isHidden={pieces.length === 0}
      label={said.filter((part) => part !== null).join(', ')}
      classes={[
        `from-${role}`,
        rows.every(({ blocks }) => blocks.every(isQuiet)) && 'is-quiet',
        forgotten === 'lost' && 'is-lost',
        forgotten === 'summarised' && 'is-summarised',
        first !== undefined && !showsHeader(first) && 'continues',
        first?.isSidechain === true && 'is-sidechain',
        pieces.every((piece) => piece.kind === 'row' && piece.blocks.length === 0) && 'is-header-only',
      ]}
      above={<RepairSeamAt item={item} />}
    >
      {props.isHitUnseen && (
        <p class="hit-unseen" role="status" data-unsearched>
          {t('What is looked for stands in this message where it is not shown, or cannot be marked:')}{' '}
          <RevealButton line={item.line} />
        </p>
      )}
      <RowPieces
        pieces={pieces}
        host={host}
        marked={marked}
        before={(block) => block.kind === 'compaction' && <EarlierButton index={index} />}
      />
    </ItemFrame>
  );
}

/** Why Claude forgot all of the rows; undefined if it did not, or if there are different reasons. */
function forgottenOf(rows: readonly RowItem[]): ForgottenAs | undefined {
  const forgotten = rows[0]?.forgottenAs;
  return rows.every((row) => row.forgottenAs === forgotten) ? forgotten : undefined;
}

interface RowPiecesProps {
  readonly pieces: readonly Piece[];
  readonly host: BlockHost;
  /** Line of the row that was the target of a jump; a fold that contains it is open. */
  readonly marked: number | null;
  /** What is shown above a block. */
  readonly before?: (block: ContentBlock) => ComponentChildren;
  /** The rows of a subagent have no actions and no branches. */
  readonly isNested?: boolean;
}

/** The parts of an item, or of a subagent's conversation. */
export function RowPieces(props: RowPiecesProps): JSX.Element {
  return (
    <>
      {props.pieces.map((piece) => {
        switch (piece.kind) {
          case 'row':
            return <RowPiece key={`${piece.row.line} ${piece.blocks[0]?.kind ?? ''}`} {...props} piece={piece} />;
          case 'run':
          case 'notes':
            return <Fold key={keyOf(piece)} {...props} piece={piece} />;
        }
      })}
    </>
  );
}

function RowPiece(props: RowPiecesProps & { readonly piece: Piece & { readonly kind: 'row' } }): JSX.Element {
  const { piece, host, marked, before, isNested = false } = props;
  const { row, blocks, isFirst, isLast } = piece;
  const { t } = useApp();
  const hasHeader = isFirst && showsHeader(row);
  const classes = [
    'step',
    `from-${row.role}`,
    !hasHeader && 'continues',
    row.blocks.every(isQuiet) && 'is-quiet',
    row.forgottenAs === 'lost' && 'is-lost-step',
    marked !== null && hasLine([{ row, block: NO_BLOCK }], marked) && 'is-marked-step',
  ];
  return (
    <div
      class={classes.filter(Boolean).join(' ')}
      data-vscode-context={isNested ? undefined : menuContext(row, host.filePath)}
    >
      {hasHeader && <RowHeader item={row} author={authorOf(row, t)} />}
      {!isNested && blocks.length > 0 && <RowActions item={row} />}
      {blocks.length > 0 && (
        <div class="blocks">
          {blocks.map((block, at) => (
            <div key={`${block.kind} ${at}`} class={`block block-of-${block.kind}`}>
              {before?.(block)}
              <BlockView block={block} item={row} host={host} />
            </div>
          ))}
        </div>
      )}
      {!isNested && isLast && row.branches.length > 0 && (
        <BranchChip branches={row.branches} more={row.moreBranches ?? 0} />
      )}
    </div>
  );
}

const NO_BLOCK: ContentBlock = { kind: 'interruption', duringTool: false };

type FoldPiece = Exclude<Piece, { readonly kind: 'row' }>;

function keyOf({ kind, steps }: FoldPiece): string {
  const [first] = steps;
  return `${kind} ${first?.row.line ?? 0} ${first === undefined ? 0 : first.row.blocks.indexOf(first.block)}`;
}

/** Calls or notes on one line that opens in place. */
function Fold(props: RowPiecesProps & { readonly piece: FoldPiece }): JSX.Element {
  const { piece, host, marked, isNested = false } = props;
  const { t, formats } = useApp();
  const { steps } = piece;
  const [first] = steps;
  const [isExpanded, toggle] = useExpanded(
    host,
    first?.row.line ?? 0,
    `#${keyOf(piece)}`,
    hasLine(steps, marked),
    (find) => steps.some(({ block }) => mayHideHit(block, find)),
  );
  return (
    <div
      class={`step is-fold fold-of-${piece.kind}`}
      data-vscode-context={isNested || first === undefined ? undefined : menuContext(first.row, host.filePath)}
    >
      <div class="block-view">
        <Disclosure
          className="block-fold"
          label={
            piece.kind === 'run' ? (
              <CallsLine calls={piece.calls} />
            ) : (
              <span class="block-disclosure-name" data-unsearched>
                <VisibleText
                  text={steps.length === 1 ? t('1 context note') : t('{0} context notes', formats.number(steps.length))}
                />
              </span>
            )
          }
          isExpanded={isExpanded}
          onToggle={toggle}
        >
          {() => <RowPieces {...props} pieces={apart(steps)} />}
        </Disclosure>
      </div>
    </div>
  );
}

/** Whether a hit may be in the block, or in the part of it that was cut off. */
function mayHideHit(block: ContentBlock, find: TextMatcher): boolean {
  if (block.kind === 'tool' && (block.result?.text?.more ?? 0) > 0) return true;
  if (block.kind === 'note' && (block.body?.more ?? 0) > 0) return true;
  return textsOf(block).some((text) => holdsHit(find, text));
}

/** Each step as a piece of its own. Headers and branches are not in folds. */
function apart(steps: readonly Step[]): Piece[] {
  return steps.map(({ row, block }) => ({ kind: 'row', row, blocks: [block], isFirst: false, isLast: false }));
}

/** Directly above a compaction: a button that fills the screen with what came before it, and marks the last of that. */
function EarlierButton({ index }: { index: number }): JSX.Element {
  const { t, store } = useApp();
  if (index === 0) return <span class="earlier-none">{t('Nothing came before')}</span>;
  const show = async (scroller: Element | null): Promise<void> => {
    const heightPx = scroller?.clientHeight ?? 0;
    await store.goTo(index, Math.min(0, COMPACTION_PX - heightPx));
    store.marked.value = store.items.item(index - 1)?.line ?? null;
  };
  return (
    <button
      type="button"
      class="text-button earlier-button"
      onClick={(event) => void show(event.currentTarget.closest('.scroller'))}
    >
      {t('Show what came before')}
    </button>
  );
}

/** How much of the compaction remains in view below what came before. */
const COMPACTION_PX = 60;
