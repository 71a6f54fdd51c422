import { basename } from 'node:path';
import { encodeProjectPath } from '../claude/projectPath';
import type { UsageFile, UsageFileNotes } from './usageFile';

interface Known {
  readonly cwd: string;
  readonly ms: number;
  readonly isNamesake: boolean;
}

/**
 * The working directory of each project by the rows: sessions resumed elsewhere carry other directories, so the one that
 * the folder is named after wins; else the latest.
 */
export class ProjectCwds {
  readonly #known = new Map<string, Known>();

  /** `ms` is the time of the message that tells it. */
  note(project: string, cwd: string, ms: number): void {
    const known = this.#known.get(project);
    if (known?.cwd === cwd && known.ms >= ms) return;
    const isNamesake = known?.cwd === cwd ? known.isNamesake : encodeProjectPath(cwd) === basename(project);
    const isBetter = known === undefined || (known.isNamesake === isNamesake ? ms >= known.ms : isNamesake);
    if (isBetter) this.#known.set(project, { cwd, ms, isNamesake });
  }

  /** What a transcript says of its project. */
  noteFile({ project, isAgent }: UsageFile, { cwd, lastMessageMs }: UsageFileNotes): void {
    if (cwd !== null && !isAgent) this.note(project, cwd, lastMessageMs ?? 0);
  }

  /** What `note` was told of it. */
  known(project: string): readonly [cwd: string, ms: number] | null {
    const known = this.#known.get(project);
    return known === undefined ? null : [known.cwd, known.ms];
  }

  of(project: string): string | null {
    return this.#known.get(project)?.cwd ?? null;
  }
}
