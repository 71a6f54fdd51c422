/** Codes of the failure catalogue that the engine diagnoses. */
export const FINDING_CODES = [
  'dangling-parent',
  'progress-fork',
  'cycle',
  'self-parent',
  'duplicate-uuid',
  'torn-line',
  'glued-lines',
  'nul-bytes',
  'bom',
  'unknown-rows',
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/**
 * `error`: history is lost on resume, or would be with a client version that people still run.
 * `warning`: it deserves attention. `info`: an oddity that costs nothing, explained.
 */
export type Severity = 'error' | 'warning' | 'info';

/** `auto`: a repair that cannot lose anything. `ask`: the person chooses. `tell`: explained only. */
export type FindingAction = 'auto' | 'ask' | 'tell';

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly action: FindingAction;
  /** 1-based lines of the transcript, ascending. */
  readonly lines: readonly number[];
  /** uuids of the rows the finding is about; rows without one are left out. */
  readonly uuids: readonly string[];
  /** One sentence for people. Holds ids and line numbers, never message text. */
  readonly message: string;
}
