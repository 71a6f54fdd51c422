import type { JSX } from 'preact';
import type { BreakItem } from '../../../shared/conversation';
import { Icon } from '../../ui/Icon';
import { useApp } from '../conversationApp';
import { ItemFrame } from './ItemFrame';
import type { ListItemProps } from './ListItem';

/** A tear across the column: what is above it does not reach Claude. */
export function BreakView(props: ListItemProps & { readonly item: BreakItem }): JSX.Element {
  const { item } = props;
  const { t, act } = useApp();
  const title = item.isHealed ? t('The history is broken here, and goes on by time') : t('The history is broken here');
  const isRepairable = item.findings.some(({ action }) => action !== 'tell');
  return (
    <ItemFrame {...props} label={title} classes={['break', item.isHealed && 'is-healed']}>
      <div class="tear" aria-hidden="true" />
      <div class="break-body">
        <Icon name={item.isHealed ? 'warning' : 'broken'} />
        <div class="break-text">
          <strong>{title}</strong>
          {item.findings.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
          {!item.isHealed && <p class="break-effect">{t('Claude will load nothing of what is above this line.')}</p>}
        </div>
        <div class="break-actions">
          {isRepairable && (
            <button
              type="button"
              class="button"
              onClick={() => {
                act({ kind: 'repair' });
              }}
            >
              <Icon name="wrench" />
              {t('Repair…')}
            </button>
          )}
          <RevealButton line={item.line} />
        </div>
      </div>
      <div class="tear" aria-hidden="true" />
    </ItemFrame>
  );
}

export function RevealButton({ line }: { line: number }): JSX.Element {
  const { t, formats, act, store } = useApp();
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => {
        act({ kind: 'revealLine', filePath: store.filePath, line });
      }}
    >
      {t('Line {0}', formats.number(line))}
    </button>
  );
}
