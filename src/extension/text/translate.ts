/**
 * `vscode.l10n.t`, for code that runs without VS Code. Call it with a string literal, so that the test that compares
 * `l10n/bundle.l10n.json` with the sources finds it.
 */
export type Translate = (message: string, ...args: (string | number)[]) => string;
