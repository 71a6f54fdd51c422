import type { RewindFailureReason, RewindOutcome } from '../../protocol/history';
import type { Translate } from '../text/translate';
import type { PlacedSession } from '../sessions/sessionsState';
import type { Services } from '../services';

export interface RewindEndDeps extends Pick<Services, 'dialogs' | 'showLog' | 'log' | 't'> {
  /** Undoes the newest rewind of the session and reports a failure. Never rejects. */
  readonly undo: (session: PlacedSession) => Promise<void>;
  readonly showFolder: (path: string) => Promise<void>;
}

/** The messages at the end of a rewind or of an undo. */
export class RewindEnd {
  readonly #deps: RewindEndDeps;

  constructor(deps: RewindEndDeps) {
    this.#deps = deps;
  }

  offerUndo(session: PlacedSession, message: string): void {
    const { dialogs, undo, t } = this.#deps;
    const button = t('Undo');
    void dialogs.notify('info', message, button).then((answer) => (answer === button ? undo(session) : undefined));
  }

  /** The rewind succeeded, but not for every file; the engine's warning says which. */
  warn({ path: filePath }: PlacedSession, { warning }: RewindOutcome): void {
    if (warning === null) return;
    this.#deps.log.warn(`${filePath}: ${warning}`);
    void this.#deps.dialogs.notify('warning', warning);
  }

  /** The worker thread died during the operation. The safety snapshot records it, so the next undo restores everything. */
  async sayInterrupted(session: PlacedSession, what: 'rewind' | 'undo'): Promise<void> {
    const { dialogs, undo, log, t } = this.#deps;
    log.warn(`${session.path}: the ${what} of files was interrupted`);
    const button = t('Undo Rewind');
    const message =
      what === 'rewind'
        ? t('The rewind was interrupted, and some files may have changed. Undo Rewind puts all of them back.')
        : t('Undoing the rewind was interrupted. Undo it again, and all files go back.');
    if ((await dialogs.notify('error', message, button)) === button) await undo(session);
  }

  /** @returns the one of `buttons` that was pressed; null if the message was closed otherwise */
  async sayFailed(
    { path: filePath }: PlacedSession,
    { reason, result, safetyPath }: RewindOutcome,
    ...buttons: readonly string[]
  ): Promise<string | null> {
    const { dialogs, showFolder, showLog, log, t } = this.#deps;
    const why = reason ?? 'write-failed';
    log.warn(`No files of ${filePath} were changed: ${why}: ${result.error ?? ''}`);
    const [folder, more] = [t('Show Safety Copy'), t('Show Log')];
    const hasCopy = safetyPath !== null && ['half-done', 'changed-since-preview'].includes(why);
    const isLogWorthReading = ['missing', 'unreadable', 'read-only', 'write-failed', 'half-done'].includes(why);
    const answer = await dialogs.notify(
      'error',
      why === 'changed-since-preview' && hasCopy ? changedAtLast(t) : rewindFailure(why, t),
      ...buttons,
      ...(hasCopy ? [folder] : []),
      ...(isLogWorthReading ? [more] : []),
    );
    if (answer === folder && safetyPath !== null) await showFolder(safetyPath);
    if (answer === more) showLog();
    return answer !== null && buttons.includes(answer) ? answer : null;
  }
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
