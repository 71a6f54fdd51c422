import * as vscode from 'vscode';
import type { Services } from '../services';
import { type FilterChoice, filterChoices } from './filterChoices';
import type { FilterValue, SessionFilter } from './sessionFilter';
import { filteredText } from './sessionsViewText';

interface FilterItem extends vscode.QuickPickItem {
  /** The change of the filter; null closes the list. */
  readonly change: Partial<FilterValue> | null;
}

/** The choices are updated this many milliseconds after the last letter: otherwise, VS Code draws them before the list of sessions. */
const AFTER_LIST_MS = 150;

/**
 * Lets the person change the filter of the tree. The tree follows each letter and each choice at once, so closing the list
 * keeps the filter.
 */
export function pickFilter(services: Services, filter: SessionFilter): void {
  const { configDirs, formats, homeDir, model, t } = services;
  const picker = vscode.window.createQuickPick<FilterItem>();
  picker.title = t('Filter Sessions');
  picker.placeholder = t('Type words of a title, or choose what to show');
  picker.value = filter.value.text;
  picker.keepScrollPosition = true;
  let later: NodeJS.Timeout | undefined;
  /** What VS Code has confirmed: what the code below has asked for may still be on its way. */
  let isFirstActive = true;
  /**
   * With each letter, VS Code moves to the first choice that contains the text, until it hears that the first item is to be active. Enter
   * before that means the text, not the choice.
   */
  let isSettled = true;
  const update = (): void => {
    clearTimeout(later);
    later = undefined;
    const { snapshot } = model;
    const { shown } = filter.apply(snapshot);
    const choices = filterChoices(snapshot, filter.value, configDirs(), homeDir, formats, t);
    const label = shown === 1 ? t('Show 1 Session') : t('Show {0} Sessions', formats.number(shown));
    const description = filter.isActive ? filteredText(filter.value, snapshot.projects, homeDir, t) : '';
    const activeLabel = picker.activeItems[0]?.change === null ? null : picker.activeItems[0]?.label;
    picker.items = [
      { label, description, iconPath: new vscode.ThemeIcon('filter'), change: null, alwaysShow: true },
      ...group(t('Only'), choices.marks, true, t('on')),
      ...group(t('Config Folders'), choices.configDirs, true, t('on')),
      // Typing also finds a project by its name.
      ...group(t('Projects'), choices.projects, false, t('on')),
    ];
    const active = picker.items.find((item) => item.label === activeLabel && item.change !== null);
    const [first] = picker.items;
    picker.activeItems = [active ?? first].filter((item) => item !== undefined);
  };
  const listening = [
    model.onChange(update),
    filter.onChange(() => {
      if (later === undefined) update();
    }),
  ];
  picker.onDidChangeValue((text) => {
    const [first] = picker.items;
    isSettled = isFirstActive;
    // If it were set again, VS Code would draw the choices before the list of sessions.
    if (first !== undefined && !isFirstActive) picker.activeItems = [first];
    clearTimeout(later);
    later = setTimeout(update, AFTER_LIST_MS);
    filter.set({ text });
  });
  picker.onDidChangeActive(([active]) => {
    isFirstActive = active?.change === null;
    isSettled ||= isFirstActive;
  });
  picker.onDidAccept(() => {
    const change = (isSettled ? picker.selectedItems[0]?.change : null) ?? null;
    if (change === null) picker.hide();
    else filter.set(change);
  });
  picker.onDidHide(() => {
    clearTimeout(later);
    for (const each of listening) each.dispose();
    picker.dispose();
  });
  void model.start();
  update();
  picker.show();
}

/** @param onText said beside what is switched on, because screen readers do not read icons */
function group(
  heading: string,
  choices: readonly FilterChoice[],
  alwaysShow: boolean,
  onText: string,
): readonly FilterItem[] {
  if (choices.length === 0) return [];
  const separator = { label: heading, kind: vscode.QuickPickItemKind.Separator, change: null };
  const items = choices.map(({ label, description, isOn, switched }) => ({
    // VS Code renders `$(name)` in a label as an icon, so the label of a folder is kept literal.
    label: label.replaceAll('$(', '\\$('),
    description: isOn ? [onText, description].filter((each) => each !== '').join(' · ') : description,
    iconPath: new vscode.ThemeIcon(isOn ? 'check' : 'blank'),
    change: switched,
    alwaysShow: alwaysShow || isOn,
  }));
  return [separator, ...items];
}

/** Limits the tree to the sessions of one config folder, which the person chooses. */
export async function filterByConfigDir(services: Services, filter: SessionFilter): Promise<void> {
  const { configDirs, dialogs, formats, homeDir, model, t } = services;
  const choices = filterChoices(model.snapshot, { ...filter.value, configDirs: [] }, configDirs(), homeDir, formats, t);
  const title = t('Filter by Config Folder');
  const placeholder = t('Choose the config folder whose sessions to show');
  const folders = choices.configDirs.map(({ label, description, switched }) => ({
    ...{ label, description, value: switched, icon: 'folder' },
  }));
  const change = await dialogs.choose([{ heading: null, choices: folders }], { title, placeholder });
  if (change !== null) filter.set(change);
}
