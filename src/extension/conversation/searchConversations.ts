import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { SearchQuery } from '../../protocol/channels/search';
import type { Services } from '../services';
import type { ConversationPanels } from './conversationPanels';
import { outcomeText, progressText, type SearchPick, searchPick } from './searchPicks';

interface MatchItem extends vscode.QuickPickItem {
  readonly pick: SearchPick;
}

/** From the last key press to the start of the search. */
const DEBOUNCE_MS = 250;
const REDRAW_MS = 150;
/** VS Code renders every item of a list, visible or not. */
const MAX_MATCHES = 200;

/** Searches all sessions: results arrive during the search, and choosing one opens the conversation at that row. */
export function searchConversations(services: Services, panels: ConversationPanels): Promise<void> {
  const { t } = services;
  const picker = vscode.window.createQuickPick<MatchItem>();
  picker.title = t('Search Conversations');
  picker.placeholder = t('Text to find in all sessions');
  picker.matchOnDetail = true;
  picker.keepScrollPosition = true;
  const search = new ListedSearch(picker, services);
  const regExp = new Switch('regex', t('Use Regular Expression'));
  const matchCase = new Switch('case-sensitive', t('Match Case'));
  const switches = [matchCase, regExp];
  const drawSwitches = (): void => {
    picker.buttons = switches.map((each) => each.button());
  };
  const query = (): Omit<SearchQuery, 'limit'> => ({
    text: picker.value,
    isRegExp: regExp.isOn,
    isCaseSensitive: matchCase.isOn,
    roles: [],
  });
  const start = (delayMs: number): void => {
    search.start({ ...query(), limit: MAX_MATCHES }, delayMs);
  };
  drawSwitches();
  return new Promise((resolve) => {
    picker.onDidChangeValue(() => {
      start(DEBOUNCE_MS);
    });
    picker.onDidTriggerButton((button) => {
      switches.find((each) => each.owns(button))?.toggle();
      drawSwitches();
      start(0);
    });
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0];
      if (chosen === undefined) return;
      const { filePath, line } = chosen.pick.match;
      panels.open({ filePath, line, find: { ...query(), tool: null } });
      picker.hide();
    });
    picker.onDidHide(() => {
      search.stop();
      picker.dispose();
      resolve();
    });
    picker.show();
  });
}

/** A toggle button. VS Code's buttons have no such state, so the colour and the label show it. */
class Switch {
  isOn = false;
  readonly #icon: string;
  readonly #label: string;
  #button: vscode.QuickInputButton | null = null;

  constructor(icon: string, label: string) {
    this.#icon = icon;
    this.#label = label;
  }

  button(): vscode.QuickInputButton {
    const color = this.isOn ? new vscode.ThemeColor('inputOption.activeForeground') : undefined;
    const tooltip = this.isOn ? `${this.#label} ✓` : this.#label;
    this.#button = { iconPath: new vscode.ThemeIcon(this.#icon, color), tooltip };
    return this.#button;
  }

  owns(button: vscode.QuickInputButton): boolean {
    return button === this.#button;
  }

  toggle(): void {
    this.isOn = !this.isOn;
  }
}

/** The searches of one list, one at a time: each ends the previous one. */
class ListedSearch {
  readonly #picker: vscode.QuickPick<MatchItem>;
  readonly #services: Services;
  #running: AbortController | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(picker: vscode.QuickPick<MatchItem>, services: Services) {
    this.#picker = picker;
    this.#services = services;
  }

  start(query: SearchQuery, delayMs: number): void {
    this.stop();
    if (query.text.trim() === '') {
      this.#show([], this.#services.t('Search Conversations'));
      return;
    }
    this.#picker.busy = true;
    this.#timer = setTimeout(() => void this.#run(query), delayMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
    this.#picker.busy = false;
  }

  async #run(query: SearchQuery): Promise<void> {
    const { client, describe, formats, t } = this.#services;
    const running = new AbortController();
    this.#running = running;
    const searchId = randomUUID();
    const picks: SearchPick[] = [];
    let redraw: NodeJS.Timeout | undefined;
    let title = t('Search Conversations');
    const draw = (): void => {
      clearTimeout(redraw);
      redraw = undefined;
      if (!running.signal.aborted) this.#show(picks, title);
    };
    const listening = client.search.onSearchFound((news) => {
      if (news.searchId !== searchId) return;
      picks.push(...news.matches.map((match) => searchPick(match, Date.now(), formats, t)));
      title = progressText(news.progress, formats, t);
      redraw ??= setTimeout(draw, REDRAW_MS);
    });
    try {
      const outcome = await client.search.searchSessions(query, searchId, running.signal);
      title = outcomeText(outcome, picks.length, formats, t);
    } catch (error) {
      title = describe(error);
    } finally {
      listening.dispose();
      draw();
      if (this.#running === running) this.stop();
    }
  }

  #show(picks: readonly SearchPick[], title: string): void {
    const picker = this.#picker;
    const active = picker.activeItems[0]?.pick;
    picker.title = title;
    // The worker has already filtered, so its results are shown even if VS Code does not find the text in them.
    picker.items = picks.map((pick) => ({ ...pick, pick, alwaysShow: true }));
    const same = picker.items.find(({ pick }) => pick === active);
    if (same !== undefined) picker.activeItems = [same];
  }
}
