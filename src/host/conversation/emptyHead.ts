import type { ConversationHead, ConversationView } from '../../shared/conversation';

/** Of a conversation that could not be opened; `problem` is what the person reads. */
export function emptyHead(filePath: string, view: ConversationView, problem: string): ConversationHead {
  return {
    revision: 0,
    filePath,
    sessionId: filePath.replace(/^.*[\\/]|\.jsonl$/g, ''),
    title: null,
    cwd: null,
    model: null,
    gitBranch: null,
    loads: 0,
    of: 0,
    findings: [],
    view,
    count: 0,
    branches: [],
    moreBranches: 0,
    fileSize: 0,
    replacements: 0,
    isLive: false,
    problem,
  };
}
