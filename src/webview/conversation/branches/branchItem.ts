import type { Branch } from '../../../shared/conversation';
import type { MenuItem } from '../../ui/Menu';
import type { ConversationApp } from '../conversationApp';
import { branchName } from './branchName';

/** A branch in a menu: choosing it shows it. */
export function branchItem(branch: Branch, { t, formats, store }: ConversationApp): MenuItem {
  const rows = branch.rows === 1 ? t('1 row') : t('{0} rows', formats.number(branch.rows));
  return {
    label: branchName(branch.label, t),
    detail: branch.timeMs === null ? rows : `${rows} · ${formats.time(branch.timeMs, Date.now())}`,
    icon: 'branch',
    onChoose: () => void store.switchView({ kind: 'branch', leafLine: branch.leafLine }),
  };
}
