import { basename, dirname, isAbsolute, join } from 'node:path';
import type { CheckpointCalls, HookChange } from '../../../protocol/channels/history';
import { readTextFile, removeEmptyFolder, replaceText } from '../../storage/replaceText';
import { appendToLog } from '../../storage/store/appendRow';
import type { WriteFs } from '../../storage/writeFs';
import { withHook, withoutHook } from './editHooks';
import { installProgram } from './installProgram';
import { readRows } from './readRows';
import { storeLayout } from './storeLayout';

export interface CheckpointHooksDeps {
  readonly fs: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
}

const SETTINGS = join('.claude', 'settings.local.json');

/** Adds the hook that takes checkpoints to a project's settings, and removes it. */
export function createCheckpointHooks(deps: CheckpointHooksDeps): Omit<CheckpointCalls, 'pruneCheckpoints'> {
  const { fs } = deps;
  return {
    async planHook(projectFolder, isEnabled, command) {
      const named = join(projectFolder, SETTINGS);
      const isFolder = isAbsolute(projectFolder) && (await isDirectory(projectFolder, fs));
      if (!isFolder) return refused(named, null, `There is no folder ${projectFolder}.`);
      const target = await findTarget(named, fs);
      if (target === null) return refused(named, null, `${basename(named)} is a link that leads nowhere.`);
      const found = await readTextFile(target, fs);
      if (found.kind === 'problem') return refused(target, null, `${basename(target)} ${found.problem}`);
      const before = found.kind === 'text' ? found.text : null;
      const edited = isEnabled
        ? withHook(before, command)
        : withoutHook(before, command, before !== null && (await isOurs(target, deps)));
      if (edited.kind === 'refused') return refused(target, before, edited.problem);
      return { settingsPath: target, before, after: edited.text, problem: null };
    },

    async applyHook({ settingsPath, before, after, problem }) {
      if (problem !== null) return problem;
      if (before === after) return null;
      const folder = dirname(settingsPath);
      const isFolderNew = before === null && !(await isDirectory(folder, fs));
      const failed = await replaceText(settingsPath, before, after, deps);
      if (failed !== null) return `${basename(settingsPath)} ${failed}`;
      if (before === null) await note(settingsPath, true, isFolderNew, deps);
      if (after === null) await forget(settingsPath, deps);
      return null;
    },

    installProgram,
  };
}

function refused(settingsPath: string, before: string | null, problem: string): HookChange {
  return { settingsPath, before, after: before, problem };
}

/** The path itself, or the target of a link at the path, so that the link is kept. Null for a broken link. */
async function findTarget(path: string, fs: WriteFs): Promise<string | null> {
  const stat = await fs.lstat(path).catch(() => null);
  return stat?.isSymbolicLink() === true ? fs.realpath(path).catch(() => null) : path;
}

async function isDirectory(path: string, fs: WriteFs): Promise<boolean> {
  // The path may be a link to a folder.
  const real = await fs.realpath(path).catch(() => null);
  return real !== null && (await fs.lstat(real).catch(() => null))?.isDirectory() === true;
}

interface Made {
  readonly isFileOurs: boolean;
  readonly isFolderOurs: boolean;
}

/** The last note about a settings file: whether Rethread created the file, and whether it created its folder. */
async function made(settingsPath: string, { fs, configDir }: CheckpointHooksDeps): Promise<Made> {
  const { rows } = await readRows(storeLayout(configDir()).settings, fs).catch(() => ({ rows: [] }));
  const last = rows.findLast((row) => row['settingsPath'] === settingsPath);
  return { isFileOurs: last?.['isFileOurs'] === true, isFolderOurs: last?.['isFolderOurs'] === true };
}

async function isOurs(settingsPath: string, deps: CheckpointHooksDeps): Promise<boolean> {
  return (await made(settingsPath, deps)).isFileOurs;
}

/** Never rejects: without the note, removing the hook leaves an empty settings file, which does no harm. */
async function note(
  settingsPath: string,
  isFileOurs: boolean,
  isFolderOurs: boolean,
  { fs, now, random, configDir }: CheckpointHooksDeps,
): Promise<void> {
  const row = { timeMs: now(), settingsPath, isFileOurs, isFolderOurs };
  await appendToLog(storeLayout(configDir()).settings, 'settings', row, { fs, random }).catch(() => undefined);
}

async function forget(settingsPath: string, deps: CheckpointHooksDeps): Promise<void> {
  const { isFolderOurs } = await made(settingsPath, deps);
  if (isFolderOurs) await removeEmptyFolder(dirname(settingsPath), deps.fs);
  await note(settingsPath, false, false, deps);
}
