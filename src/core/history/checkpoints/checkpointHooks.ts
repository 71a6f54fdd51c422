import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import type { CheckpointCalls, HookChange } from '../../../protocol/channels/history';
import {
  localSettingsOf,
  managedFolderOf,
  managedPartsFolderOf,
  managedSettingsOf,
  projectSettingsOf,
  userSettingsOf,
} from '../../providers/claude/format/settingsPaths';
import { readTextFile, removeEmptyFolder, replaceText } from '../../storage/replaceText';
import type { WriteFs } from '../../storage/writeFs';
import { parseObject } from '../../util/json';
import { hasOwnHook, withHook, withoutHook, withoutInstalledHook } from './editHooks';
import { appendNote, type HookNote, type HookNotesDeps, noteAbout, readNotes } from './hookNotes';
import { installProgram } from './installProgram';

export interface CheckpointHooksDeps extends HookNotesDeps {
  /** Absolute path of the folder in which an administrator manages Claude Code; by default, that of this system. */
  readonly managedFolder?: string;
}

/** Adds the hook that takes checkpoints to a project's settings, and removes it. */
export function createCheckpointHooks(deps: CheckpointHooksDeps): Omit<CheckpointCalls, 'pruneCheckpoints'> {
  const { fs } = deps;
  return {
    async planHook(projectFolder, isEnabled, command, maxFileSizeMB) {
      const named = localSettingsOf(projectFolder);
      const isFolder = isAbsolute(projectFolder) && (await isDirectory(projectFolder, fs));
      if (!isFolder) return refused(named, null, `There is no folder ${projectFolder}.`);
      const place = await placeOf(await fs.realpath(projectFolder), fs);
      if (place.kind === 'problem') return refused(named, null, place.problem);
      const target = place.path;
      const forbidden = isEnabled ? await hooksForbiddenBy(projectFolder, deps) : null;
      if (forbidden !== null) return refused(target, null, forbidden);
      const found = await readTextFile(target, fs);
      if (found.kind === 'problem') return refused(target, null, `${basename(target)} ${found.problem}`);
      const before = found.kind === 'text' ? found.text : null;
      const edited = isEnabled
        ? withHook(before, command, maxFileSizeMB)
        : withoutHook(before, command, before !== null && (await noteAbout(target, deps)).isFileOurs);
      if (edited.kind === 'refused') return refused(target, before, edited.problem);
      const { text: after, replaced } = edited;
      return { settingsPath: target, before, after, problem: null, replaces: isEnabled ? replaced : null };
    },

    async applyHook({ settingsPath, before, after, problem }, extensionsFolder) {
      if (problem !== null) return problem;
      if (before === after) return null;
      const folder = dirname(settingsPath);
      if (!(await isStillInPlace(settingsPath, fs))) return `${basename(settingsPath)} is reached over a link now.`;
      const isFolderNew = before === null && !(await isDirectory(folder, fs));
      const failed = await replaceText(settingsPath, before, after, deps);
      if (failed !== null) return `${basename(settingsPath)} ${failed}`;
      const known = await noteAbout(settingsPath, deps);
      const isFolderOurs = before === null ? isFolderNew : known.isFolderOurs;
      if (after === null && isFolderOurs) await removeEmptyFolder(folder, fs);
      const note: HookNote = {
        settingsPath,
        isEnabled: after !== null && hasOwnHook(after),
        isFileOurs: after !== null && (before === null || known.isFileOurs),
        isFolderOurs: after !== null && isFolderOurs,
        extensionsFolder,
      };
      await appendNote(note, deps);
      return null;
    },

    installProgram,
  };
}

function refused(settingsPath: string, before: string | null, problem: string): HookChange {
  return { settingsPath, before, after: before, problem, replaces: null };
}

type Place = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'problem'; readonly problem: string };

/** The real path of the project's settings file, whether or not it exists. Links may lead to it, but not out of the project. */
async function placeOf(realProject: string, fs: WriteFs): Promise<Place> {
  const named = localSettingsOf(realProject);
  const folder = await realPathOrNull(dirname(named), fs);
  const isLink = (await fs.lstat(named).catch(() => null))?.isSymbolicLink() === true;
  const path = isLink ? await realPathOrNull(named, fs) : join(folder ?? dirname(named), basename(named));
  if (path === null) return { kind: 'problem', problem: `${basename(named)} is a link that leads nowhere.` };
  if (path.startsWith(realProject + sep)) return { kind: 'file', path };
  return { kind: 'problem', problem: `${basename(named)} is not in the project: a link leads to ${path}.` };
}

