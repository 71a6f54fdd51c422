/**
 * The parts of a path, all names for the same file being equal. A path in a transcript may come from another system, so
 * that both separators count, and so does what some file systems ignore: case, how accents are composed, invisible
 * characters, dots and spaces at the end, a stream, a short name, and the prefix of a Windows path that is not parsed.
 */
export function namesOf(path: string): readonly string[] {
  return path
    .replace(UNPARSED_PREFIX, '/')
    .split(/[\\/]+/)
    .filter((name) => name !== '')
    .map((name) =>
      name
        .normalize('NFC')
        .replace(INVISIBLE, '')
        .replace(/(?<=..):.*$/, '')
        .replace(/(?<=[^. ])[. ]+$/, '')
        .toUpperCase()
        .toLowerCase()
        .replace(/^(git|claude|vscode)~\d+$/, '.$1'),
    );
}

const UNPARSED_PREFIX = /^[\\/]{2}[?.][\\/](?:UNC[\\/])?/i;
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/** Whether a path is below a folder; the parts of both as `namesOf` returns them. */
export function isBelow(names: readonly string[], folder: readonly string[]): boolean {
  return names.length > folder.length && folder.every((name, at) => names[at] === name);
}

/** Whether a path may be in a folder, or the folder itself, on a file system that ignores what `namesOf` does. */
export function isSameOrBelow(path: string, folder: string): boolean {
  const [names, above] = [namesOf(path), namesOf(folder)];
  return above.every((name, at) => names[at] === name);
}
