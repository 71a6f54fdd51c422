import type { CommandName } from './commandNames';

/** The command line was used wrongly; its message is for the person and ends the program with exit code 2. */
export class UsageError extends Error {
  readonly code = 'usage';

  /** @param command whose `--help` tells more; null for the program's own. */
  constructor(
    message: string,
    readonly command: CommandName | null = null,
  ) {
    super(message);
    this.name = 'UsageError';
  }
}
