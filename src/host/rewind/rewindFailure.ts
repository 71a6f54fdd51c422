import type { RewindFailureReason } from '../../shared/rewind';
import type { Translate } from '../text/translate';

/** Why no file was changed, in one sentence, and what to do about it where that helps. */
export function rewindFailure(reason: RewindFailureReason, t: Translate): string {
  switch (reason) {
    case 'unknown-prompt':
      return t('This prompt is not in the transcript any more.');
    case 'no-checkpoint':
      return t('There is no checkpoint of the files before this prompt.');
    case 'live':
      return t('Claude Code is running this session now. Nothing was changed.');
    case 'locked':
      return t('Another window is rewinding files. Nothing was changed here.');
    case 'changed-since-preview':
      return t('Files changed since you looked at them, so that none was touched.');
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
