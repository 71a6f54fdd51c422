import type { ComponentChildren, JSX } from 'preact';
import type { PanelItem } from '../../../protocol/conversation';

export interface ListItemProps {
  readonly item: PanelItem;
  readonly index: number;
  readonly count: number;
  readonly isActive: boolean;
  readonly isMarked: boolean;
  readonly isCurrentHit: boolean;
  /** The current hit is not visible in the shown part of the row. */
  readonly isHitUnseen: boolean;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

interface ItemFrameProps extends Omit<ListItemProps, 'item'> {
  /** Nothing of the item is shown. */
  readonly isHidden?: boolean;
  /** Label for screen readers. */
  readonly label: string;
  readonly classes: readonly (string | false)[];
  /** What stands between the item and the one before it. */
  readonly above?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every list item: the element that is measured, has the focus and holds the item's index. */
export function ItemFrame(props: ItemFrameProps): JSX.Element {
  const { index, count, isActive, isMarked, isCurrentHit, measure, label, classes, above, children } = props;
  if (props.isHidden === true) {
    return <div ref={measure ?? null} class="item is-hidden" data-index={index} aria-hidden="true" />;
  }
  const all = ['item', ...classes, isMarked && 'is-marked', isCurrentHit && 'is-current-hit'];
  return (
    <div
      ref={measure ?? null}
      class={all.filter(Boolean).join(' ')}
      data-index={index}
      role="article"
      aria-label={label}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-current={isMarked || isCurrentHit ? 'location' : undefined}
      data-active={isActive}
      tabIndex={-1}
      onContextMenu={({ currentTarget, clientY }) => {
        lendContext(currentTarget, clientY);
      }}
    >
      {above}
      <div class="column">{children}</div>
    </div>
  );
}

/**
 * The whole width of an item, and the space around what it shows, has the menu of the message beside it. VS Code reads the
 * attribute from what was pressed and from all that is around it, once the event reaches the document.
 */
function lendContext(item: HTMLElement, clientY: number): void {
  const distanceOf = (element: Element): number => {
    const { top, bottom } = element.getBoundingClientRect();
    return Math.max(top - clientY, clientY - bottom, 0);
  };
  const messages = [...item.querySelectorAll<HTMLElement>('[data-vscode-context]')];
  const [nearest] = messages.sort((one, other) => distanceOf(one) - distanceOf(other));
  if (nearest !== undefined) item.dataset['vscodeContext'] = nearest.dataset['vscodeContext'];
}
