import type { ClientInfo } from '../../protocol/client';
import type { ScannedSession, SessionScanResult } from '../../protocol/session';
import { sessionRefOf } from '../providers/claude/format/paths';

/**
 * The fields of a session's line in the cache file, in their order. Without names, the lines take half the bytes and the time of
 * objects. The client is not among them: the header names the rules, and whoever reads the file adds the client that has them.
 * A field that is added here needs another `FORMAT_VERSION` in `sessionCacheFile.ts`, and so does another verdict on the same file.
 */
type StoredLine = readonly [
  sessionId: string,
  /** Null for the path of the session itself. */
  filePath: string | null,
  status: SessionScanResult['status'],
  chainDepth: number,
  orphanCount: number,
  fileSize: number,
  messageCount: number,
  loads: number,
  of: number,
  leafUuid: string | null,
  missingLines: readonly number[],
  findings: SessionScanResult['findings'],
  title: string | null,
  cwd: string | null,
  model: string | null,
  gitBranch: string | null,
  clientVersion: string | null,
  lastMessageMs: number | null,
  parentSessionId: string | null,
  createdMs: number | null,
  isJudged: boolean,
];

/** JSON of a session in UTF-8, without the line break. */
export function sessionLine(path: string, { result, metadata, isJudged = false }: ScannedSession): Buffer {
  const { sessionId, status, chainDepth, orphanCount, fileSize, messageCount, resume, findings } = result;
  const { title, cwd, model, gitBranch, clientVersion, lastMessageMs, parentSessionId, createdMs } = metadata;
  const filePath = result.filePath === path ? null : result.filePath;
  const { loads, of, leafUuid, missingLines } = resume;
  const line: StoredLine = [
    sessionId,
    filePath,
    status,
    chainDepth,
    orphanCount,
    fileSize,
    messageCount,
    loads,
    of,
    leafUuid,
    missingLines,
    findings,
    title,
    cwd,
    model,
    gitBranch,
    clientVersion,
    lastMessageMs,
    parentSessionId,
    createdMs,
    isJudged,
  ];
  return Buffer.from(JSON.stringify(line));
}

export function parseSessionLine(path: string, line: Buffer, client: ClientInfo): ScannedSession {
  // SAFETY: the checksum says that these are the bytes that `sessionLine` made.
  const [
    sessionId,
    filePath,
    status,
    chainDepth,
    orphanCount,
    fileSize,
    messageCount,
    loads,
    of,
    leafUuid,
    missingLines,
    findings,
    title,
    cwd,
    model,
    gitBranch,
    clientVersion,
    lastMessageMs,
    parentSessionId,
    createdMs,
    isJudged,
  ] = JSON.parse(line.toString()) as StoredLine;
  return {
    result: {
      sessionId,
      filePath: filePath ?? path,
      provider: sessionRefOf(path).provider,
      status,
      chainDepth,
      orphanCount,
      fileSize,
      messageCount,
      resume: { loads, of, leafUuid, missingLines, client: client.version, isExact: client.isExact },
      findings,
    },
    metadata: { title, cwd, model, gitBranch, clientVersion, lastMessageMs, parentSessionId, createdMs },
    problem: null,
    isJudged,
  };
}

/**
 * A session that is parsed when it is first used, because a window has thousands and shows only some hundred. It cannot
 * be sent to another thread, for which `plainSession` is needed: the channel throws an error.
 */
export class StoredSession implements ScannedSession {
  readonly problem = null;
  /**
   * An ordinary property instead of a `#private` one. Channels refuse functions, so a session cannot arrive in another
   * thread without its fields.
   */
  private readonly parse: () => ScannedSession;
  private parsed: ScannedSession | null = null;

  constructor(parse: () => ScannedSession) {
    this.parse = parse;
  }

  get result(): ScannedSession['result'] {
    return (this.parsed ??= this.parse()).result;
  }

  get isJudged(): boolean {
    return (this.parsed ??= this.parse()).isJudged === true;
  }

  get metadata(): ScannedSession['metadata'] {
    return (this.parsed ??= this.parse()).metadata;
  }
}
