import type { RepairFailureReason } from '../../shared/repair';
import type { Translate } from '../text/translate';

/** Why a repair or its undoing did not happen, in one sentence, and what to do about it where that helps. */
export function failureMessage(reason: RepairFailureReason, t: Translate): string {
  switch (reason) {
    case 'live':
      return t('Claude Code is still running this session. End it there first.');
    case 'locked':
      return t('Another window is repairing this session.');
    case 'changed-while-repairing':
      return t('The transcript changed during the repair, so it was left as it is. Try again.');
    case 'changed-since-repair':
      return t('The transcript was changed since the repair, so the backup was not put back.');
    case 'read-only':
      return t('The transcript or its folder cannot be written to.');
    case 'no-space':
      return t('There is not enough space left on the disk. The transcript was left as it is.');
    case 'unreadable':
      return t('The transcript cannot be read.');
    case 'missing':
      return t('The transcript is gone.');
    case 'not-a-file':
      return t('The transcript is not a file.');
    case 'symlink':
      return t('The transcript is a symbolic link. Repair the file that it points to.');
    case 'no-backup':
      return t('There is no backup to put back.');
    case 'not-repairable':
      return t('Nothing in this session can be repaired without losing something.');
    case 'write-failed':
      return t('The transcript could not be written. It was left as it is.');
  }
}

/** The engine's own sentence, in the log, names files that the message leaves out. */
export function isLogWorthReading(reason: RepairFailureReason): boolean {
  return ['changed-since-repair', 'read-only', 'unreadable', 'not-repairable', 'write-failed'].includes(reason);
}
