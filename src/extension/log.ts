/** The extension's log: paths, ids and counts, never message text. Compatible with VS Code's log channel. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
