import type { JSX } from 'preact';
import type { FaultItem } from '../../../shared/conversation';
import { Icon } from '../../ui/Icon';
import { useApp } from '../conversationApp';
import { RevealButton } from './BreakView';
import { ItemFrame } from './ItemFrame';
import type { ListItemProps } from './ListItem';

/** A line of the transcript that is no row. */
export function FaultView(props: ListItemProps & { readonly item: FaultItem }): JSX.Element {
  const { item } = props;
  const { t, formats } = useApp();
  const title = t('Line {0} is not a row', formats.number(item.line));
  const isError = item.findings.some(({ severity }) => severity === 'error');
  return (
    <ItemFrame {...props} label={title} classes={['fault', isError && 'is-error']}>
      <div class="fault-body">
        <Icon name={isError ? 'error' : 'warning'} />
        <div class="fault-text">
          <strong>{title}</strong>
          {item.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </div>
        <RevealButton line={item.line} />
      </div>
    </ItemFrame>
  );
}
