import type { SessionRepairResult } from '../protocol/repair';
import type { ScanTotals } from '../protocol/session';

/** The exit codes are part of the contract with scripts. */
export const EXIT_CODE = {
  /** Done and nothing wrong. */
  ok: 0,
  /** Done; something is corrupted or was refused. */
  found: 1,
  /** The command line was wrong, or something named or found could not be read. */
  unusable: 2,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT_CODE)[keyof typeof EXIT_CODE];

/** What could not be read outweighs what was found: the answer is incomplete. */
export function scanExitCode(totals: ScanTotals): ExitCode {
  if (totals.missing > 0 || totals.unreadable > 0) return EXIT_CODE.unusable;
  return totals.corrupted > 0 ? EXIT_CODE.found : EXIT_CODE.ok;
}

const INPUT_PROBLEMS: ReadonlySet<string | undefined> = new Set(['missing', 'unreadable', 'not-a-file']);

/** The failure lies in what was handed in, not in the state of a session. */
export function isInputProblem(result: SessionRepairResult): boolean {
  return result.status === 'failed' && INPUT_PROBLEMS.has(result.reason);
}

/** Adds up the exit code of a repair, result by result. */
export class RepairVerdict {
  #refused = 0;
  #unreadable = 0;
  #pending = 0;

  /** @param isDryRun a plan that would change something leaves the session corrupted. */
  constructor(private readonly isDryRun: boolean) {}

  add(result: SessionRepairResult): void {
    if (isInputProblem(result)) this.#unreadable += 1;
    else if (result.status === 'failed') this.#refused += 1;
    else if (this.isDryRun && result.edits.length > 0) this.#pending += 1;
  }

  exitCode(): ExitCode {
    if (this.#refused + this.#pending > 0) return EXIT_CODE.found;
    return this.#unreadable > 0 ? EXIT_CODE.unusable : EXIT_CODE.ok;
  }
}
