import type { Finding } from '../../protocol/repair';
import type { Liveness, SessionScanResult } from '../../protocol/session';

/**
 * A session in the document of `scan --json`, field by field: the names and their order are a contract with scripts, so fields that the
 * engine adds for its own use are left out.
 */
export function resultJson(result: SessionScanResult, live: Liveness): SessionScanResult & { readonly live: Liveness } {
  const { resume } = result;
  return {
    sessionId: result.sessionId,
    filePath: result.filePath,
    provider: result.provider,
    status: result.status,
    live,
    chainDepth: result.chainDepth,
    orphanCount: result.orphanCount,
    fileSize: result.fileSize,
    messageCount: result.messageCount,
    resume: {
      loads: resume.loads,
      of: resume.of,
      leafUuid: resume.leafUuid,
      missingLines: resume.missingLines,
      client: resume.client,
      isExact: resume.isExact,
    },
    findings: result.findings.map(findingJson),
  };
}

function findingJson({ code, severity, action, lines, uuids, message }: Finding): Finding {
  return { code, severity, action, lines, uuids, message };
}
