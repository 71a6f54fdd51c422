import type { NoticeButton, RewindNotice } from '../../protocol/channels/rewindView';
import type { RewindFailureReason, RewindOutcome } from '../../protocol/history';
import type { Translate } from '../text/translate';

/** What to tell of a rewind, or of an undo, that failed. */
export function failureNotice({ reason, safetyPath }: RewindOutcome, t: Translate): RewindNotice {
  const why = reason ?? 'write-failed';
  const hasCopy = safetyPath !== null && ['half-done', 'changed-since-preview'].includes(why);
  const isLogWorthReading = ['missing', 'unreadable', 'read-only', 'write-failed', 'half-done'].includes(why);
  const buttons: NoticeButton[] = [];
  if (hasCopy) buttons.push('showSafetyCopy');
  if (isLogWorthReading) buttons.push('showLog');
  const message = why === 'changed-since-preview' && hasCopy ? changedAtLast(t) : rewindFailure(why, t);
  return { kind: 'error', message, buttons };
}

/** The worker thread died during the operation. The safety snapshot records it, so the next undo restores everything. */
export function interruptedNotice(what: 'rewind' | 'undo', t: Translate): RewindNotice {
  const message =
    what === 'rewind'
      ? t('The rewind was interrupted, and some files may have changed. Undo Rewind puts all of them back.')
      : t('Undoing the rewind was interrupted. Undo it again, and all files go back.');
  return { kind: 'error', message, buttons: ['undo'] };
}

function changedAtLast(t: Translate): string {
  return t(
    'Another program changed a file at the last moment, so that everything was put back. What it wrote was kept, also in the safety copy.',
  );
}

/** One sentence why no file was changed, followed by advice if there is any. */
export function rewindFailure(reason: RewindFailureReason, t: Translate): string {
  switch (reason) {
    case 'unknown-prompt':
      return t('This prompt is not in the transcript any more.');
    case 'no-checkpoint':
      return t('There is no checkpoint of the files before this prompt.');
    case 'obstacles':
      return t(
        'Files are in the way that the rewind cannot change, or not unless you choose them. Nothing was changed.',
      );
    case 'unfinished':
      return t('A rewind was interrupted and has to be undone first, with Undo Rewind. Nothing was changed.');
    case 'live':
      return t('Claude Code is running this session now. Nothing was changed.');
    case 'maybe-live':
      return t('Claude Code may be running this session now. Nothing was changed.');
    case 'locked':
      return t('Another window is rewinding files. Nothing was changed here.');
    case 'changed-since-preview':
      return t('The files changed meanwhile, so that none was touched. Look at them again.');
    case 'put-back-first':
      return t('A rewind had been interrupted: what it had changed was put back first, and nothing else was touched.');
    case 'changed-since-rewind':
      return t('The files were changed since the rewind, or are gone, so that they were left as they are.');
    case 'nothing-to-undo':
      return t('There is no rewind of this session that could be undone.');
    case 'missing':
      return t('The transcript, or what the rewind needs of it, is gone. Nothing was changed.');
    case 'folder-gone':
      return t('The project folder is gone: it was moved or removed. Nothing was changed.');
    case 'unreadable':
      return t('The transcript, or one of the files, cannot be read. Nothing was changed.');
    case 'read-only':
      return t('One of the files, or its folder, cannot be written to. Nothing was changed.');
    case 'no-space':
      return t('There is not enough space left on the disk. Nothing was changed.');
    case 'write-failed':
      return t('One of the files could not be written, so that all of them were left as they are.');
    case 'half-done':
      return t('Something failed halfway, and not every file could be put back. The safety copy holds all of them.');
  }
}
