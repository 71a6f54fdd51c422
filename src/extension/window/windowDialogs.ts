import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { note } from '../commands/windowRunner';
import type { CheckedChoice, CheckedGroup, Choice, ChoiceGroup, Dialogs, ListOptions, MessageKind } from './dialogs';

interface ChoiceItem<C> extends vscode.QuickPickItem {
  /** null for a heading. */
  readonly choice: C | null;
}

/** A step of a sequence stays open when the person clicks elsewhere to check something. */
const STEP = { ignoreFocusOut: true } as const;
/** Work that ends sooner shows no progress: the message would outlive it. */
const PROGRESS_AFTER_MS = 500;

const SHOW_MESSAGE: Readonly<
  Record<MessageKind, (message: string, ...buttons: string[]) => Thenable<string | undefined>>
> = {
  info: (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
  warning: (message, ...buttons) => vscode.window.showWarningMessage(message, ...buttons),
  error: (message, ...buttons) => vscode.window.showErrorMessage(message, ...buttons),
};

/** Dialogs of VS Code. */
export const windowDialogs: Dialogs = {
  async choose<T>(groups: readonly ChoiceGroup<T>[], { title, placeholder }: ListOptions): Promise<T | null> {
    const options = { ...STEP, title, placeHolder: placeholder, matchOnDescription: true, matchOnDetail: true };
    const item = await vscode.window.showQuickPick(toItems<Choice<T>>(groups), options);
    return item?.choice?.value ?? null;
  },

  chooseMany<T>(groups: readonly CheckedGroup<T>[], { title, placeholder }: ListOptions): Promise<readonly T[] | null> {
    const picker = vscode.window.createQuickPick<ChoiceItem<CheckedChoice<T>>>();
    Object.assign(picker, { title, placeholder, canSelectMany: true, ignoreFocusOut: true, matchOnDescription: true });
    picker.items = toItems<CheckedChoice<T>>(groups);
    picker.selectedItems = picker.items.filter(({ choice }) => choice?.isChecked === true);
    return new Promise((resolve) => {
      // VS Code cannot disable the checkbox of an item, so fixed items are deselected again.
      picker.onDidChangeSelection((selected) => {
        const kept = selected.filter(({ choice }) => choice?.isFixed !== true);
        if (kept.length < selected.length) picker.selectedItems = kept;
      });
      picker.onDidAccept(() => {
        const chosen = new Set(picker.selectedItems);
        resolve(
          picker.items.flatMap((item) =>
            chosen.has(item) && item.choice?.isFixed === false ? [item.choice.value] : [],
          ),
        );
        picker.hide();
      });
      picker.onDidHide(() => {
        picker.dispose();
        resolve(null);
      });
      picker.show();
    });
  },

  async enterText({ title, placeholder, value }) {
    const text = await vscode.window.showInputBox({ ...STEP, title, prompt: placeholder, value });
    return text ?? null;
  },

  async ask({ kind, message, detail, buttons }) {
    const options = { modal: true, ...(detail === undefined ? {} : { detail }) };
    const show = kind === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    return (await show(message, options, ...buttons)) ?? null;
  },

  async notify(kind, message, ...buttons) {
    return (await SHOW_MESSAGE[kind](message, ...buttons)) ?? null;
  },

  note,

  async during(title, work) {
    const result = work();
    if (await isOverSoon(result)) return result;
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => result);
  },

  async duringUnlessSkipped(title, work) {
    const controller = new AbortController();
    const result = work(controller.signal);
    if (await isOverSoon(result)) return result;
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, (_progress, token) => {
      const skipped = new Promise<null>((resolve) => {
        token.onCancellationRequested(() => {
          controller.abort();
          resolve(null);
        });
      });
      return Promise.race([result, skipped]);
    });
  },
};

/** Never rejects: callers that await the result see the rejection. */
function isOverSoon(result: Promise<unknown>): Promise<boolean> {
  const isOver = result.then(
    () => true,
    () => true,
  );
  return Promise.race([isOver, sleep(PROGRESS_AFTER_MS, false)]);
}

function toItems<C extends Choice<unknown>>(
  groups: readonly { readonly heading: string | null; readonly choices: readonly C[] }[],
): ChoiceItem<C>[] {
  return groups.flatMap(({ heading, choices }) => {
    if (choices.length === 0) return [];
    const above: ChoiceItem<C>[] =
      heading === null ? [] : [{ choice: null, label: heading, kind: vscode.QuickPickItemKind.Separator }];
    return [...above, ...choices.map(toItem)];
  });
}

function toItem<C extends Choice<unknown>>(choice: C): ChoiceItem<C> {
  const { label, description, detail, icon } = choice;
  return {
    choice,
    // A quick pick renders `$(name)` as an icon.
    label: withoutIcons(label),
    ...(description === undefined ? {} : { description: withoutIcons(description) }),
    ...(detail === undefined ? {} : { detail: withoutIcons(detail) }),
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
  };
}

function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}
