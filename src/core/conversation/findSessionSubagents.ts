import { sessionIdOf } from '../providers/claude/format/paths';
import { open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SubagentLink } from '../../protocol/message';
import { findSubagents, type FoundSubagent } from '../providers/claude/findTranscripts';
import { dissectLine } from '../transcript/dissectLine';
import { type JsonObject, objectField, parseObject, stringField } from '../util/json';

const HEAD_BYTES = 64 * 1024;
const MAX_META_BYTES = 64 * 1024;

/**
 * The subagents of a session: those in its folder, and, for clients 2.0.x, which wrote them beside the sessions, those whose
 * rows name it. Never rejects.
 */
export async function findSessionSubagents(filePath: string): Promise<readonly SubagentLink[]> {
  const sessionId = sessionIdOf(filePath);
  const found: SubagentLink[] = [];
  try {
    for await (const agent of findSubagents(dirname(filePath))) {
      if (agent.sessionId === null ? await namesSession(agent.filePath, sessionId) : agent.sessionId === sessionId) {
        found.push(await describe(agent));
      }
    }
  } catch {
    // A folder that cannot be read holds no subagents that could be shown.
  }
  return found.sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
}

async function describe({ filePath, agentId }: FoundSubagent): Promise<SubagentLink> {
  const meta = await readMeta(join(dirname(filePath), `agent-${agentId}.meta.json`));
  return {
    filePath,
    agentId,
    agentType: stringField(meta, 'agentType'),
    description: stringField(meta, 'description'),
    toolUseId: stringField(meta, 'toolUseId'),
  };
}

async function readMeta(path: string): Promise<JsonObject> {
  try {
    if ((await stat(path)).size > MAX_META_BYTES) return {};
    return parseObject(await readFile(path, 'utf8')) ?? {};
  } catch {
    return {};
  }
}

/** The first row that names a session names this one. */
async function namesSession(path: string, sessionId: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
      const end = bytes.subarray(0, bytesRead).indexOf('\n');
      const line = bytes.subarray(0, end < 0 ? bytesRead : end);
      const [row] = dissectLine(line, true).objects;
      // A first row that is longer than what is read names its session all the same: ids come before texts.
      const named =
        row === undefined ? /"sessionId":"([^"]{1,100})"/.exec(line.toString('utf8'))?.[1] : idOf(row.object);
      return named === sessionId;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

function idOf(row: JsonObject): string | null {
  return stringField(row, 'sessionId') ?? stringField(objectField(row, 'message') ?? {}, 'sessionId');
}
