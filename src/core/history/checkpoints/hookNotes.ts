import { join } from 'node:path';
import { appendToLog } from '../../storage/store/appendRow';
import type { WriteFs } from '../../storage/writeFs';
import type { JsonObject } from '../../util/json';
import { readRows } from './readRows';
import { storeLayout } from './storeLayout';

export interface HookNotesDeps {
  readonly fs: WriteFs;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: () => string;
  /** Absolute path of the person's home folder. */
  readonly home: string;
}

/** What is known of a project's settings file. */
export interface HookNote {
  /** Absolute path of the settings file. */
  readonly settingsPath: string;
  /** Rethread's hook is in it. */
  readonly isEnabled: boolean;
  /** Rethread created the file. */
  readonly isFileOurs: boolean;
  /** Rethread created its folder. */
  readonly isFolderOurs: boolean;
  /** Absolute path of the folder that contains the extension whose hook it is; null for notes of older versions. */
  readonly extensionsFolder: string | null;
}

/** The last note about a settings file. */
export async function noteAbout(
  settingsPath: string,
  deps: Pick<HookNotesDeps, 'fs' | 'configDir'>,
): Promise<HookNote> {
  const notes = await readNotes(deps.configDir(), deps.fs);
  return notes.get(settingsPath) ?? noteOf({ settingsPath });
}

/** The last note about each settings file, keyed by its path; none if the log is missing or cannot be read. */
export async function readNotes(configDir: string, fs: WriteFs): Promise<ReadonlyMap<string, HookNote>> {
  const { rows } = await readRows(storeLayout(configDir).settings, fs).catch(() => ({ rows: [] }));
  return new Map(rows.map(noteOf).map((note) => [note.settingsPath, note]));
}

/**
 * Appends a note. Also to the log in the default config folder, if the person has one: the program that runs when the
 * extension is uninstalled does not know the settings that name another folder. Never rejects: without a note, removing
 * the hook leaves an empty settings file, which does no harm.
 */
export async function appendNote(note: HookNote, { fs, now, random, configDir, home }: HookNotesDeps): Promise<void> {
  const folders = [configDir()];
  const byDefault = join(home, '.claude');
  const isThere = await fs.lstat(byDefault).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
  if (isThere && !folders.includes(byDefault)) folders.push(byDefault);
  for (const folder of folders) {
    const row: JsonObject = { timeMs: now(), ...note };
    await appendToLog(storeLayout(folder).settings, 'settings', row, { fs, random }).catch(() => undefined);
  }
}

function noteOf(row: JsonObject): HookNote {
  const { settingsPath, extensionsFolder } = row;
  return {
    settingsPath: typeof settingsPath === 'string' ? settingsPath : '',
    isEnabled: row['isEnabled'] === true,
    isFileOurs: row['isFileOurs'] === true,
    isFolderOurs: row['isFolderOurs'] === true,
    extensionsFolder: typeof extensionsFolder === 'string' ? extensionsFolder : null,
  };
}
