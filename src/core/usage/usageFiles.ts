import { basename, join } from 'node:path';
import { encodeProjectPath } from '../providers/claude/format/paths';
import { keyHash } from '../transcript/idTable';
import type { FileStamp } from '../util/diskFiles';

/** A transcript whose messages are counted, and where it belongs. */
export interface UsageFile {
  readonly filePath: string;
  /** Absolute path of the folder under `projects/`. */
  readonly project: string;
  /** The session of the transcript, or the session that started the subagent. */
  readonly sessionId: string;
  /** Whether it is the transcript of a subagent. */
  readonly isAgent: boolean;
  /**
   * Milliseconds since the epoch: the earlier of the file's birth time and its mtime. Of several copies of a message,
   * the one in the transcript with the earliest time counts. Repairing or copying a transcript creates another file but
   * keeps the mtime, which is then the earlier one.
   */
  readonly firstMs: number;
}

/** What a reading found in addition to the messages. */
export interface UsageFileNotes {
  readonly cwd: string | null;
  readonly title: string | null;
  /** Milliseconds since the epoch; null if no message has a time. */
  readonly lastMessageMs: number | null;
}

/** Identifies the bytes that were read. */
export type UsageStamp = Pick<FileStamp, 'size' | 'mtimeNs' | 'ctimeNs' | 'inode'>;

export function isSameUsageStamp(a: UsageStamp, b: UsageStamp): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}

/** A working directory from a row, the time of the row's message, and whether a subagent wrote it. */
export type StatedCwd = readonly [cwd: string, ms: number, isAgent: boolean];

interface Known {
  readonly stated: StatedCwd;
  readonly rank: number;
}

/**
 * The working directory of each project, according to the rows. The rows of sessions that were resumed elsewhere
 * contain other directories. Therefore the directory after which the project folder is named is preferred, then a
 * directory from a session over one from a subagent, and then the latest.
 */
export class ProjectCwds {
  readonly #known = new Map<string, Known>();

  note(project: string, ...stated: StatedCwd): void {
    const [cwd, ms, isAgent] = stated;
    const known = this.#known.get(project);
    const [knownCwd, knownMs = -Infinity, isKnownAgent] = known?.stated ?? [];
    const isSame = knownCwd === cwd && isKnownAgent === isAgent;
    if (isSame && knownMs >= ms) return;
    const rank = isSame && known !== undefined ? known.rank : rankOf(project, cwd, isAgent);
    const isBetter = known === undefined || (known.rank === rank ? ms >= knownMs : rank > known.rank);
    if (isBetter) this.#known.set(project, { stated, rank });
  }

  /** Notes the working directory in a transcript, if there is one. */
  noteFile({ project, isAgent }: UsageFile, { cwd, lastMessageMs }: UsageFileNotes): void {
    if (cwd !== null) this.note(project, cwd, lastMessageMs ?? 0, isAgent);
  }

  /** The preferred arguments of `note` for the project; null if there were none. */
  known(project: string): StatedCwd | null {
    return this.#known.get(project)?.stated ?? null;
  }

  of(project: string): string | null {
    return this.#known.get(project)?.stated[0] ?? null;
  }
}

function rankOf(project: string, cwd: string, isAgent: boolean): number {
  return (encodeProjectPath(cwd) === basename(project) ? 2 : 0) + (isAgent ? 0 : 1);
}

/** The file in the extension's folder that keeps counts of one kind for a config folder. */
export function countsFileIn(folder: string, kind: 'usage' | 'tools', configDir: string): string {
  const { low, high } = keyHash(configDir);
  const name = [low, high].map((half) => half.toString(16).padStart(8, '0')).join('');
  return join(folder, `${kind}-${name}.cache`);
}
