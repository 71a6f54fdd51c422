import { basename } from 'node:path';
import type { ScannedSession, SessionScanResult } from '../../shared/session';
import { ChainView } from '../faults/chainView';
import type { Examination } from '../faults/examination';
import { findFaults } from '../faults/faultClasses';
import { simulateResume } from '../resume/simulateResume';
import { fileProblem, type FileProblem } from '../scan/fileProblem';
import { NO_ID } from '../scan/idTable';
import { ParentForm, RowFlag, RowKind } from '../scan/rowFlags';
import { scanFile, type ScanFileOptions, type ScannedIdentity } from '../scan/scanFile';
import type { ScannerFactory } from '../scan/scanner';
import { RowIndex } from '../scan/rowIndex';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { readMetadata } from './readMetadata';

/** An examined transcript, or why it could not be read. */
export type ExaminedSession =
  | { readonly kind: 'examined'; readonly examination: Examination; readonly identity: ScannedIdentity }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** bytes → facts → resume. Rejects only when aborted. */
export async function examineSession(
  filePath: string,
  createScanner: ScannerFactory,
  options: ScanFileOptions = {},
): Promise<ExaminedSession> {
  try {
    const { facts, identity } = await scanFile(filePath, createScanner, options);
    const resume = simulateResume(facts);
    return { kind: 'examined', examination: { facts, resume, view: new ChainView(facts, resume) }, identity };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { kind: 'problem', problem: fileProblem(error, filePath) };
  }
}

export async function scanSession(
  filePath: string,
  createScanner: ScannerFactory,
  options: ScanFileOptions = {},
): Promise<ScannedSession> {
  const examined = await examineSession(filePath, createScanner, options);
  if (examined.kind === 'problem') return unreadSession(filePath, examined.problem);
  const { facts, resume } = examined.examination;
  const findings = findFaults(examined.examination);
  const result: SessionScanResult = {
    sessionId: basename(filePath, '.jsonl'),
    filePath,
    status: findings.some((finding) => finding.severity === 'error') ? 'corrupted' : 'healthy',
    chainDepth: resume.chainDepth,
    orphanCount: countOrphans(facts),
    fileSize: facts.fileSize,
    messageCount: countMessages(facts),
    resume: resume.summary,
    findings,
  };
  return { result, metadata: readMetadata(facts), problem: null };
}

function unreadSession(filePath: string, problem: FileProblem): ScannedSession {
  const result: SessionScanResult = {
    sessionId: basename(filePath, '.jsonl'),
    filePath,
    status: problem.kind === 'missing' ? 'missing' : 'unreadable',
    chainDepth: 0,
    orphanCount: 0,
    fileSize: 0,
    messageCount: 0,
    resume: { loads: 0, of: 0, leafUuid: null, missingLines: [] },
    findings: [],
  };
  const metadata = { title: null, cwd: null, model: null, gitBranch: null, clientVersion: null, lastMessageMs: null };
  return { result, metadata, problem: problem.message };
}

function countMessages(facts: TranscriptFacts): number {
  let messages = 0;
  for (let row = 0; row < facts.rows.count; row++) {
    const kind = facts.rows.kind(row);
    if (isRow(facts, row) && (kind === RowKind.user || kind === RowKind.assistant)) messages++;
  }
  return messages;
}

/** Chain rows whose non-null parent is no chain row of the file. */
function countOrphans(facts: TranscriptFacts): number {
  const { rows } = facts;
  const known = new RowIndex(facts);
  for (let row = 0; row < rows.count; row++) if (isRow(facts, row)) known.set(rows.uuid(row), row);
  let orphans = 0;
  for (let row = 0; row < rows.count; row++) {
    const form = rows.parentForm(row);
    const isLost = form === ParentForm.other || (form === ParentForm.text && known.get(rows.parent(row)) === NO_ID);
    if (isRow(facts, row) && isLost) orphans++;
  }
  return orphans;
}

function isRow(facts: TranscriptFacts, row: number): boolean {
  return facts.rows.kind(row) !== RowKind.other && !facts.rows.has(row, RowFlag.hidden);
}
