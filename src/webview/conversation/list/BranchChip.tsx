import type { JSX } from 'preact';
import type { Branch } from '../../../shared/conversation';
import { Icon } from '../../ui/Icon';
import { Menu } from '../../ui/Menu';
import { useApp } from '../conversationApp';

/** The conversation went on in other ways from here. */
export function BranchChip({ branches }: { branches: readonly Branch[] }): JSX.Element {
  const { t, formats, store, branchLabel } = useApp();
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
        items={branches.map((branch) => ({
          label: branch.label === '' ? t('Without words') : branch.label,
          detail: [
            branch.rows === 1 ? t('1 row') : t('{0} rows', formats.number(branch.rows)),
            branch.timeMs === null ? null : formats.time(branch.timeMs, Date.now()),
          ]
            .filter((part) => part !== null)
            .join(' · '),
          icon: 'branch',
          onChoose: () => {
            branchLabel.value = branch.label;
            void store.switchView({ kind: 'branch', leafLine: branch.leafLine });
          },
        }))}
      />
    </div>
  );
}
