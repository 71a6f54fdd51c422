import type { ForkFailureReason } from '../../shared/fork';
import type { Translate } from '../text/translate';

/** Why there is no fork, in one sentence, and what to do about it where that helps. */
export function forkFailure(reason: ForkFailureReason, t: Translate): string {
  switch (reason) {
    case 'unknown-row':
      return t('This row is not in the transcript any more.');
    case 'empty':
      return t('The fork would hold nothing: there is no message above this place.');
    case 'not-forkable':
      return t('Claude would not load from the fork what was cut, so that none was made. Repair the session first.');
    case 'missing':
      return t('The transcript is gone.');
    case 'unreadable':
      return t('The transcript cannot be read.');
    case 'read-only':
      return t('The folder of the transcript cannot be written to.');
    case 'no-space':
      return t('There is not enough space left on the disk. No fork was made.');
    case 'write-failed':
      return t('The fork could not be written.');
  }
}
