import type { SubagentLink } from '../../shared/message';
import { readTaskResults } from '../claude/taskResults';
import type { TranscriptRows } from '../read/rows/transcriptRows';
import { RowFlag } from '../scan/rowFlags';

/** A result of a subagent is shorter; what it names stands behind its text. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024;
/** In the bytes of a row: one without it names no subagent. */
const NEEDLE = '"agentId"';

/**
 * The subagents, each with the call that started it: clients up to 2.1.50 wrote no `meta.json` that names it, but the call's
 * result does (`toolUseResult.agentId`). Results are read only where a call is not known. Null when `pause` says that the
 * file changed.
 */
export async function linkSubagents(
  subagents: readonly SubagentLink[],
  rows: TranscriptRows,
  pause: () => Promise<boolean>,
): Promise<readonly SubagentLink[] | null> {
  const wanted = new Set(subagents.filter(({ toolUseId }) => toolUseId === null).map(({ agentId }) => agentId));
  if (wanted.size === 0) return subagents;
  const calls = new Map<string, string>();
  for (let row = 0; row < rows.table.count && wanted.size > 0; row++) {
    if (!rows.table.has(row, RowFlag.hasToolResult)) continue;
    if (!(await pause())) return null;
    if (!rows.bytes(row, MAX_RESULT_BYTES).includes(NEEDLE)) continue;
    const object = rows.object(row);
    for (const { agentId, callId } of object === null ? [] : readTaskResults(object)) {
      if (agentId !== null && wanted.delete(agentId)) calls.set(agentId, callId);
    }
  }
  return subagents.map((link) => ({ ...link, toolUseId: link.toolUseId ?? calls.get(link.agentId) ?? null }));
}
