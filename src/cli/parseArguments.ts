import type { CommandName } from './commandNames';
import { UsageError } from './usageError';

export const SHARED_OPTIONS = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;

/** An empty PATH would mean the current folder, which is what `repair "$UNSET"` must never do. */
export function checkPaths(command: CommandName, paths: readonly string[]): void {
  if (paths.includes('')) throw new UsageError('A PATH is empty.', command);
  if (paths.some((path) => path.includes('\0'))) throw new UsageError('A PATH holds a NUL byte.', command);
}

export function parse<T>(command: CommandName | null, parser: () => T): T {
  try {
    return parser();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // parseArgs explains in a second sentence how to pass such a word as a positional; that is no help here.
    throw new UsageError(`${error.message.split('. ')[0]?.replace(/\.$/, '') ?? 'Unknown option'}.`, command);
  }
}
