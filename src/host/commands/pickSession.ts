import * as vscode from 'vscode';
import type { SessionSummary } from '../../shared/api/worker';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import { themeIcon } from '../tree/themeIcon';
import type { SessionNeed } from './sessionPicks';
import { sessionPicks } from './sessionPicks';

interface SessionItem extends vscode.QuickPickItem {
  readonly session: SessionSummary;
}

export interface PickSessionParts {
  readonly model: SessionsModel;
  readonly homeDir: string;
  readonly formats: Formats;
  readonly t: Translate;
}

/** Lets the person choose a session. The list is open at once, and grows while the scan goes on. */
export function pickSession(
  need: SessionNeed,
  title: string,
  { model, homeDir, formats, t }: PickSessionParts,
): Promise<SessionSummary | null> {
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.title = title;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.keepScrollPosition = true;
  const update = (): void => {
    const activePath = picker.activeItems[0]?.session.filePath;
    picker.items = sessionPicks(model.snapshot, need, Date.now(), homeDir, formats, t).map((pick) => ({
      session: pick.session,
      label: pick.label,
      description: pick.description,
      detail: pick.detail,
      iconPath: themeIcon(pick.icon),
    }));
    const active = picker.items.find((item) => item.session.filePath === activePath);
    if (active !== undefined) picker.activeItems = [active];
    picker.busy = model.scan !== null;
    picker.placeholder = picker.items.length > 0 || picker.busy ? t('Choose a session') : emptyText(need, t);
  };
  return new Promise((resolve) => {
    const listening = model.onChange(update);
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

function emptyText(need: SessionNeed, t: Translate): string {
  switch (need) {
    case 'any':
      return t('There are no Claude Code sessions');
    case 'repairable':
      return t('No session needs a repair');
    case 'undoable':
      return t('No repair can be undone');
  }
}
