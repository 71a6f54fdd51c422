import { basename, dirname, join } from 'node:path';
import { type AllowedFolders, isWithin } from './allowedFolders';
import { isBelow, isSameOrBelow, namesOf } from './pathNames';

/**
 * Why a file is only changed if the person names it: one sentence for people; null if it is not sensitive. A transcript
 * can name any file, and who writes one of these can have programs run, or holds a key.
 *
 * @param path absolute, as the transcript names it
 * @param realFolder its folder without symbolic links
 */
export function sensitiveReason(path: string, realFolder: string, allowed: AllowedFolders): string | null {
  const realPath = join(realFolder, basename(path));
  for (const each of new Set([path, realPath])) {
    const reason = reasonByName(namesOf(each), allowed);
    if (reason !== null) return reason;
  }
  return wideRootReason(realPath, allowed);
}

function reasonByName(names: readonly string[], { homes, configDirs }: AllowedFolders): string | null {
  if (names.includes('.git')) return 'It is sensitive: Git runs programs that files in .git name.';
  if (names.some((name, at) => name === '.claude' && /^settin(gs|~)/.test(names[at + 1] ?? ''))) {
    return 'It is sensitive: Claude Code runs programs that its settings name.';
  }
  if (names.includes('.vscode')) return 'It is sensitive: VS Code runs programs that files in .vscode name.';
  if (configDirs.some((folder) => isBelow(names, namesOf(folder)))) {
    return 'It is sensitive: it belongs to Claude Code’s own files.';
  }
  for (const home of homes.map(namesOf)) {
    const entry = isBelow(names, home) ? names[home.length] : undefined;
    if (entry?.startsWith('.') === true) return `It is sensitive: ${entry} in your home folder holds settings or keys.`;
  }
  return null;
}

/**
 * The whole file system and the home folder are no project, even if the person named them. Another root that contains
 * the file, and is neither, makes up for that.
 */
function wideRootReason(realPath: string, { roots, homes }: AllowedFolders): string | null {
  const isWide = (root: string): boolean =>
    dirname(root) === root || homes.some((home) => isSameOrBelow(home, root) && isSameOrBelow(realPath, home));
  const holding = roots.filter((root) => isWithin(realPath, root));
  if (holding.length === 0 || !holding.every(isWide)) return null;
  const isInHome = homes.some(
    (home) => isSameOrBelow(realPath, home) && holding.some((root) => isSameOrBelow(home, root)),
  );
  return isInHome
    ? 'It is sensitive: no folder was named for it but one that contains your whole home folder.'
    : 'It is sensitive: no folder was named for it but the whole file system.';
}
