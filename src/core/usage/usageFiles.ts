import { basename } from 'node:path';
import { encodeProjectPath } from '../providers/claude/format/paths';
import type { FileStamp } from '../util/diskFiles';

/** A transcript whose messages are counted, and where it belongs. */
export interface UsageFile {
  readonly filePath: string;
  /** Absolute path of the folder under `projects/`. */
  readonly project: string;
  /** The session that it is of, or that started the subagent. */
  readonly sessionId: string;
  /** The transcript of a subagent. */
  readonly isAgent: boolean;
  /**
   * Milliseconds since the epoch: of copies of a message, the one in the transcript that was there first counts. A repair
   * and a copy make a file anew and keep the time of its last change, which is the earlier one then.
   */
  readonly firstMs: number;
}

/** What a reading found beside the messages. */
export interface UsageFileNotes {
  readonly cwd: string | null;
  readonly title: string | null;
  /** Milliseconds since the epoch; null when no message has a time. */
  readonly lastMessageMs: number | null;
}

/** Which bytes were read. */
export type UsageStamp = Pick<FileStamp, 'size' | 'mtimeNs' | 'ctimeNs' | 'inode'>;

/** A working directory that rows told: the time of the message that did, and whether a subagent wrote it. */
export type StatedCwd = readonly [cwd: string, ms: number, isAgent: boolean];

interface Known {
  readonly told: StatedCwd;
  readonly rank: number;
}

/**
 * The working directory of each project by the rows: sessions resumed elsewhere carry other directories, so the one that
 * the folder is named after wins, then that of a session before that of a subagent; of equals the latest.
 */
export class ProjectCwds {
  readonly #known = new Map<string, Known>();

  note(project: string, ...told: StatedCwd): void {
    const [cwd, ms, isAgent] = told;
    const known = this.#known.get(project);
    const [knownCwd, knownMs = -Infinity, isKnownAgent] = known?.told ?? [];
    const isSame = knownCwd === cwd && isKnownAgent === isAgent;
    if (isSame && knownMs >= ms) return;
    const rank = isSame && known !== undefined ? known.rank : rankOf(project, cwd, isAgent);
    const isBetter = known === undefined || (known.rank === rank ? ms >= knownMs : rank > known.rank);
    if (isBetter) this.#known.set(project, { told, rank });
  }

  /** What a transcript says of its project. */
  noteFile({ project, isAgent }: UsageFile, { cwd, lastMessageMs }: UsageFileNotes): void {
    if (cwd !== null) this.note(project, cwd, lastMessageMs ?? 0, isAgent);
  }

  /** What `note` was told of it. */
  known(project: string): StatedCwd | null {
    return this.#known.get(project)?.told ?? null;
  }

  of(project: string): string | null {
    return this.#known.get(project)?.told[0] ?? null;
  }
}

function rankOf(project: string, cwd: string, isAgent: boolean): number {
  return (encodeProjectPath(cwd) === basename(project) ? 2 : 0) + (isAgent ? 0 : 1);
}
