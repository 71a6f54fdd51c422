import type { ComponentChildren, JSX } from 'preact';
import type { ListItemProps } from './ListItem';

export interface ItemFrameProps extends Omit<ListItemProps, 'item'> {
  /** What screen readers call it. */
  readonly label: string;
  readonly classes: readonly (string | false)[];
  readonly children: ComponentChildren;
}

/** What all items of the list are in: the element that is measured, has the focus and tells its place. */
export function ItemFrame(props: ItemFrameProps): JSX.Element {
  const { index, count, isActive, isMarked, isCurrentHit, measure, label, classes, children } = props;
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
    >
      <div class="column">{children}</div>
    </div>
  );
}
