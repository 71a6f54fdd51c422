import type { RewindCalls } from '../../protocol/channels/history';
import type { Services } from '../services';

export interface RecoverAtStartDeps extends Pick<Services, 'dialogs' | 'formats' | 'log' | 't'> {
  readonly rewinds: Pick<RewindCalls, 'recoverRewinds'>;
  /** Absolute paths of the window's folders; files elsewhere stay as they are. */
  readonly roots: readonly string[];
  /** What the tree calls the session in a transcript. */
  readonly nameOf: (filePath: string) => string;
}

/**
 * Puts back what a rewind had changed when the extension was ended in the middle of it, such as by an update, and says
 * so. Never rejects.
 */
export async function recoverAtStart({ rewinds, roots, nameOf, dialogs, formats, log, t }: RecoverAtStartDeps) {
  if (roots.length === 0) return;
  try {
    for (const { filePath, restored, leftAlone, problem } of await rewinds.recoverRewinds(roots)) {
      const files = [...restored, ...leftAlone];
      if (problem !== null) log.warn(`${filePath}: an interrupted rewind was left as it is: ${problem}`);
      else log.info(`${filePath}: an interrupted rewind was put back: ${files.join(', ')}`);
      if (problem !== null || files.length === 0) continue;
      const name = nameOf(filePath);
      if (leftAlone.length === 0) {
        void dialogs.notify(
          'info',
          restored.length === 1
            ? t('A rewind of “{0}” was interrupted. The file that it had changed was put back.', name)
            : t(
                'A rewind of “{0}” was interrupted. The {1} files that it had changed were put back.',
                name,
                formats.number(restored.length),
              ),
        );
      } else {
        void dialogs.notify(
          'warning',
          t(
            'A rewind of “{0}” was interrupted. What it had changed was put back, except files that were changed since: {1}.',
            name,
            leftAlone.join(', '),
          ),
        );
      }
    }
  } catch (error) {
    log.warn(`Failed to look for interrupted rewinds: ${String(error)}`);
  }
}
