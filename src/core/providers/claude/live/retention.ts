import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isJsonObject } from '../../../util/json';
import { readSmallFile } from '../../../util/openForeignFile';
import {
  localSettingsOf,
  managedFolderOf,
  managedPartsFolderOf,
  managedSettingsOf,
  projectSettingsOf,
  userSettingsOf,
} from '../format/settingsPaths';
import { RepositoryRoots } from './repositoryRoots';
import type { Exemption } from './sweepExemption';

/** For how long a client keeps transcripts. */
export interface RetentionPeriod {
  readonly days: number;
  /** Absolute path of the settings file that says so; null if it is the client's default. */
  readonly settingsPath: string | null;
}

/** When clients delete the transcripts of one config folder. (docs/format.md, "Retention") */
export interface Retention {
  /** What counts: the shortest period of all clients that are known. Null if none of them would delete anything. */
  readonly shortest: RetentionPeriod | null;
  /** The period of a client in a project without settings. Null if it would not delete anything. */
  readonly own: RetentionPeriod | null;
  /** Project folders whose settings shorten retention for the sessions of all projects, and to which period. */
  readonly shortening: ReadonlyMap<string, RetentionPeriod>;
  /** By the path of a settings file: why a client deletes nothing because of it, or ignores it, as a sentence. */
  readonly problems: ReadonlyMap<string, string>;
  /** After how many days exempt transcripts are deleted, too, if they are older than the period; null for never. */
  readonly exemptDays: number | null;
  /** Whether sessions of the desktop app are exempt. The settings of an administrator may end that. */
  readonly hasExemptions: boolean;
}

export interface RetentionDeps {
  readonly configDir: string;
  /** Working folders of the known sessions. Paths that are not absolute, as of another system, are ignored. */
  readonly projectFolders: Iterable<string>;
  /** Absolute path of the folder in which an administrator manages Claude Code; by default, that of this system. */
  readonly managedFolder?: string;
  /** Absolute path; by default, that of this person. */
  readonly homeFolder?: string;
}

/** The client's default. */
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** The last time that a `Date` can hold, in milliseconds since the epoch. */
const LAST_TIME_MS = 8_640_000_000_000_000;
/** The client does not read larger settings. */
const MAX_SETTINGS_BYTES = 2 * 1024 * 1024;

/**
 * Reads all settings that say when transcripts are deleted: those of the administrator, of the person, and of each
 * project, because a client deletes the transcripts of all projects by the settings of the one in which it was started.
 * Blocks the thread for one read of each file. Never throws.
 */
export function readRetention(deps: RetentionDeps): Retention {
  const { configDir, homeFolder = homedir() } = deps;
  const files = new SettingsFiles();
  const managed = readManaged(deps.managedFolder ?? managedFolderOf(process.platform), files);
  const user = files.read(userSettingsOf(configDir), false);
  const own = periodOf(managed, [user]);
  const roots = new RepositoryRoots(homeFolder);
  const shortening = new Map<string, RetentionPeriod>();
  let shortest = own;
  for (const folder of new Set(deps.projectFolders)) {
    if (!isAbsolute(folder) || folder.includes('\0')) continue;
    const root = roots.of(folder);
    const local = root === folder ? [folder] : [root, folder];
    const paths = [...local.map(localSettingsOf), projectSettingsOf(folder)];
    const period = periodOf(managed, [...paths.map((path) => files.read(path, false)), user]);
    if (period === null || own === null || period.days >= own.days) continue;
    shortening.set(folder, period);
    if (shortest === null || period.days < shortest.days) shortest = period;
  }
  const ceilingDays = managed.map(({ ceilingDays: days }) => days).find((days) => days !== null) ?? user.ceilingDays;
  return {
    shortest,
    own,
    shortening,
    problems: files.problems,
    exemptDays: ceilingDays === 0 ? null : ceilingDays,
    hasExemptions: !managed.some(({ hasPeriod, isRefused }) => hasPeriod || isRefused),
  };
}

/**
 * From when on a client deletes a transcript, in milliseconds since the epoch; null for never. It may be in the past: a
 * client deletes only when it starts, at most once a day, and only if it runs for more than five seconds.
 *
 * @param transcript `mtimeMs`: when the file was last written, in milliseconds since the epoch
 */
export function sweptAtMs(
  { shortest, exemptDays, hasExemptions }: Retention,
  transcript: Exemption & { readonly mtimeMs: number },
): number | null {
  if (shortest === null) return null;
  const { mtimeMs, isExempt, releasedMs } = transcript;
  const after = (startMs: number, days: number): number => startMs + days * DAY_MS;
  const byPeriod = after(mtimeMs, shortest.days);
  if (!hasExemptions) return timeOrNever(byPeriod);
  const atLatest = exemptDays === null ? Infinity : Math.max(byPeriod, after(mtimeMs, exemptDays));
  if (releasedMs !== null) return timeOrNever(Math.min(atLatest, Math.max(byPeriod, after(releasedMs, shortest.days))));
  return timeOrNever(isExempt ? atLatest : byPeriod);
}

