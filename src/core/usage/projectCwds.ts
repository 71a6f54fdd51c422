import { basename } from 'node:path';
import { encodeProjectPath } from '../claude/projectPath';
import type { UsageFile, UsageFileNotes } from './usageFile';

/** A working directory that rows told: the time of the message that did, and whether a subagent wrote it. */
export type ToldCwd = readonly [cwd: string, ms: number, isAgent: boolean];

interface Known {
  readonly told: ToldCwd;
  readonly rank: number;
}

/**
 * The working directory of each project by the rows: sessions resumed elsewhere carry other directories, so the one that
 * the folder is named after wins, then that of a session before that of a subagent; of equals the latest.
 */
export class ProjectCwds {
  readonly #known = new Map<string, Known>();

  note(project: string, ...told: ToldCwd): void {
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
  known(project: string): ToldCwd | null {
    return this.#known.get(project)?.told ?? null;
  }

  of(project: string): string | null {
    return this.#known.get(project)?.told[0] ?? null;
  }
}

function rankOf(project: string, cwd: string, isAgent: boolean): number {
  return (encodeProjectPath(cwd) === basename(project) ? 2 : 0) + (isAgent ? 0 : 1);
}
