import type { RewindCalls, RewindState } from '../../protocol/channels/history';
import type { RewindObstacle } from '../../protocol/history';
import { unlessInterrupted } from '../rpc/workerError';
import type { PlacedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { type RewindEnd, rewindFailure } from './rewindEnd';
import { pathList, reasonList, undoneRewindMessage } from './rewindText';
import type { UnsavedFiles } from './unsavedFiles';
import type { Services } from '../services';

export interface UndoFlowDeps extends Pick<Services, 'dialogs' | 'now' | 'formats' | 'log' | 't'> {
  readonly rewinds: Pick<RewindCalls, 'rewindState' | 'undoRewind'>;
  readonly unsaved: Pick<UnsavedFiles, 'settle'>;
  readonly end: Pick<RewindEnd, 'sayFailed' | 'sayInterrupted' | 'warn'>;
  /** Folders that the person has named: those of the window, and what they chose for the rewind. Absolute. */
  readonly roots: (session: PlacedSession) => readonly string[];
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
    const roots = this.#deps.roots(session);
    const state = await rewinds.rewindState(session, roots);
    const { undoableMs, paths, obstacles, isLive } = state;
    if (undoableMs === null) {
      void dialogs.notify('info', rewindFailure('nothing-to-undo', t));
      return;
    }
    // The person has not agreed to these yet, so ask even right after the rewind.
    const mustAsk = isLive || obstacles.length > 0;
    if ((!isConfirmed || mustAsk) && !(await this.#confirm(undoableMs, state))) return;
    // A file edited since the rewind keeps its saved content: the undo skips files that have changed.
    if ((await unsaved.settle(paths)) === 'refused') return;
    const title = t('Undoing the rewind of “{0}”', sessionLabel(session, t));
    const outcome = await dialogs.during(title, () =>
      unlessInterrupted(
        rewinds.undoRewind(session, {
          roots,
          paths: obstacles.length === 0 ? null : without(paths, obstacles),
          mayLeaveRoots: obstacles.some(({ isOutside }) => isOutside),
          skipObstacles: false,
          mayBeLive: isLive,
        }),
      ),
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

  async #confirm(rewoundMs: number, { paths, obstacles, isLive }: RewindState): Promise<boolean> {
    const { displayPath, dialogs, now, formats, t } = this.#deps;
    const mustWarn = isLive || obstacles.length > 0;
    const undo = isLive ? t('Undo Anyway') : t('Undo Rewind');
    const warning = isLive
      ? [t('Claude Code is running this session: it may change the same files, and knows nothing of the undoing.')]
      : [];
    const explanation = t(
      'These files go back to what they were before it. Those that were changed since stay as they are.',
    );
    const allowed = obstacles.filter(({ isOutside, isSensitive }) => isOutside || isSensitive);
    const left = obstacles.filter((each) => !allowed.includes(each));
    const listed = (heading: string, files: readonly RewindObstacle[]): string[] =>
      files.length === 0 ? [] : [[heading, reasonList(files, displayPath, t)].join('\n')];
    const answer = await dialogs.ask({
      kind: mustWarn ? 'warning' : 'info',
      message: t('Undo the rewind ({0})?', formats.timeAgo(rewoundMs, now())),
      detail: [
        ...warning,
        explanation,
        pathList(paths, displayPath, t),
        ...listed(t('Look at these first:'), allowed),
        ...listed(t('In the way, and left as they are:'), left),
      ].join('\n\n'),
      buttons: [undo],
    });
    return answer === undo;
  }
}

/** The files that the person allows by naming them. Nobody can allow the other obstacles. */
function without(paths: readonly string[], obstacles: readonly RewindObstacle[]): readonly string[] {
  const never = new Set(
    obstacles.filter(({ isOutside, isSensitive }) => !isOutside && !isSensitive).map(({ path }) => path),
  );
  return paths.filter((path) => !never.has(path));
}
