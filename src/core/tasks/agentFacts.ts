import { readFileSync, statSync } from 'node:fs';
import { parseObject } from '../claude/json';
import type { SubagentIndex } from '../read/subagentIndex';
import type { AgentFacts } from './finishList';

const TRANSCRIPT = '.jsonl';
const MAX_META_BYTES = 64 * 1024;

/** Where a subagent's transcript is, and whether its `meta.json` says that it is done. Never throws. */
export function agentFacts(subagents: SubagentIndex, callId: string, agentId: string | null): AgentFacts {
  const transcript = subagents.find(callId, agentId);
  return { transcript, isFinished: transcript !== null && isFinished(transcript) };
}

function isFinished(transcript: string): boolean {
  const meta = `${transcript.slice(0, -TRANSCRIPT.length)}.meta.json`;
  try {
    if (statSync(meta).size > MAX_META_BYTES) return false;
    return parseObject(readFileSync(meta, 'utf8'))?.['finished'] === true;
  } catch {
    return false;
  }
}
