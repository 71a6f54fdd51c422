import type { Finding, FindingAction, FindingCode, Severity } from '../../protocol/repair';
import type { LineFacts, ListedRows } from '../transcript/plainTranscript';
import { MAX_LISTED_LINES, type TranscriptFacts } from '../transcript/transcriptIndex';
import type { Examination } from './examination';
import type { RepairDraft } from './repairDraft';

/** One failure class: how it is found and said, and how it is mended. */
export interface FaultClass {
  readonly code: FindingCode;
  find(examination: Examination): Finding[];
  /** Writes its edits into the draft. Left out where nothing can or need be mended. */
  mend?(draft: RepairDraft): void;
}

/** A failure class of which the lines tell all. */
export interface LineFaultClass extends FaultClass {
  find(examination: { readonly facts: LineFacts }): Finding[];
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
  const { code, severity, action, rows, message } = parts;
  const { lines, uuids } = listRows(facts, rows);
  return { code, severity, action, lines, uuids, message };
}

export function listRows(facts: TranscriptFacts, rows: readonly number[]): ListedRows {
  const listed = [...rows].sort((a, b) => a - b).slice(0, MAX_LISTED_LINES);
  return {
    total: rows.length,
    lines: listed.map((row) => facts.rows.line(row)),
    uuids: listed.map((row) => facts.ids.text(facts.rows.uuid(row))).filter((uuid) => uuid !== null),
  };
}

/** "1 row", "3 rows". */
export function count(amount: number, noun: string): string {
  // To format a number takes V8 tens of microseconds, and this is said of every session.
  const figure = amount < 1000 ? String(amount) : amount.toLocaleString('en');
  return `${figure} ${noun}${amount === 1 ? '' : 's'}`;
}
