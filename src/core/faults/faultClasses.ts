import type { Finding } from '../../shared/finding';
import { bom } from './bom';
import { cycle, selfParent } from './cycle';
import { danglingParent } from './danglingParent';
import { duplicateUuid } from './duplicateUuid';
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
  return FAULT_CLASSES.flatMap((fault) => fault.find(examination)).sort(
    (a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity],
  );
}

export function mendFaults(draft: RepairDraft): void {
  for (const fault of FAULT_CLASSES) fault.mend?.(draft);
}
