import { createHash } from 'node:crypto';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { encodeProjectPath } from '../claude/projectPath';
import type { FileBackup } from '../claude/checkpointRow';
import type { Snapshot } from './foldHistory';

/** Finds the files that the rows of a file history name. */
export class TrackedFolder {
  readonly #names: ReadonlyMap<string, readonly string[]>;

  /**
   * @param cwds working directories that the transcript's rows name, oldest first: a session may be resumed elsewhere,
   * and a command may leave the folder that the client was started in.
   */
  constructor(
    /** Where relative paths lead, unless a backup's name tells another folder; null when no row names one. */
    readonly cwd: string | null,
    private readonly cwds: readonly string[],
    snapshots: readonly Snapshot[],
  ) {
    this.#names = backupNames(snapshots);
  }

  /** Absolute and normalised; null when nothing tells where a relative path starts. */
  locate(trackingPath: string, backup: FileBackup): string | null {
    if (isAbsolute(trackingPath)) return resolve(trackingPath);
    if (this.cwd === null) return null;
    const own = backup.name === null ? [] : [backup.name];
    for (const name of [...own, ...(this.#names.get(trackingPath) ?? [])]) {
      const cwd = this.cwds.find((each) => isNameOf(name, resolve(each, trackingPath)));
      if (cwd !== undefined) return resolve(cwd, trackingPath);
    }
    const { realParentDir } = backup;
    const told = this.cwds.find((each) => dirname(resolve(each, trackingPath)) === realParentDir);
    if (told !== undefined) return resolve(told, trackingPath);
    return resolve(this.cwd, trackingPath);
  }
}

/** The folder that the client was started in: the one that the project folder is named after, else the first. */
export function startFolder(filePath: string, cwds: readonly string[]): string | null {
  const folder = basename(dirname(filePath));
  return cwds.find((cwd) => encodeProjectPath(cwd) === folder) ?? cwds[0] ?? null;
}

/** A backup is named after the absolute path of its file, so its name proves where a relative path starts. */
function isNameOf(name: string, path: string): boolean {
  const [digits = ''] = name.split('@', 1);
  return digits !== '' && createHash('sha256').update(path).digest('hex').startsWith(digits);
}

function backupNames(snapshots: readonly Snapshot[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { backups } of snapshots) {
    for (const [path, { name }] of backups) {
      if (name === null) continue;
      const known = names.get(path) ?? [];
      if (known.length === 0) names.set(path, known);
      if (!known.some((each) => each.split('@', 1)[0] === name.split('@', 1)[0])) known.push(name);
    }
  }
  return names;
}
