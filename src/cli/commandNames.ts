/** In the order in which the help lists them. */
export const COMMANDS = [
  'scan',
  'repair',
  'show',
  'tasks',
  'usage',
  'search',
  'fork',
  'checkpoints',
  'rewind',
  'checkpoint',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/** "scan, repair and search", or with another word before the last. */
export function commandList(word: 'and' | 'or'): string {
  return `${COMMANDS.slice(0, -1).join(', ')} ${word} ${COMMANDS.at(-1) ?? ''}`;
}
