/** Every command that package.json declares, and no other. */
export const COMMAND_IDS = [
  'rethread.openConversation',
  'rethread.findInConversation',
  'rethread.searchConversations',
  'rethread.export',
  'rethread.exportTokens',
  'rethread.copyTask',
  'rethread.openSubagent',
  'rethread.scanAllSessions',
  'rethread.scanSession',
  'rethread.repairSession',
  'rethread.undoRepair',
  'rethread.resumeInTerminal',
  'rethread.forkSession',
  'rethread.forkFromHere',
  'rethread.rewindFiles',
  'rethread.undoRewind',
  'rethread.enableCheckpoints',
  'rethread.disableCheckpoints',
  'rethread.revealTranscript',
  'rethread.copySessionId',
  'rethread.refresh',
  'rethread.showMore',
] as const;

export type CommandId = (typeof COMMAND_IDS)[number];
