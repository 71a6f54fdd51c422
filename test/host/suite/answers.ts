import * as vscode from 'vscode';
import { eventually } from './eventually';

export interface Messages {
  /** Modal messages, of which there should be none. */
  readonly modals: readonly string[];
  readonly errors: readonly string[];
  /** Other messages, which block nothing. */
  readonly reported: readonly string[];
}

/** Records the messages that are shown while `work` runs, and until `isDone`, and closes each at once. */
export async function watchingMessages(
  work: () => PromiseLike<unknown>,
  isDone: (seen: Messages) => boolean = () => true,
): Promise<Messages> {
  const [modals, errors, reported]: [string[], string[], string[]] = [[], [], []];
  const record =
    (into: string[]) =>
    (message: string, options?: unknown): Promise<undefined> => {
      (isModal(options) ? modals : into).push(message);
      return Promise.resolve(undefined);
    };
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  Object.assign(vscode.window, {
    showInformationMessage: record(reported),
    showWarningMessage: record(reported),
    showErrorMessage: record(errors),
  });
  try {
    await work();
    await eventually('what was to be said is said', () => isDone({ modals, errors, reported }));
  } finally {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showErrorMessage });
  }
  return { modals, errors, reported };
}

function isModal(options: unknown): options is vscode.MessageOptions {
  return typeof options === 'object' && options !== null && 'modal' in options && options.modal === true;
}

/** Runs a command that shows a list of sessions, and chooses the session with that title. */
export async function choosing(command: string, title: string, argument?: unknown): Promise<void> {
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
    const done = vscode.commands.executeCommand(command, argument);
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
