import type { JSX } from 'preact';
import { Component } from 'preact';
import type { ConversationItem } from '../../../shared/conversation';
import { BreakView } from './BreakView';
import { FaultView } from './FaultView';
import { RowView } from './RowView';

export interface ListItemProps {
  readonly item: ConversationItem;
  readonly index: number;
  readonly count: number;
  readonly isActive: boolean;
  readonly isMarked: boolean;
  readonly isCurrentHit: boolean;
  /** It is not to be seen in what is shown of the row. */
  readonly isHitUnseen: boolean;
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
}

/** An item of the list. Drawn again only when something about it changed: while the list scrolls, it is not. */
export class ListItem extends Component<ListItemProps> {
  override shouldComponentUpdate(next: ListItemProps): boolean {
    const { item, index, count, isActive, isMarked, isCurrentHit, isHitUnseen, measure } = this.props;
    return (
      next.item !== item ||
      next.index !== index ||
      next.count !== count ||
      next.isActive !== isActive ||
      next.isMarked !== isMarked ||
      next.isCurrentHit !== isCurrentHit ||
      next.isHitUnseen !== isHitUnseen ||
      next.measure !== measure
    );
  }

  override render(props: ListItemProps): JSX.Element {
    switch (props.item.kind) {
      case 'row':
        return <RowView {...props} item={props.item} />;
      case 'break':
        return <BreakView {...props} item={props.item} />;
      case 'fault':
        return <FaultView {...props} item={props.item} />;
    }
  }
}
