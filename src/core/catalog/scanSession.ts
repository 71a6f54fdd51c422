import { basename } from 'node:path';
import type { ScannedSession, SessionScanResult } from '../../shared/session';
import { ChainView } from '../faults/chainView';
import type { Examination } from '../faults/examination';
import { findFaults } from '../faults/faultClasses';
import { simulateResume } from '../resume/simulateResume';
import { fileProblem, type FileProblem } from '../scan/fileProblem';
import { NO_ID } from '../scan/idTable';
import { RowFlag, RowKind } from '../scan/rowFlags';
import type { FileScanner, FileScanOptions, ScannedIdentity } from '../scan/scanFile';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { readMetadata } from './readMetadata';

/** An examined transcript, or why it could not be read. */
export type ExaminedSession =
  | { readonly kind: 'examined'; readonly examination: Examination; readonly identity: ScannedIdentity }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** bytes → facts → resume. Rejects only when aborted. */
export async function examineSession(
  filePath: string,
  scanFile: FileScanner,
  options: FileScanOptions = {},
): Promise<ExaminedSession> {
  try {
    const { facts, identity } = await scanFile(filePath, options);
    const resume = simulateResume(facts);
    return { kind: 'examined', examination: { facts, resume, view: new ChainView(facts, resume) }, identity };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { kind: 'problem', problem: fileProblem(error, filePath) };
  }
}

export async function scanSession(
  filePath: string,
  scanFile: FileScanner,
  options: FileScanOptions = {},
): Promise<ScannedSession> {
  const examined = await examineSession(filePath, scanFile, options);
  if (examined.kind === 'problem') return unreadSession(filePath, examined.problem);
  const { facts, resume } = examined.examination;
  const findings = findFaults(examined.examination);
  const result: SessionScanResult = {
    sessionId: basename(filePath, '.jsonl'),
    filePath,
    status: findings.some((finding) => finding.severity === 'error') ? 'corrupted' : 'healthy',
    chainDepth: resume.chainDepth,
    orphanCount: countOrphans(examined.examination),
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

/** Chain rows whose non-null parent is no chain row of the file. Rows that share a line with others are no rows here. */
function countOrphans({ facts, view }: Examination): number {
  let orphans = 0;
  for (let row = 0; row < facts.rows.count; row++) {
    if (!isRow(facts, row)) continue;
    const parent = view.rowOf(facts.rows.parent(row));
    if (view.isOrphan(row) || (parent !== NO_ID && !isRow(facts, parent))) orphans++;
  }
  return orphans;
}

function isRow(facts: TranscriptFacts, row: number): boolean {
  return facts.rows.kind(row) !== RowKind.other && !facts.rows.has(row, RowFlag.hidden);
}
