import * as vscode from 'vscode';

export interface TerminalRequest {
  readonly name: string;
  /** Absolute; null for VS Code's default. */
  readonly cwd: string | null;
  /** null unsets a variable. */
  readonly env: Readonly<Record<string, string | null>>;
  /** The command to type and run. */
  readonly command: string;
}

/** Opens a terminal in the panel, focuses it and runs a command in it. */
export function runInTerminal({ name, cwd, env, command }: TerminalRequest): void {
  const terminal = vscode.window.createTerminal({
    name,
    env: { ...env },
    iconPath: new vscode.ThemeIcon('comment-discussion'),
    ...(cwd === null ? {} : { cwd }),
  });
  terminal.show();
  terminal.sendText(command);
}
