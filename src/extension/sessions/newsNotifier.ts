import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { areWaitingNotificationsWanted } from '../config/configuration';
import { SESSIONS_VIEW } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import { goneText, NewsWatch, type SessionNews, withoutMoved } from './news';

export interface NewsActions {
  /** Goes to where the session runs. */
  readonly show: (session: SessionNews['session']) => Promise<void>;
  /** An alarm tells of the session already. */
  readonly isAlarmed: (sessionId: string) => boolean;
}

/** By then, an alarm tells of a transcript that is gone while its client runs, and what can be saved. */
const ALARM_MS = 6_000;

/**
 * Tells the person, once whatever the number of windows: that a session waits or has finished while the window was in the background,
 * if the setting asks for it; and that the transcript of a session of this window is gone.
 */
export class NewsNotifier extends Disposable {
  readonly #watch = new NewsWatch();
  /** Transcripts that are gone, of which the person is told together. */
  #gone: SessionNews[] = [];

  constructor(
    private readonly services: Services,
    private readonly actions: NewsActions,
  ) {
    super();
    const { model, log } = services;
    this._register(
      model.onChange(() => {
        const hasOpenFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
        const news = this.#watch.update(model.snapshot, hasOpenFolder).filter((each) => this.#isWanted(each));
        for (const each of news) {
          const telling = each.kind === 'gone' ? this.#tellGone(each) : this.#tell(each);
          telling.catch((error: unknown) => {
            log.warn(`Failed to tell about a session: ${String(error)}`);
          });
        }
      }),
    );
  }

  #isWanted({ kind }: SessionNews): boolean {
    return kind === 'gone' || (!vscode.window.state.focused && areWaitingNotificationsWanted());
  }

  async #tell({ kind, session, key }: SessionNews): Promise<void> {
    const { client, dialogs, t } = this.services;
    if (this.isDisposed || this.actions.isAlarmed(session.id)) return;
    // Of several windows, one tells.
    const claimed = await client.alarms.claim([{ id: key, topic: key, pauseMs: 0 }]);
    if (claimed.length === 0) return;
    const title = sessionLabel(session, t);
    const show = t('Show');
    const message = kind === 'waits' ? t('“{0}” waits for you.', title) : t('“{0}” has finished.', title);
    if ((await dialogs.notify('info', message, show)) === show) await this.actions.show(session);
  }

  /** Together with all others that are gone by then. */
  async #tellGone(news: SessionNews): Promise<void> {
    this.#gone.push(news);
    if (this.#gone.length > 1) return;
    await sleep(ALARM_MS, undefined, { ref: false });
    const { client, dialogs, formats, model, t } = this.services;
    const gone = withoutMoved(this.#gone, model.snapshot).filter(({ session }) => !this.actions.isAlarmed(session.id));
    this.#gone = [];
    if (this.isDisposed || gone.length === 0) return;
    const claimed = await client.alarms.claim(gone.map(({ key }) => ({ id: key, topic: key, pauseMs: 0 })));
    const told = gone.filter(({ key }) => claimed.includes(key));
    if (told.length === 0) return;
    const show = t('Show in Sessions');
    if ((await dialogs.notify('warning', goneText(told, formats, t), show)) === show) {
      await vscode.commands.executeCommand(`${SESSIONS_VIEW}.focus`);
    }
  }
}
