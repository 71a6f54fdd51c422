/**
 * `vscode.l10n.t`, for code that runs without VS Code. Call it with a string literal, so that the test which holds
 * `l10n/bundle.l10n.json` against the sources sees it.
 */
export type Translate = (message: string, ...args: (string | number)[]) => string;

/** What the extension writes down: paths, ids and counts, never message text. VS Code's log channel fits. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
