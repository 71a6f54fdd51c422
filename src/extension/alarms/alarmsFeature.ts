import * as vscode from 'vscode';
import type { Alarm, AlarmsSnapshot } from '../../protocol/channels/alarms';
import { SESSIONS_VIEW } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { NO_FILTER, type SessionFilter } from '../sessions/sessionFilter';
import { findSession } from '../sessions/sessionsState';
import { alarmText } from './alarmTexts';
import { AlarmTeller } from './alarmTeller';

/** Tells the person what endangers sessions while something can be done, and the filter of the tree which of them expire soon. */
export class AlarmsFeature extends Disposable {
  #latest: AlarmsSnapshot = { revision: 0, alarms: [], expiring: [] };

  /** @param show opens the conversation in a transcript */
  constructor(
    private readonly services: Services,
    private readonly filter: SessionFilter,
    private readonly show: (filePath: string) => void,
  ) {
    super();
    const { client, log, now } = services;
    const teller = this._register(
      new AlarmTeller({
        claim: (keys) => client.alarms.claim(keys),
        tell: (alarm) => {
          this.#tell(alarm).catch((error: unknown) => {
            log.warn(`Failed to show what an alarm is about: ${String(error)}`);
          });
        },
        log: (message) => {
          log.warn(message);
        },
        now,
      }),
    );
    this._register(
      client.alarms.onAlarmsChanged((snapshot) => {
        this.#latest = snapshot;
        filter.setExpiring(new Set(snapshot.expiring.map(({ path }) => path)));
        teller.update(snapshot);
      }),
    );
  }

  /** Whether an alarm says that the session is not saved. */
  concerns(sessionId: string): boolean {
    return this.#latest.alarms.some((alarm) => alarm.kind === 'unsaved' && alarm.session?.id === sessionId);
  }

  async #tell(alarm: Alarm): Promise<void> {
    const { client, dialogs, t, model, formats, homeDir, now } = this.services;
    const titleOf = (path: string): string | null => findSession(model.snapshot, path)?.session.title ?? null;
    const message = alarmText(alarm, { titleOf, homeDir, formats, t, now });
    const dismiss = t('Dismiss for Good');
    const actions = this.#actions(alarm);
    const button = await dialogs.notify('warning', message, ...actions.keys(), dismiss);
    if (button === null || this.isDisposed) return;
    const [key] = alarm.keys;
    if (button === dismiss && key !== undefined) await client.alarms.dismiss(key.topic);
    else await actions.get(button)?.();
  }

  /** What helps, by the label of its button. */
  #actions(alarm: Alarm): ReadonlyMap<string, () => Promise<void>> {
    const { t } = this.services;
    const actions = new Map<string, () => Promise<void>>();
    switch (alarm.kind) {
      case 'unsaved':
      case 'two-writers': {
        const { session } = alarm;
        if (session === null) break;
        actions.set(t('Show Session'), async () => {
          // Of a session that is not saved, there may be nothing to open.
          const isThere = findSession(this.services.model.snapshot, session.path)?.session.isAbsent !== true;
          if (isThere) this.show(session.path);
          else await vscode.commands.executeCommand(`${SESSIONS_VIEW}.focus`);
        });
        break;
      }
      case 'expiring':
        actions.set(t('Show Sessions'), async () => {
          this.filter.set({ ...NO_FILTER, marks: ['expiring'] });
          await vscode.commands.executeCommand(`${SESSIONS_VIEW}.focus`);
        });
        break;
      case 'short-retention':
        break;
    }
    const settingsPath = 'period' in alarm ? alarm.period.settingsPath : null;
    if (settingsPath !== null)
      actions.set(t('Open Settings File'), async () => {
        await vscode.window.showTextDocument(vscode.Uri.file(settingsPath));
      });
    return actions;
  }
}
