/** What the extension writes down: paths, ids and counts, never message text. VS Code's log channel fits. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
