import type { Finding, FindingAction, FindingCode, Severity } from '../../shared/finding';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { MAX_LISTED_LINES } from '../scan/transcriptFacts';
import type { Examination } from './examination';
import type { RepairDraft } from './repairDraft';

/** One failure class: how it is found and said, and how it is mended. */
export interface FaultClass {
  readonly code: FindingCode;
  find(examination: Examination): Finding[];
  /** Writes its edits into the draft. Left out where nothing can or need be mended. */
  mend?(draft: RepairDraft): void;
}

export interface FindingParts {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly action: FindingAction;
  readonly rows: readonly number[];
  readonly message: string;
}

/** A finding about stored rows. Lists at most `MAX_LISTED_LINES` lines and uuids. */
export function rowFinding(facts: TranscriptFacts, parts: FindingParts): Finding {
  const rows = [...parts.rows].sort((a, b) => a - b).slice(0, MAX_LISTED_LINES);
  return {
    code: parts.code,
    severity: parts.severity,
    action: parts.action,
    lines: rows.map((row) => facts.rows.line(row)),
    uuids: rows.map((row) => facts.ids.text(facts.rows.uuid(row))).filter((uuid) => uuid !== null),
    message: parts.message,
  };
}

/** "1 row", "3 rows". */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en')} ${noun}${amount === 1 ? '' : 's'}`;
}
