import { dirname, sep } from 'node:path';
import type { Page } from './page';
import { printable, shellPath } from './text';

/** What the person entered, as far as a command to paste repeats it. */
export interface GivenCommand {
  readonly file: string;
  /** Null for an undo. */
  readonly promptUuid: string | null;
  /** As the person entered them. */
  readonly roots: readonly string[];
  /** As the person entered them; null for all files. */
  readonly only: readonly string[] | null;
  readonly isDryRun: boolean;
  readonly skipObstacles: boolean;
  readonly mayBeLive: boolean;
}

interface Obstacle {
  /** Absolute. */
  readonly path: string;
  readonly isOutside: boolean;
  readonly isSensitive: boolean;
}

/** One line for each thing that the person can do about what is in the way, with the command; empty for nothing. */
export function obstacleHints(given: GivenCommand, obstacles: readonly Obstacle[], page: Page): readonly string[] {
  const sensitive = obstacles.filter(({ isSensitive }) => isSensitive);
  const outside = obstacles.filter(({ isOutside, isSensitive }) => isOutside && !isSensitive);
  const hints: string[] = [];
  if (outside.length > 0) hints.push(`Change them, too: ${outsideCommand(given, outside, page)}`);
  if (sensitive.length > 0) {
    const roots = [...given.roots, ...foldersOf(sensitive)];
    const only = sensitive.map(({ path }) => path);
    hints.push(`Change the sensitive files: ${commandOf({ ...given, roots, only }, page)}`);
  }
  if (obstacles.length > 0) hints.push(`Leave them out: ${commandOf({ ...given, skipObstacles: true }, page)}`);
  return hints;
}

/**
 * How to undo an interrupted rewind whose files are in the way: all of them must be allowed, since it is undone as a
 * whole. Empty if nobody can allow one of them.
 */
export function unfinishedHints(given: GivenCommand, obstacles: readonly Obstacle[], page: Page): readonly string[] {
  if (obstacles.some(({ isOutside, isSensitive }) => !isOutside && !isSensitive)) return [];
  const sensitive = obstacles.filter(({ isSensitive }) => isSensitive).map(({ path }) => path);
  const roots = [...given.roots, ...foldersOf(obstacles)];
  const only = sensitive.length === 0 ? null : sensitive;
  const undo = { ...given, promptUuid: null, isDryRun: false, skipObstacles: false, roots, only };
  return [`Undo it: ${commandOf(undo, page)}`];
}

/** The command that also names the folders of the files that are outside. */
export function outsideCommand(given: GivenCommand, files: readonly Obstacle[], page: Page): string {
  const folders = foldersOf(files);
  const roots = [...given.roots, ...(folders.length > 0 ? folders : ['DIR'])];
  return commandOf({ ...given, roots }, page);
}

/** What follows `rewind` in the command that undoes this one, for the same files in the same folders. */
export function undoArguments(given: GivenCommand, page: Page): readonly string[] {
  return argumentsOf({ ...given, promptUuid: null, isDryRun: false, skipObstacles: false, mayBeLive: false }, page);
}

function commandOf(given: GivenCommand, page: Page): string {
  return page.colors.bold(printable(`${page.commandName} rewind ${argumentsOf(given, page).join(' ')}`));
}

function argumentsOf(given: GivenCommand, { home }: Page): readonly string[] {
  const { file, promptUuid, roots, only, isDryRun, skipObstacles, mayBeLive } = given;
  return [
    shellPath(file, home),
    promptUuid === null ? '--undo' : shellPath(promptUuid, home),
    ...(isDryRun ? ['--dry-run'] : []),
    ...roots.flatMap((root) => ['--root', shellPath(root, home)]),
    ...(only ?? []).flatMap((path) => ['--only', shellPath(path, home)]),
    ...(skipObstacles ? ['--skip-obstacles'] : []),
    ...(mayBeLive ? ['--allow-live'] : []),
  ];
}

/** The folders of the files that are outside, none within another. */
function foldersOf(files: readonly Obstacle[]): readonly string[] {
  const folders = [...new Set(files.filter(({ isOutside }) => isOutside).map(({ path }) => dirname(path)))].sort();
  return folders.filter(
    (folder) =>
      !folders.some((other) => folder.startsWith(other.endsWith(sep) ? other : other + sep) && folder !== other),
  );
}
