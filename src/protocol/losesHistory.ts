import type { BreakItem, PanelItem } from './conversation';

/**
 * Whether Claude forgot anything above a break at which it does not go on. If not, the history begins there.
 *
 * @param above the item before the break in the same view
 */
export function losesHistory({ findings }: BreakItem, above: PanelItem | 'nothing' | 'unknown'): boolean {
  if (findings.some(({ severity }) => severity === 'error')) return true;
  if (above === 'nothing') return false;
  if (above === 'unknown' || above.kind === 'break' || above.kind === 'fault') return true;
  const rows = above.kind === 'steps' ? above.rows : [above];
  return rows.some(({ forgottenAs }) => forgottenAs === 'lost');
}
