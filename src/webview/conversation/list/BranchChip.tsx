import type { JSX } from 'preact';
import type { Branch } from '../../../shared/conversation';
import { Icon } from '../../ui/Icon';
import { Menu } from '../../ui/Menu';
import { branchItem, moreItem } from '../branches/branchItem';
import { useApp } from '../conversationApp';

/** The conversation went on in other ways from here. */
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
