import type { SearchMatch } from '../protocol/channels/search';
import type { Checkpoint, RewindFilesResult } from '../protocol/history';
import type { Finding, LoadCount, SessionRepairResult } from '../protocol/repair';
import type { ScanTotals, SessionScanResult } from '../protocol/session';
import type { Spending, UsageRow } from '../protocol/usage';

/**
 * What `--json` prints, field by field: the names and their order are a contract with scripts, so a field that the
 * engine adds for its own use does not slip into it.
 */
export function scanResultJson(result: SessionScanResult): SessionScanResult {
  const { resume } = result;
  return {
    sessionId: result.sessionId,
    filePath: result.filePath,
    status: result.status,
    chainDepth: result.chainDepth,
    orphanCount: result.orphanCount,
    fileSize: result.fileSize,
    messageCount: result.messageCount,
    resume: { loads: resume.loads, of: resume.of, leafUuid: resume.leafUuid, missingLines: resume.missingLines },
    findings: result.findings.map(findingJson),
  };
}

function findingJson({ code, severity, action, lines, uuids, message }: Finding): Finding {
  return { code, severity, action, lines, uuids, message };
}

export function totalsJson({ sessions, healthy, corrupted, missing, unreadable, bytes }: ScanTotals): ScanTotals {
  return { sessions, healthy, corrupted, missing, unreadable, bytes };
}

export function repairResultJson(result: SessionRepairResult): SessionRepairResult {
  return {
    sessionId: result.sessionId,
    filePath: result.filePath,
    status: result.status,
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    ...(result.backupPath === undefined ? {} : { backupPath: result.backupPath }),
    orphansFixed: result.orphansFixed,
    newChainDepth: result.newChainDepth,
    edits: result.edits.map(({ line, uuid, field, from, to, why }) => ({
      line,
      uuid,
      field,
      // A value that the row did not have would vanish from the document together with its key.
      from: from ?? null,
      to: to ?? null,
      why,
    })),
    resumeBefore: loadsJson(result.resumeBefore),
    resumeAfter: loadsJson(result.resumeAfter),
  };
}

function loadsJson({ loads, of }: LoadCount): LoadCount {
  return { loads, of };
}

export function searchMatchJson(match: SearchMatch): Omit<SearchMatch, 'isResult'> {
  return {
    filePath: match.filePath,
    sessionId: match.sessionId,
    title: match.title,
    line: match.line,
    uuid: match.uuid,
    role: match.role,
    timeMs: match.timeMs,
    excerpt: match.excerpt,
    hit: { start: match.hit.start, end: match.hit.end },
  };
}

export function usageRowJson(row: UsageRow): UsageRow {
  const { key, title, filePath, models, sharedTokens } = row;
  return { key, title, filePath, ...spendingJson(row), models, sharedTokens };
}

export function spendingJson({ messages, counts, cost }: Spending): Spending {
  return {
    messages,
    counts: {
      input: counts.input,
      output: counts.output,
      cacheWrite5m: counts.cacheWrite5m,
      cacheWrite1h: counts.cacheWrite1h,
      cacheRead: counts.cacheRead,
      webSearches: counts.webSearches,
      webFetches: counts.webFetches,
    },
    cost: { usd: cost.usd, unpricedTokens: cost.unpricedTokens },
  };
}

export function checkpointJson(checkpoint: Checkpoint): Checkpoint {
  return {
    kind: checkpoint.kind,
    promptUuid: checkpoint.promptUuid,
    line: checkpoint.line,
    prompt: checkpoint.prompt,
    timeMs: checkpoint.timeMs,
    filesChanged: checkpoint.filesChanged,
    insertions: checkpoint.insertions,
    deletions: checkpoint.deletions,
    filesTracked: checkpoint.filesTracked,
    problem: checkpoint.problem,
  };
}

/** A field that a result does not have is no key of the document. */
export function rewindResultJson(result: RewindFilesResult): RewindFilesResult {
  const { canRewind, error, filesChanged, insertions, deletions, files, coverage } = result;
  return {
    canRewind,
    ...(error === undefined ? {} : { error }),
    ...(filesChanged === undefined ? {} : { filesChanged }),
    ...(insertions === undefined ? {} : { insertions }),
    ...(deletions === undefined ? {} : { deletions }),
    ...(files === undefined
      ? {}
      : { files: files.map(({ path, action, why }) => ({ path, action, ...(why === undefined ? {} : { why }) })) }),
    ...(coverage === undefined ? {} : { coverage: { notCovered: coverage.notCovered } }),
  };
}
