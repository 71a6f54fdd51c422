import type { Check } from './check';
import { bom } from './checks/bom';
import { cycle, selfParent } from './checks/cycle';
import { danglingParent } from './checks/danglingParent';
import { duplicateUuid } from './checks/duplicateUuid';
import { gluedLines } from './checks/gluedLines';
import { nulBytes } from './checks/nulBytes';
import { progressFork } from './checks/progressFork';
import { tornLine } from './checks/tornLine';
import { unknownRows } from './checks/unknownRows';

/**
 * All checks, in the order in which they fix: lines before links, uuids before the links that name them, cycles before
 * missing parents.
 */
export const CHECKS: readonly Check[] = [
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
