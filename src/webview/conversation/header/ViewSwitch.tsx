import type { JSX } from 'preact';
import { Icon } from '../../ui/Icon';
import type { MenuItem } from '../../ui/Menu';
import { Menu } from '../../ui/Menu';
import { branchName } from '../branches/branchName';
import { branchItem, moreItem } from '../branches/branchItem';
import { useApp } from '../conversationApp';

/** Which rows are shown: the chain that is resumed, a branch, or all of the file. */
export function ViewSwitch(): JSX.Element {
  const app = useApp();
  const { store, t } = app;
  const view = store.view.value;
  const { branches, moreBranches } = store.head.value;
  const name = {
    chain: () => t('Resumed chain'),
    file: () => t('Whole file'),
    branch: () => t('Branch: {0}', branchName(shown?.label ?? '', t)),
  };
  const leafLine = view.kind === 'branch' ? view.leafLine : null;
  const shown = branches.find((branch) => branch.leafLine === leafLine);
  const items: MenuItem[] = [
    {
      label: name.chain(),
      detail: t('What Claude goes on from, and what came before'),
      isChosen: view.kind === 'chain',
      onChoose: () => void store.switchView({ kind: 'chain' }),
    },
    {
      label: name.file(),
      detail: t('Every row in the order of the file'),
      isChosen: view.kind === 'file',
      onChoose: () => void store.switchView({ kind: 'file' }),
    },
    ...branches.map((branch) => ({ ...branchItem(branch, app), isChosen: branch.leafLine === leafLine })),
    ...moreItem(moreBranches, t('At the rows where they go off'), app),
  ];
  return (
    <Menu
      label={t('View: {0}', name[view.kind]())}
      buttonClass="chip view-switch"
      button={
        <>
          <span class="chip-text">{name[view.kind]()}</span>
          <Icon name="chevron-down" />
        </>
      }
      items={items}
    />
  );
}
