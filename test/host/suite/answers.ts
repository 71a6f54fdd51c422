import * as vscode from 'vscode';
import { eventually } from './eventually';

interface Question {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
  /** What the editors showed when it was asked. */
  readonly editors: readonly string[];
}

export interface Dialogue {
  readonly questions: readonly Question[];
  /** Error messages that were shown. */
  readonly errors: readonly string[];
}

/**
 * Answers modal questions in the person's place while `work` runs: VS Code refuses to show them during tests. `answer` is
 * the button to press; null closes the question. Other messages are dismissed at once.
 */
export async function answering(answer: string | null, work: () => Promise<void>): Promise<Dialogue> {
  const questions: Question[] = [];
  const errors: string[] = [];
  const ask = (message: string, ...rest: unknown[]): Promise<string | undefined> => {
    const [options, ...buttons] = rest;
    if (!isModal(options)) return Promise.resolve(undefined);
    const editors = vscode.window.visibleTextEditors.map((editor) => editor.document.getText());
    questions.push({ message, detail: options.detail ?? '', buttons: buttons.map(String), editors });
    return Promise.resolve(answer ?? undefined);
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
  return { questions, errors };
}

function isModal(options: unknown): options is vscode.MessageOptions {
  return typeof options === 'object' && options !== null && 'modal' in options && options.modal === true;
}

/** Runs a command that lets the person choose a session in a list, and chooses the one with that title. */
export async function choosing(command: string, title: string): Promise<void> {
  const { createQuickPick } = vscode.window;
  let picker: vscode.QuickPick<vscode.QuickPickItem> | null = null;
  let activeLabel: string | undefined;
  Object.assign(vscode.window, {
    createQuickPick: () => {
      picker = createQuickPick();
      // A window that works in the background must not close the list before the choice is made.
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
      // By its label: each snapshot of the sessions fills the list with new items, and VS Code tells of the active one
      // only when it becomes another.
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