/** Whether no link has come into the path since it was resolved. */
async function isStillInPlace(path: string, fs: WriteFs): Promise<boolean> {
  const isLink = (await fs.lstat(path).catch(() => null))?.isSymbolicLink() === true;
  const folder = dirname(path);
  const real = await realPathOrNull(folder, fs);
  if (real !== null) return !isLink && real === folder;
  // The folder will be created.
  return !isLink && (await realPathOrNull(dirname(folder), fs)) === dirname(folder);
}

function realPathOrNull(path: string, fs: WriteFs): Promise<string | null> {
  return fs.realpath(path).catch(() => null);
}

/** Why Claude Code would not run the hook, as a sentence; null if it would. (docs/rewind.md) */
async function hooksForbiddenBy(projectFolder: string, deps: CheckpointHooksDeps): Promise<string | null> {
  const managed = deps.managedFolder ?? managedFolderOf(process.platform);
  const parts = managedPartsFolderOf(managed);
  const ofAdministrator = [
    managedSettingsOf(managed),
    ...(await deps.fs.readdir(parts).catch(() => [])).map((name) => join(parts, name)),
  ];
  const ofPerson = [userSettingsOf(deps.configDir()), projectSettingsOf(projectFolder)];
  for (const path of [...ofAdministrator, ...ofPerson, localSettingsOf(projectFolder)]) {
    const found = await readTextFile(path, deps.fs);
    const settings = found.kind === 'text' ? parseObject(found.text) : null;
    const isManaged = ofAdministrator.includes(path);
    const why = ['disableAllHooks', ...(isManaged ? ['allowManagedHooksOnly'] : [])].find(
      (name) => settings?.[name] === true,
    );
    if (why === undefined) continue;
    const whose = isManaged ? 'An administrator has forbidden' : 'The settings forbid';
    return `${whose} the hook that would make checkpoints: ${path} has ${why}.`;
  }
  return null;
}

async function isDirectory(path: string, fs: WriteFs): Promise<boolean> {
  // The path may be a link to a folder.
  const real = await fs.realpath(path).catch(() => null);
  return real !== null && (await fs.lstat(real).catch(() => null))?.isDirectory() === true;
}

/**
 * Takes the extension's hooks out of all projects, when it is uninstalled. Hooks of other installations and hand-written
 * ones stay, and so do checkpoints. Resolves to the settings files that changed, and to those that could not be changed.
 *
 * @param configDirs absolute paths of the config folders in which Rethread may have noted its hooks
 * @param extensionsFolder absolute path of the folder that contains the extension
 */
export async function removeHooks(
  configDirs: readonly string[],
  extensionsFolder: string,
  deps: CheckpointHooksDeps,
): Promise<{ readonly removed: readonly string[]; readonly failed: readonly string[] }> {
  const [removed, failed]: [string[], string[]] = [[], []];
  for (const configDir of new Set(configDirs)) {
    const { applyHook } = createCheckpointHooks({ ...deps, configDir: () => configDir });
    for (const note of (await readNotes(configDir, deps.fs)).values()) {
      const { settingsPath, isEnabled, isFileOurs } = note;
      if (!isEnabled || note.extensionsFolder !== extensionsFolder || removed.includes(settingsPath)) continue;
      const found = await readTextFile(settingsPath, deps.fs);
      // The project is gone, or cannot be read.
      if (found.kind !== 'text') continue;
      const edited = withoutInstalledHook(found.text, isFileOurs);
      const problem =
        edited.kind === 'refused'
          ? edited.problem
          : await applyHook(
              { settingsPath, before: found.text, after: edited.text, problem: null, replaces: null },
              extensionsFolder,
            ).catch(String);
      if (problem === null) removed.push(settingsPath);
      else failed.push(`${settingsPath}: ${problem}`);
    }
  }
  return { removed, failed };
}
