import { ChainView } from '../../../src/core/faults/chainView';
import type { Examination } from '../../../src/core/faults/examination';
import { findFaults } from '../../../src/core/faults/faultClasses';
import { simulateResume } from '../../../src/core/resume/simulateResume';
import type { Finding } from '../../../src/protocol/repair';
import { scanBytes } from '../../support/scanBytes';
import { nameOf, type RowFields, transcript } from '../../support/transcriptBuilder';

export function examine(bytes: Buffer): Examination {
  const facts = scanBytes(bytes);
  const resume = simulateResume(facts);
  return { facts, resume, view: new ChainView(facts, resume) };
}

/** A finding without its sentence: `error auto dangling-parent: lines 3, rows p2`. */
export function sayFinding({ severity, action, code, lines, uuids }: Finding): string {
  const rows = uuids.length === 0 ? '' : `, rows ${uuids.map(nameOf).join(' ')}`;
  return `${severity} ${action} ${code}: lines ${lines.join(' ')}${rows}`;
}

/** What is found in rows or bytes, the worst first. */
export function faultsOf(rows: readonly RowFields[] | Buffer): string[] {
  return findFaults(examine(Buffer.isBuffer(rows) ? rows : transcript(rows))).map(sayFinding);
}
