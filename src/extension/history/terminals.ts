import * as vscode from 'vscode';

export interface TerminalRequest {
  readonly name: string;
  /** Absolute; null for VS Code's own choice. */
  readonly cwd: string | null;
  /** null takes a variable away. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Typed, and run. */
  readonly command: string;
}

/** Opens a terminal in the panel of terminals, with the focus, and runs a command in it. */
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
