import type { Finding } from '../../protocol/repair';
import type { PlainTranscript } from '../transcript/plainTranscript';
import { bom } from './bom';
import { cycle, selfParent } from './cycle';
import { danglingFindings, danglingParent } from './danglingParent';
import { copyFindings, duplicateUuid } from './duplicateUuid';
import type { Examination } from './examination';
import type { FaultClass } from './faultClass';
import { gluedLines } from './gluedLines';
import { nulBytes } from './nulBytes';
import { progressFork } from './progressFork';
import type { RepairDraft } from './repairDraft';
import { tornLine } from './tornLine';
import { unknownRows } from './unknownRows';

/**
 * Every failure class, in the order in which they are mended: lines before links, uuids before the links that name them,
 * rings before lost parents.
 */
const FAULT_CLASSES: readonly FaultClass[] = [
  bom,
  nulBytes,
  gluedLines,
  tornLine,
  duplicateUuid,
  selfParent,
  cycle,
  progressFork,
  danglingParent,
  unknownRows,
];

const SEVERITY_ORDER = { error: 0, warning: 1, info: 2 } as const;

/** All findings, the worst first. */
export function findFaults(examination: Examination): Finding[] {
  return worstFirst(FAULT_CLASSES.flatMap((fault) => fault.find(examination)));
}

/** All findings of a plain transcript: of those about rows it can have but two. */
export function findPlainFaults(facts: PlainTranscript): Finding[] {
  const { copies, orphans, lineFaults, unknownTypes } = facts;
  const rows = copies.total + orphans.harmful.total + orphans.harmless.total;
  // Most sessions: thousands are told a second.
  if (lineFaults.isEmpty && unknownTypes.size === 0 && rows === 0) return [];
  const lines = [bom, nulBytes, gluedLines, tornLine].flatMap((fault) => fault.find({ facts }));
  return worstFirst([...lines, ...copyFindings(copies), ...danglingFindings(orphans), ...unknownRows.find({ facts })]);
}

function worstFirst(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity]);
}

export function mendFaults(draft: RepairDraft): void {
  for (const fault of FAULT_CLASSES) fault.mend?.(draft);
}
