import * as vscode from 'vscode';
import { eventually } from './eventually';

interface Question {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
  /** The content of the editors when the question was asked. */
  readonly editors: readonly string[];
}

export interface Dialogue {
  readonly questions: readonly Question[];
  /** Error messages that were shown. */
  readonly errors: readonly string[];
  /** Other messages that were shown, which block nothing. */
  readonly reported: readonly string[];
}

/**
 * Answers modal questions in place of the person while `work` runs, because VS Code refuses to show them during tests.
 * `answer` is the button to press, or a list with one button for each question; null closes the question. Other
 * messages are dismissed at once.
 */
export async function answering(
  answer: string | null | readonly (string | null)[],
  work: () => PromiseLike<unknown>,
): Promise<Dialogue> {
  const answers = Array.isArray(answer) ? [...(answer as readonly (string | null)[])] : null;
  const questions: Question[] = [];
  const reported: string[] = [];
  const errors: string[] = [];
  const ask = (message: string, ...rest: unknown[]): Promise<string | undefined> => {
    const [options, ...buttons] = rest;
    if (!isModal(options)) {
      reported.push(message);
      return Promise.resolve(undefined);
    }
    const editors = vscode.window.visibleTextEditors.map((editor) => editor.document.getText());
    questions.push({ message, detail: options.detail ?? '', buttons: buttons.map(String), editors });
    const button = answers === null ? (answer as string | null) : (answers.shift() ?? null);
    return Promise.resolve(button ?? undefined);
  };
  const complain = (message: string): Promise<undefined> => {
    errors.push(message);
    return Promise.resolve(undefined);
  };
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  Object.assign(vscode.window, { showInformationMessage: ask, showWarningMessage: ask, showErrorMessage: complain });
  try {
    await work();
  } finally {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showErrorMessage });
  }
  return { questions, errors, reported };
}

function isModal(options: unknown): options is vscode.MessageOptions {
  return typeof options === 'object' && options !== null && 'modal' in options && options.modal === true;
}

/** Runs a command that shows a list of sessions, and chooses the session with that title. */
export async function choosing(command: string, title: string): Promise<void> {
  const { createQuickPick } = vscode.window;
  let picker: vscode.QuickPick<vscode.QuickPickItem> | null = null;
  let activeLabel: string | undefined;
  Object.assign(vscode.window, {
    createQuickPick: () => {
      picker = createQuickPick();
      // A window in the background must not close the list before the choice is made.
      picker.ignoreFocusOut = true;
      picker.onDidChangeActive(([active]) => (activeLabel = active?.label));
      return picker;
    },
  });
  try {
    const done = vscode.commands.executeCommand(command);
    await eventually(`the list of ${command} offers “${title}”`, () => {
      const item = picker?.items.find(({ label }) => label === title);
      if (!picker || !item) return false;
      // By its label: each snapshot of the sessions replaces the items of the list, and VS Code reports the active one
      // only when it changes.
      if (activeLabel === title) return true;
      picker.activeItems = [item];
      return false;
    });
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    await done;
  } finally {
    Object.assign(vscode.window, { createQuickPick });
  }
}

/** Accepts the list that `work` shows as it is. Returns the labels of the listed items, and of the checked ones. */
export async function acceptingChecked(
  work: () => Promise<unknown>,
): Promise<{ readonly listed: readonly string[]; readonly checked: readonly string[] }> {
  const { createQuickPick } = vscode.window;
  let picker: vscode.QuickPick<vscode.QuickPickItem> | null = null;
  Object.assign(vscode.window, { createQuickPick: () => (picker = createQuickPick()) });
  const shown = { listed: [] as string[], checked: [] as string[] };
  const state = { isOver: false };
  try {
    const done = work().finally(() => (state.isOver = true));
    await eventually('a list is shown, or none comes', () => state.isOver || (picker?.items.length ?? 0) > 0);
    if (!state.isOver) {
      // SAFETY: the loop above has set it.
      const { items, selectedItems } = picker as unknown as vscode.QuickPick<vscode.QuickPickItem>;
      shown.listed.push(...items.map(({ label }) => label));
      shown.checked.push(...selectedItems.map(({ label }) => label));
      // VS Code ignores keys before the list is shown.
      await eventually('the list is accepted', async () => {
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return (
          state.isOver || Promise.race([done.then(() => true), new Promise<false>((no) => setTimeout(no, 100, false))])
        );
      });
    }
    await done;
  } finally {
    Object.assign(vscode.window, { createQuickPick });
  }
  return shown;
}
