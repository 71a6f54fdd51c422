import type { JSX } from 'preact';
import type { Branch } from '../../../shared/conversation';
import { Icon } from '../../ui/Icon';
import { Menu } from '../../ui/Menu';
import { branchItem } from '../branches/branchItem';
import { useApp } from '../conversationApp';

/** The conversation went on in other ways from here. */
export function BranchChip({ branches }: { branches: readonly Branch[] }): JSX.Element {
  const app = useApp();
  const { t, formats } = app;
  const label = branches.length === 1 ? t('1 other branch') : t('{0} other branches', formats.number(branches.length));
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
        items={branches.map((branch) => branchItem(branch, app))}
      />
    </div>
  );
}
