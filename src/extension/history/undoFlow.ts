import type { RewindCalls, RewindState } from '../../protocol/channels/history';
import { unlessInterrupted } from '../rpc/workerError';
import type { PlacedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { type RewindEnd, rewindFailure } from './rewindEnd';
import { pathList, undoneRewindMessage } from './rewindText';
import type { UnsavedFiles } from './unsavedFiles';
import type { Services } from '../services';

export interface UndoFlowDeps extends Pick<Services, 'dialogs' | 'now' | 'formats' | 'log' | 't'> {
  readonly rewinds: Pick<RewindCalls, 'rewindState' | 'undoRewind'>;
  readonly unsaved: Pick<UnsavedFiles, 'settle'>;
  readonly end: Pick<RewindEnd, 'sayFailed' | 'sayInterrupted' | 'warn'>;
  readonly displayPath: (path: string) => string;
  /** Called when a rewind was undone. */
  readonly onUndone: () => void;
}

/** Undoes the newest rewind of a session. The state is on disk, so the undo also works from another window. */
export class UndoFlow {
  readonly #deps: UndoFlowDeps;

  constructor(deps: UndoFlowDeps) {
    this.#deps = deps;
  }

  /** @param isConfirmed  the person has just requested the undo, right after the rewind */
  async undo(session: PlacedSession, isConfirmed: boolean): Promise<void> {
    const { rewinds, unsaved, end, onUndone, dialogs, log, formats, t } = this.#deps;
    const state = await rewinds.rewindState(session);
    const { undoableMs, paths, isLive } = state;
    if (undoableMs === null) {
      void dialogs.notify('info', rewindFailure('nothing-to-undo', t));
      return;
    }
    // If Claude is using the session, the person has not agreed to that yet, so ask even right after the rewind.
    if ((!isConfirmed || isLive) && !(await this.#confirm(undoableMs, state))) return;
    // A file edited since the rewind keeps its saved content: the undo skips files that have changed.
    if ((await unsaved.settle(paths)) === 'refused') return;
    const title = t('Undoing the rewind of “{0}”', sessionLabel(session, t));
    const outcome = await dialogs.during(title, () =>
      unlessInterrupted(rewinds.undoRewind(session, { mayBeLive: isLive })),
    );
    onUndone();
    if (outcome === null) {
      await end.sayInterrupted(session, 'undo');
      return;
    }
    if (outcome.reason !== null) {
      void end.sayFailed(session, outcome);
      return;
    }
    log.info(`Undid the rewind of files of ${session.path}`);
    end.warn(session, outcome);
    dialogs.note(undoneRewindMessage(outcome.result, formats, t));
  }

  async #confirm(rewoundMs: number, { paths, isLive }: RewindState): Promise<boolean> {
    const { displayPath, dialogs, now, formats, t } = this.#deps;
    const undo = isLive ? t('Undo Anyway') : t('Undo Rewind');
    const warning = isLive
      ? [t('Claude Code is running this session: it may change the same files, and knows nothing of the undoing.')]
      : [];
    const explanation = t(
      'These files go back to what they were before it. Those that were changed since stay as they are.',
    );
    const answer = await dialogs.ask({
      kind: isLive ? 'warning' : 'info',
      message: t('Undo the rewind ({0})?', formats.timeAgo(rewoundMs, now())),
      detail: [...warning, explanation, pathList(paths, displayPath, t)].join('\n\n'),
      buttons: [undo],
    });
    return answer === undo;
  }
}
