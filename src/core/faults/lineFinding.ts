import type { Finding, FindingAction, FindingCode, Severity } from '../../shared/finding';
import type { LineFault, LineFaultKind, TranscriptFacts } from '../scan/transcriptFacts';

export function faultsOfKind(facts: TranscriptFacts, kind: LineFaultKind): LineFault[] {
  return facts.lineFaults.filter((fault) => fault.kind === kind);
}

export interface LineFindingParts {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly action: FindingAction;
  readonly faults: readonly LineFault[];
  readonly message: string;
}

/** The finding as a list, empty when no line has the fault. */
export function lineFinding(parts: LineFindingParts): Finding[] {
  if (parts.faults.length === 0) return [];
  return [
    {
      code: parts.code,
      severity: parts.severity,
      action: parts.action,
      lines: parts.faults.map((fault) => fault.line),
      uuids: [],
      message: parts.message,
    },
  ];
}
