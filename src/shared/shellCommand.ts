const PLAIN_WORD = /^[\w@%+=:,./-]+$/u;

/**
 * A command line for the shell that Claude Code runs hooks with, of words that may hold anything: `sh`, or on Windows a
 * bash, which takes slashes in paths.
 */
export function shellCommand(words: readonly string[], isWindows: boolean): string {
  return words.map((word) => (isWindows ? windowsWord(word) : posixWord(word))).join(' ');
}

function posixWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function windowsWord(word: string): string {
  const path = word.replaceAll('\\', '/');
  return PLAIN_WORD.test(path) ? path : `"${path.replace(/["$`]/gu, String.raw`\$&`)}"`;
}
