import type { CommandId } from '../config/contributions';
import type { Log } from '../log';
import type { Translate } from '../text/translate';
import type { Dialogs } from '../window/dialogs';
import { commandFailure } from './commandFailure';

export interface WindowRunnerDeps {
  readonly log: Log;
  readonly dialogs: Pick<Dialogs, 'notify'>;
  readonly showLog: () => void;
  /** The window has closed; errors caused by that are ignored. */
  readonly isOver: () => boolean;
  readonly t: Translate;
}

/** Runs the work of commands in a window: an error is logged once and reported with a button that opens the log. */
export function windowRunner({ log, dialogs, showLog, isOver, t }: WindowRunnerDeps): CommandRunner {
  const sayFailed = async (error: unknown): Promise<void> => {
    const button = t('Show Log');
    const answer = await dialogs.notify('error', commandFailure(error, t), button);
    if (answer === button) showLog();
  };
  return async (id, work) => {
    try {
      await work();
    } catch (error) {
      if (isOver()) return;
      log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      // The command is over; the message can stay open, so it is not awaited.
      void sayFailed(error);
    }
  };
}

/** Does the work of a command and reports an error. Never rejects. */
export type CommandRunner = (id: CommandId, work: () => Promise<void>) => Promise<void>;
