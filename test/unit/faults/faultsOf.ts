import { diagnose } from '../../rooms/diagnose';
import type { LoadedTranscript } from '../../rooms/loader';
import type { Finding } from '../../../src/protocol/repair';
import { DIAGNOSTICS, loaded } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import { nameOf, type RowFields, transcript } from '../../support/transcriptBuilder';

/** The checks that tests of single findings cover. A check that is added has its own tests, and may report these rows. */
const CODES: ReadonlySet<string> = new Set([
  'bom',
  'nul-bytes',
  'glued-lines',
  'torn-line',
  'duplicate-uuid',
  'self-parent',
  'cycle',
  'progress-fork',
  'dangling-parent',
  'unknown-rows',
]);

export function load(bytes: Buffer): LoadedTranscript {
  return loaded(scanBytes(bytes));
}

/** The findings of every check. */
export function allFindingsOf(bytes: Buffer): Finding[] {
  return diagnose(load(bytes), DIAGNOSTICS.checks);
}

/** The findings of the covered checks. */
export function findingsOf(transcriptOrBytes: LoadedTranscript | Buffer): Finding[] {
  const of = Buffer.isBuffer(transcriptOrBytes) ? load(transcriptOrBytes) : transcriptOrBytes;
  const checks = DIAGNOSTICS.checks.filter(({ code }) => CODES.has(code));
  return diagnose(of, checks);
}

/** A finding without its sentence: `error auto dangling-parent: lines 3, rows p2`. */
export function sayFinding({ severity, action, code, lines, uuids }: Finding): string {
  const rows = uuids.length === 0 ? '' : `, rows ${uuids.map(nameOf).join(' ')}`;
  return `${severity} ${action} ${code}: lines ${lines.join(' ')}${rows}`;
}

/** The findings in rows or bytes, most severe first. */
export function faultsOf(rows: readonly RowFields[] | Buffer): string[] {
  return findingsOf(Buffer.isBuffer(rows) ? rows : transcript(rows)).map(sayFinding);
}
