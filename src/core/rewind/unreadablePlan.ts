import { basename } from 'node:path';
import type { RewindPlan } from '../../shared/rewind';
import type { PlannedRewind } from './planRewind';

/** The plan of a session that cannot be read. `problem`: one sentence for people. */
export function unreadablePlan(
  filePath: string,
  promptUuid: string,
  problem: string,
  reason: PlannedRewind['reason'],
): PlannedRewind {
  const plan: RewindPlan = {
    kind: 'client',
    filePath,
    sessionId: basename(filePath, '.jsonl'),
    promptUuid,
    prompt: '',
    timeMs: null,
    problem,
    files: [],
    coverage: [],
    insertions: 0,
    deletions: 0,
    isLive: false,
    token: '',
  };
  return { plan, reason, files: [], cwd: null };
}
