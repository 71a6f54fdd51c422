import type { JSX } from 'preact';
import type { RowItem } from '../../../shared/conversation';
import { Icon } from '../../ui/Icon';
import { IconButton } from '../../ui/IconButton';
import type { MenuItem } from '../../ui/Menu';
import { Menu } from '../../ui/Menu';
import { moveFocus } from '../../ui/moveFocus';
import { useApp } from '../conversationApp';
import { textOf } from './textOf';

/** What can be done with a row: seen while the pointer or the focus is in it. */
export function RowActions({ item }: { item: RowItem }): JSX.Element {
  const { t, act, store, host } = useApp();
  const { filePath } = store;
  const copyText = (): void => {
    void textOf(item, host, filePath).then((text) => {
      act({ kind: 'copy', text });
    });
  };
  const reveal = (): void => {
    act({ kind: 'revealLine', filePath, line: item.line });
  };
  const go = (kind: 'fork' | 'rewind'): Omit<MenuItem, 'label'> => ({
    icon: kind,
    ...((item.isSidechain || item.uuid === null) && { disabledBecause: t('Claude never resumes this row') }),
    onChoose: () => {
      act({ kind, line: item.line });
    },
  });
  const items: MenuItem[] = [
    { label: t('Copy text'), icon: 'copy', onChoose: copyText },
    {
      label: t('Copy link'),
      icon: 'link',
      onChoose: () => {
        act({ kind: 'copyLink', line: item.line });
      },
    },
    { label: t('Reveal raw line'), detail: t('Line {0} of the transcript', item.line), icon: 'raw', onChoose: reveal },
    { label: t('Fork from here'), ...go('fork') },
  ];
  if (item.role === 'user' && item.blocks.some(({ kind }) => kind === 'text'))
    items.push({ label: t('Rewind files to here'), ...go('rewind') });
  return (
    <div
      class="row-actions"
      role="toolbar"
      aria-label={t('Actions of this row')}
      data-unsearched
      onKeyDown={(event) => {
        if (moveFocus(event, event.currentTarget, ':scope > button', 'horizontal')) event.preventDefault();
      }}
    >
      <IconButton icon="copy" label={t('Copy text')} onPress={copyText} />
      <IconButton icon="raw" label={t('Reveal raw line')} onPress={reveal} />
      <Menu label={t('More actions')} buttonClass="icon-button" button={<Icon name="more" />} items={items} />
    </div>
  );
}
