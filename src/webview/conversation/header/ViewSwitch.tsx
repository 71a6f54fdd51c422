import type { JSX } from 'preact';
import { Icon } from '../../ui/Icon';
import type { MenuItem } from '../../ui/Menu';
import { Menu } from '../../ui/Menu';
import { useApp } from '../conversationApp';

/** Which rows are shown: the chain that is resumed, a branch, or all of the file. */
export function ViewSwitch(): JSX.Element {
  const { store, t, branchLabel } = useApp();
  const view = store.view.value;
  const branch = t('Branch: {0}', branchLabel.value === '' ? t('without words') : branchLabel.value);
  const names = { chain: t('Resumed chain'), branch, file: t('Whole file') };
  const items: MenuItem[] = [
    {
      label: names.chain,
      detail: t('What Claude goes on from, and what came before'),
      isChosen: view.kind === 'chain',
      onChoose: () => void store.switchView({ kind: 'chain' }),
    },
    {
      label: names.file,
      detail: t('Every row in the order of the file'),
      isChosen: view.kind === 'file',
      onChoose: () => void store.switchView({ kind: 'file' }),
    },
  ];
  if (view.kind === 'branch') items.splice(1, 0, { label: branch, isChosen: true, onChoose: () => undefined });
  return (
    <Menu
      label={t('View: {0}', names[view.kind])}
      buttonClass="chip view-switch"
      button={
        <>
          <span class="chip-text">{names[view.kind]}</span>
          <Icon name="chevron-down" />
        </>
      }
      items={items}
    />
  );
}
