import type { Finding, FindingAction, FindingCode, Severity } from '../../protocol/repair';
import type { LineFacts } from '../transcript/plainTranscript';
import { type LineFault, type LineFaultKind, MAX_LISTED_LINES } from '../transcript/transcriptIndex';

/** Faulty lines that one finding is about: how many there are, and the first of them. */
export interface FaultyLines {
  readonly total: number;
  /** At most `MAX_LISTED_LINES`. */
  readonly lines: readonly number[];
}

/** The faults of a kind that match, or all of them. */
export function faultyLines(
  facts: LineFacts,
  kind: LineFaultKind,
  matches: (fault: LineFault) => boolean = () => true,
): FaultyLines {
  const lines: number[] = [];
  let total = 0;
  for (const fault of facts.lineFaults.ofKind(kind)) {
    if (!matches(fault)) continue;
    total++;
    if (lines.length < MAX_LISTED_LINES) lines.push(fault.line);
  }
  return { total, lines };
}

export interface LineFindingParts {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly action: FindingAction;
  readonly faults: FaultyLines;
  readonly message: string;
}

/** The finding as a list, empty when no line has the fault. */
export function lineFinding({ code, severity, action, faults, message }: LineFindingParts): Finding[] {
  return faults.total === 0 ? [] : [{ code, severity, action, lines: faults.lines, uuids: [], message }];
}
