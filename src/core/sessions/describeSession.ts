import { basename } from 'node:path';
import type { Finding } from '../../protocol/repair';
import type { ScannedSession, SessionMetadata, SessionScanResult, SessionStatus } from '../../protocol/session';
import type { Check } from '../diagnose/check';
import { diagnose } from '../diagnose/verdict';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowTable';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import type { FileProblem } from '../util/openForeignFile';
import { readMetadata } from './readMetadata';

/** What is said of a transcript that was loaded. */
export function describeSession(filePath: string, loaded: LoadedTranscript, checks: readonly Check[]): ScannedSession {
  const { facts, summary, chainDepth } = loaded;
  const findings = diagnose(loaded, checks);
  const result: SessionScanResult = {
    sessionId: basename(filePath, '.jsonl'),
    filePath,
    status: statusOf(findings),
    chainDepth,
    orphanCount: countOrphans(loaded),
    fileSize: facts.fileSize,
    messageCount: countMessages(facts),
    resume: summary,
    findings,
  };
  return { result, metadata: readMetadata(facts), problem: null };
}

/** What is said of a transcript that could not be read. */
export function describeUnread(filePath: string, problem: FileProblem): ScannedSession {
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
  const metadata: SessionMetadata = {
    title: null,
    cwd: null,
    model: null,
    gitBranch: null,
    clientVersion: null,
    lastMessageMs: null,
    parentSessionId: null,
  };
  return { result, metadata, problem: problem.message };
}

export function statusOf(findings: readonly Finding[]): SessionStatus {
  return findings.some((finding) => finding.severity === 'error') ? 'corrupted' : 'healthy';
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
function countOrphans(loaded: LoadedTranscript): number {
  const { facts } = loaded;
  if (facts.isOrderly) return 0;
  const { view } = loaded;
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
