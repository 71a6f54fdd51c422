import { sessionRefOf } from '../providers/claude/format/paths';
import type { ClientInfo } from '../../protocol/client';
import type { Finding } from '../../protocol/repair';
import type { ScannedSession, SessionMetadata, SessionScanResult, SessionStatus } from '../../protocol/session';
import { chooseTitle } from '../providers/claude/format/sessionMetadata';
import { needsWeights } from '../providers/claude/loader/fullContext';
import { keepsLargeStraight, LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import type { LoaderRules } from '../providers/claude/loader/rules';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import type { FileScanner, FileScanOptions, OnePassScanner } from '../transcript/scanFile';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import { fileProblem, type FileProblem, type ScannedIdentity } from '../util/openForeignFile';
import { canBeJudged, diagnoseRequest, isRequestCode } from './poison/diagnoseRequest';
import { CHECKS, diagnose, diagnoseFile, type Diagnostics, worstFirst } from './verdict';

/** A loaded transcript, or why it could not be read. */
export type LoadedSession =
  | { readonly kind: 'loaded'; readonly loaded: LoadedTranscript; readonly identity: ScannedIdentity }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** bytes → facts → what the client loads. Rejects only when aborted. */
export async function loadSession(
  filePath: string,
  scanFile: FileScanner,
  rules: LoaderRules,
  options: FileScanOptions = {},
): Promise<LoadedSession> {
  try {
    const { index, identity } = await scanFile(filePath, options);
    return { kind: 'loaded', loaded: new LoadedTranscript(index, rules), identity };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { kind: 'problem', problem: fileProblem(error, filePath) };
  }
}

export interface SessionScanOptions extends FileScanOptions {
  /** Whether what takes longer is looked at, too: see `ScanOptions`. */
  readonly isThorough?: boolean | undefined;
}

/** Scans a transcript and diagnoses it. Rejects only when aborted. */
export async function scanSession(
  filePath: string,
  scanOnce: OnePassScanner,
  diagnostics: Diagnostics,
  options: SessionScanOptions = {},
): Promise<ScannedSession> {
  const { isThorough = false } = options;
  try {
    return await scanOnce(
      filePath,
      (index) => {
        const loaded = new LoadedTranscript(index, diagnostics.rules);
        const scanned = describeSession(filePath, loaded, diagnostics);
        if (scanned.problem !== null) return scanned;
        const judged = isThorough || endsWithError(index) ? withRequestFindings(scanned, filePath, loaded) : scanned;
        return isThorough ? withFindings(judged, diagnoseFile(filePath, loaded, diagnostics.checks)) : judged;
      },
      { ...options, withLargeStraight: keepsLargeStraight(diagnostics.rules), needsWeights },
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    return describeUnread(filePath, fileProblem(error, filePath), diagnostics.client);
  }
}

/** The description with what the API would refuse. Throws the errors of `openRegularFile`. */
export function withRequestFindings(
  scanned: ScannedSession,
  filePath: string,
  loaded: LoadedTranscript,
): ScannedSession {
  if (scanned.problem !== null || !canBeJudged(loaded.index)) return scanned;
  return withFindings(scanned, diagnoseRequest(filePath, loaded).findings);
}

function withFindings(scanned: ScannedSession, found: readonly Finding[]): ScannedSession {
  if (found.length === 0) return scanned;
  const findings = worstFirst([...scanned.result.findings, ...found]);
  return { ...scanned, result: { ...scanned.result, findings, status: statusOf(findings) } };
}

const FILE_CODES: ReadonlySet<string> = new Set(CHECKS.flatMap(({ kind, code }) => (kind === 'file' ? [code] : [])));

/**
 * The findings for which only a thorough scan looks, as far as a conversation tells them. What costs nothing, and cannot be changed from
 * there, is told beside the session. What names a message that is not loaded is the reason why its messages are not all remembered.
 */
export function toldInConversation({ findings, resume }: SessionScanResult): readonly Finding[] {
  const missing = new Set(resume.missingLines);
  return findings.filter(({ code, severity, offer, lines }) => {
    const isOfRequest = isRequestCode(code);
    if (!isOfRequest && !FILE_CODES.has(code)) return false;
    return severity !== 'info' || offer !== undefined || (isOfRequest && lines.some((line) => missing.has(line)));
  });
}

/** Whether the last reply in the file reports an error of the API. Prompts without a reply may follow it. */
export function endsWithError({ rows }: TranscriptIndex): boolean {
  for (let row = rows.count - 1; row >= 0; row--) {
    if (rows.kind(row) === RowKind.assistant) return rows.has(row, RowFlag.apiError);
  }
  return false;
}

/** The description of a transcript that was loaded by the rules of the client. */
export function describeSession(
  filePath: string,
  loaded: LoadedTranscript,
  { client, checks }: Pick<Diagnostics, 'client' | 'checks'>,
): ScannedSession {
  const { index, summary, chainDepth } = loaded;
  const unreadable = contentProblem(filePath, index);
  if (unreadable !== null) return describeUnread(filePath, unreadable, client, index.fileSize);
  const findings = diagnose(loaded, checks);
  const { id: sessionId, provider } = sessionRefOf(filePath);
  const { loads, of, leafUuid, missingLines } = summary;
  // Field by field: spreading objects was the slowest step here, and each session of a scan comes through it.
  const result: SessionScanResult = {
    sessionId,
    filePath,
    provider,
    status: statusOf(findings),
    chainDepth,
    orphanCount: countOrphans(loaded),
    fileSize: index.fileSize,
    messageCount: index.rows.messages,
    resume: { loads, of, leafUuid, missingLines, client: client.version, isExact: client.isExact },
    findings,
  };
  return { result, metadata: readMetadata(index), problem: null };
}

/** The description of a transcript that could not be read. */
export function describeUnread(
  filePath: string,
  problem: FileProblem,
  client: ClientInfo,
  fileSize = 0,
): ScannedSession {
  const { id: sessionId, provider } = sessionRefOf(filePath);
  const result: SessionScanResult = {
    sessionId,
    filePath,
    provider,
    status: problem.kind === 'missing' ? 'missing' : 'unreadable',
    chainDepth: 0,
    orphanCount: 0,
    fileSize,
    messageCount: 0,
    resume: { loads: 0, of: 0, leafUuid: null, missingLines: [], client: client.version, isExact: client.isExact },
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
    createdMs: null,
  };
  return { result, metadata, problem: problem.message };
}

/** Why nothing in the file can be read as a row; null if something can, or if the file is empty. */
export function contentProblem(filePath: string, index: TranscriptIndex): FileProblem | null {
  const { hasRow, hasUnreadRow, lineFaults } = index;
  if (hasUnreadRow && index.rows.messages === 0) {
    const message = `${filePath} has messages of several lines, which Claude reads only in files up to 5 MiB.`;
    return { kind: 'unreadable', message };
  }
  if (hasRow || lineFaults.count('torn') + lineFaults.count('nul') === 0) return null;
  const message = `${filePath} contains no message: Claude reads nothing in it as a JSON object.`;
  return { kind: 'unreadable', message };
}

export function statusOf(findings: readonly Finding[]): SessionStatus {
  return findings.some((finding) => finding.severity === 'error') ? 'corrupted' : 'healthy';
}

/** Chain rows whose non-null parent is not a chain row of the file. Rows that share a line with others do not count as rows. */
function countOrphans(loaded: LoadedTranscript): number {
  const { index } = loaded;
  if (index.isOrderly) return 0;
  const { view } = loaded;
  let count = 0;
  for (const row of view.orphans) if (isRow(index, row)) count++;
  // Only rows on faulty lines are hidden.
  if (index.lineFaults.isEmpty) return count;
  for (let row = 0; row < index.rows.count; row++) {
    const parent = view.rowOf(index.rows.parent(row));
    if (parent !== NO_ID && isRow(index, row) && !isRow(index, parent)) count++;
  }
  return count;
}

function isRow(index: TranscriptIndex, row: number): boolean {
  return index.rows.kind(row) !== RowKind.other && !index.rows.has(row, RowFlag.hidden);
}

/** The session's title, and where it belongs. */
export function readMetadata({ titles, latest, parentSessionId, rows }: TranscriptIndex): SessionMetadata {
  return {
    title: chooseTitle(titles),
    cwd: latest.cwd,
    model: latest.model,
    gitBranch: latest.gitBranch === '' ? null : latest.gitBranch,
    clientVersion: latest.clientVersion,
    lastMessageMs: latest.messageMs,
    parentSessionId,
    createdMs: rows.firstOwnMs,
  };
}