/** The client, too, deletes nothing if the period is longer than a `Date` can hold. */
function timeOrNever(timeMs: number): number | null {
  return timeMs <= LAST_TIME_MS ? timeMs : null;
}

/** What one settings file says. A missing one says nothing. */
interface Settings {
  readonly path: string;
  /** Its content cannot be known: a client deletes nothing. */
  readonly isUnreadable: boolean;
  /** One of the two settings is invalid: the client ignores it in an administrator's file, or else the whole file. */
  readonly isRefused: boolean;
  /** Whether the file contains the setting, also if it is invalid. */
  readonly hasPeriod: boolean;
  readonly hasCeiling: boolean;
  /** Null if the file does not say, or is invalid. */
  readonly periodDays: number | null;
  readonly ceilingDays: number | null;
}

const PERIOD = 'cleanupPeriodDays';
const CEILING = 'desktopSessionCleanupPeriodDays';

/** `others`: the file that wins first, that of the person last. */
function periodOf(managed: readonly Settings[], others: readonly Settings[]): RetentionPeriod | null {
  if (managed.some(({ isUnreadable }) => isUnreadable)) return null;
  const ofManaged = firstPeriod(managed);
  if (ofManaged !== null) return ofManaged;
  if (others.some(({ isUnreadable }) => isUnreadable)) return null;
  const isSet = others.some(({ hasPeriod }) => hasPeriod) || others.at(-1)?.hasCeiling === true;
  if (isSet && others.some(({ isRefused }) => isRefused)) return null;
  return firstPeriod(others) ?? { days: DEFAULT_DAYS, settingsPath: null };
}

function firstPeriod(files: readonly Settings[]): RetentionPeriod | null {
  for (const { periodDays, path } of files) if (periodDays !== null) return { days: periodDays, settingsPath: path };
  return null;
}

/** The administrator's files, the one that wins first. */
function readManaged(folder: string, files: SettingsFiles): readonly Settings[] {
  const parts = managedPartsFolderOf(folder);
  const names = namesIn(parts).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  const paths = [managedSettingsOf(folder), ...names.sort().map((name) => join(parts, name))];
  return paths.reverse().map((path) => files.read(path, true));
}

/** Reads each settings file once. */
class SettingsFiles {
  readonly problems = new Map<string, string>();
  readonly #read = new Map<string, Settings>();

  read(path: string, isManaged: boolean): Settings {
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    const settings = this.#parse(path, isManaged);
    this.#read.set(path, settings);
    return settings;
  }

  #parse(path: string, isManaged: boolean): Settings {
    const value = contentOf(path);
    if (!isJsonObject(value)) {
      this.problems.set(
        path,
        'The file cannot be read as one JSON object, so clients that use it delete no transcripts.',
      );
      return { ...NOTHING, path, isUnreadable: true };
    }
    const periodDays = daysOf(value[PERIOD], 1);
    const ceilingDays = daysOf(value[CEILING], 0);
    const [hasPeriod, hasCeiling] = [PERIOD in value, CEILING in value];
    const isPeriodInvalid = hasPeriod && periodDays === null;
    const isRefused = isPeriodInvalid || (hasCeiling && ceilingDays === null);
    if (isRefused) {
      const what = isPeriodInvalid
        ? `${PERIOD} must be a whole number from 1`
        : `${CEILING} must be a whole number from 0`;
      const effect = isPeriodInvalid ? 'that use the file delete no transcripts' : 'ignore the whole file';
      this.problems.set(path, `${what}, so clients ${isManaged ? 'ignore it' : effect}.`);
    }
    const isIgnored = isRefused && !isManaged;
    return {
      path,
      isUnreadable: false,
      isRefused,
      hasPeriod,
      hasCeiling,
      periodDays: isIgnored ? null : periodDays,
      ceilingDays: isIgnored ? null : ceilingDays,
    };
  }
}

const NOTHING = {
  isRefused: false,
  hasPeriod: false,
  hasCeiling: false,
  periodDays: null,
  ceilingDays: null,
} as const;

/** Null if the setting is absent or invalid. */
function daysOf(value: unknown, min: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min ? value : null;
}

/** The JSON value in a settings file; an empty object if it is missing or empty, and null if it cannot be read. */
function contentOf(path: string): unknown {
  try {
    const text = readSmallFile(path, MAX_SETTINGS_BYTES)
      .bytes.toString('utf8')
      .replace(/^\uFEFF/, '');
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? {} : null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
