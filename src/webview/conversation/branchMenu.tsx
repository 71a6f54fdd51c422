import type { JSX } from 'preact';
import type { Branch } from '../../protocol/conversation';
import { Icon } from '../ui/Icon';
import { Menu, type MenuItem } from '../ui/Menu';
import type { Translate } from '../ui/texts';
import { type ConversationApp, useApp } from './conversationApp';

/** A menu item for a branch; choosing it shows the branch. */
export function branchItem(branch: Branch, { t, formats, store }: ConversationApp): MenuItem {
  const { messages } = branch;
  const length = messages === 1 ? t('1 message') : t('{0} messages', formats.number(messages));
  return {
    label: branchName(branch.label, t),
    detail: branch.timeMs === null ? length : `${length} · ${formats.time(branch.timeMs, Date.now())}`,
    icon: 'branch',
    onChoose: () => void store.switchView({ kind: 'branch', leafLine: branch.leafLine }),
  };
}

/** Stands for branches that are not in the menu. @param where  where they can be reached */
export function moreItem(more: number, where: string, { t, formats }: ConversationApp): MenuItem[] {
  if (more === 0) return [];
  const label = more === 1 ? t('1 more branch') : t('{0} more branches', formats.number(more));
  return [{ label, disabledBecause: where, onChoose: () => undefined }];
}

/** The name of a branch: its first words, if it has any. */
export function branchName(label: string, t: Translate): string {
  return label === '' ? t('Without words') : label;
}

/** Shows that the conversation also continued in other ways from here. */
export function BranchChip({ branches, more }: { branches: readonly Branch[]; more: number }): JSX.Element {
  const app = useApp();
  const { t, formats } = app;
  const count = branches.length + more;
  const label = count === 1 ? t('1 other branch') : t('{0} other branches', formats.number(count));
  return (
    <div class="branch-chip" data-unsearched>
      <Menu
        label={t('{0}: choose one to read', label)}
        buttonClass="chip"
        button={
          <>
            <Icon name="branch" />
            {label}
            <Icon name="chevron-down" />
          </>
        }
        items={[...branches.map((branch) => branchItem(branch, app)), ...moreItem(more, t('Whole file'), app)]}
      />
    </div>
  );
}
