import { WorkerError } from '../rpc/workerError';
import type { Translate } from '../text/translate';

/** The message shown when a command could not be carried out at all. */
export function commandFailure(error: unknown, t: Translate): string {
  if (error instanceof WorkerError) {
    switch (error.code) {
      case 'worker-died':
        return t('The scan stopped halfway and is starting again. Try once more.');
      case 'worker-unavailable':
        return t('The scan is not running. Refresh the Sessions view to start it again.');
      case 'timeout':
        return t('There was no answer in time. The work may still be going on.');
    }
  }
  return t('That did not work: {0}', error instanceof Error ? error.message : String(error));
}
