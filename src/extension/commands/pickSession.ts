import * as vscode from 'vscode';
import type { SessionSummary } from '../../protocol/channels/sessions';
import { themeIcon } from '../sessions/sessionsTree';
import type { Services } from '../services';
import type { Translate } from '../text/translate';
import { type SessionNeed, type SessionPick, sessionPicks } from './sessionPicks';

interface SessionItem extends vscode.QuickPickItem {
  readonly session: SessionSummary;
}

/**
 * Lets the person choose a session. The list opens at once and grows during the scan.
 *
 * @param isRewound a rewind of the session can be undone
 */
export function pickSession(
  need: SessionNeed,
  title: string,
  { model, homeDir, formats, now, t }: Services,
  isRewound: (sessionId: string) => boolean,
): Promise<SessionSummary | null> {
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.title = title;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.keepScrollPosition = true;
  let shown: readonly SessionSummary[] | null = null;
  const update = (): void => {
    const query = { need, typed: picker.value, isRewound };
    const { picks, total } = sessionPicks(model.snapshot, query, now(), homeDir, formats, t);
    const sessions = picks.map((pick) => pick.session);
    // Setting the items again redraws the list.
    if (!isSame(sessions, shown)) {
      shown = sessions;
      const activePath = picker.activeItems[0]?.session.path;
      picker.items = picks.map(toItem);
      const active = picker.items.find((item) => item.session.path === activePath);
      if (active !== undefined) picker.activeItems = [active];
    }
    picker.busy = model.scan !== null;
    picker.placeholder = placeholder(total, picks.length, picker.busy);
  };
  const placeholder = (total: number, shownCount: number, isBusy: boolean): string => {
    if (total === 0 && !isBusy) return emptyText(need, t);
    if (total === shownCount) return t('Choose a session');
    return t('Choose a session: type to find one of {0}', formats.number(total));
  };
  return new Promise((resolve) => {
    const listening = model.onChange(update);
    picker.onDidChangeValue(update);
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0];
      if (chosen === undefined) return;
      resolve(chosen.session);
      picker.hide();
    });
    picker.onDidHide(() => {
      listening.dispose();
      picker.dispose();
      resolve(null);
    });
    void model.start();
    update();
    picker.show();
  });
}

function toItem({ session, label, description, detail, icon }: SessionPick): SessionItem {
  return { session, label, description, detail, iconPath: themeIcon(icon) };
}

function isSame(sessions: readonly SessionSummary[], others: readonly SessionSummary[] | null): boolean {
  return sessions.length === others?.length && sessions.every((session, at) => session === others[at]);
}

function emptyText(need: SessionNeed, t: Translate): string {
  switch (need) {
    case 'any':
      return t('There are no Claude Code sessions');
    case 'repairable':
      return t('No session needs a repair');
    case 'undoable':
      return t('No repair can be undone');
    case 'rewound':
      return t('No rewind can be undone');
  }
}
