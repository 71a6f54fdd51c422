import { basename } from 'node:path';
import { encodeProjectPath } from '../claude/projectPath';

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

  of(project: string): string | null {
    return this.#known.get(project)?.cwd ?? null;
  }
}
