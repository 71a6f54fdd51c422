import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { withoutLinks } from '../text/formats';
import type { Choice, ChoiceGroup, Dialogs, ListOptions, MessageKind, Report, TickedChoice } from './dialogs';

interface ChoiceItem<C> extends vscode.QuickPickItem {
  /** null for a heading. */
  readonly choice: C | null;
}

/** A step of a sequence stays open when the person clicks elsewhere to check something. */
const STEP = { ignoreFocusOut: true } as const;
/** Work that ends sooner shows no progress: the message would outlive it. */
const PROGRESS_AFTER_MS = 500;
const NOTE_DURATION_MS = 6000;

const SHOW_MESSAGE: Readonly<
  Record<MessageKind, (message: string, ...buttons: string[]) => Thenable<string | undefined>>
> = {
  info: (message, ...buttons) => vscode.window.showInformationMessage(withoutLinks(message), ...buttons),
  warning: (message, ...buttons) => vscode.window.showWarningMessage(withoutLinks(message), ...buttons),
  error: (message, ...buttons) => vscode.window.showErrorMessage(withoutLinks(message), ...buttons),
};

/** Dialogs of VS Code. */
export const windowDialogs: Dialogs = {
  async choose<T>(groups: readonly ChoiceGroup<T>[], { title, placeholder }: ListOptions): Promise<T | null> {
    const options = { ...STEP, title, placeHolder: placeholder, matchOnDescription: true, matchOnDetail: true };
    const item = await vscode.window.showQuickPick(toItems<Choice<T>>(groups), options);
    return item?.choice?.value ?? null;
  },

  async chooseSeveral<T>(choices: readonly TickedChoice<T>[], { title, placeholder }: ListOptions) {
    const items = choices.map((choice) => ({ ...toItem(choice), value: choice.value, picked: choice.isTicked }));
    const options = { ...STEP, title, placeHolder: placeholder, matchOnDescription: true, canPickMany: true } as const;
    const chosen = await vscode.window.showQuickPick(items, options);
    return chosen?.map(({ value }) => value) ?? null;
  },

  async enterText({ title, placeholder, value }) {
    const text = await vscode.window.showInputBox({ ...STEP, title, prompt: placeholder, value });
    return text ?? null;
  },

  async ask({ kind, message, detail, buttons }) {
    const answer = SHOW_MESSAGE[kind](detail === undefined ? message : `${message} ${detail}`, ...buttons);
    // The question is about what the person has just done, so it is answered from the keyboard as well.
    void vscode.commands.executeCommand('notifications.focusToasts');
    return (await answer) ?? null;
  },

  async notify(kind, message, ...buttons) {
    return (await SHOW_MESSAGE[kind](message, ...buttons)) ?? null;
  },

  note(message) {
    vscode.window.setStatusBarMessage(withoutIcons(message), NOTE_DURATION_MS);
  },

  async during(title, work) {
    const result = work();
    if (await isOverSoon(result)) return result;
    const options = { location: vscode.ProgressLocation.Notification, title: withoutLinks(title) };
    return vscode.window.withProgress(options, () => result);
  },

  async duringUnlessSkipped(title, work) {
    const controller = new AbortController();
    let report: Report = () => undefined;
    const result = work(controller.signal, (percent) => {
      report(percent);
    });
    if (await isOverSoon(result)) return result;
    const location = vscode.ProgressLocation.Notification;
    const options = { location, title: withoutLinks(title), cancellable: true };
    return vscode.window.withProgress(options, (progress, token) => {
      let shown = 0;
      report = (percent) => {
        progress.report({ increment: percent - shown });
        shown = percent;
      };
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
