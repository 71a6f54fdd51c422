import type { CommandId } from './commandIds';

/** Does the work of a command, and says when it fails. Never rejects. */
export type CommandRunner = (id: CommandId, work: () => Promise<void>) => Promise<void>;
