/** Context keys that `when` clauses in package.json read. */
export const CONTEXT_KEYS = {
  /** A `SessionsViewState`. */
  sessionsView: 'rethread.sessionsView',
  /** A `ConfigDirSource`: welcome texts are fixed, so that there is one for each. */
  configDirSource: 'rethread.configDirSource',
  /** A conversation panel has the focus. */
  conversationFocused: 'rethread.conversationFocused',
  /** A `TasksViewState`. */
  tasksView: 'rethread.tasksView',
  /** There is a rewind that can be undone. */
  canUndoRewind: 'rethread.canUndoRewind',
} as const;

/** Of the documents that show what a repair would change; a menu in package.json asks for it. */
export const REPAIR_PREVIEW_SCHEME = 'rethread-repair';

/** Of the documents that show one row of a transcript. */
export const ROW_SCHEME = 'rethread-row';

/** Of the documents that show a file before or after an edit of Claude's. */
export const EDIT_SCHEME = 'rethread-edit';

/** Of the documents that show what a rewind would do; a menu in package.json asks for it. */
export const REWIND_PREVIEW_SCHEME = 'rethread-rewind';

/** Of the documents that show settings as they would be with the hook for checkpoints, or without it. */
export const HOOK_PREVIEW_SCHEME = 'rethread-hook';

/** The views that package.json declares. */
export const SESSIONS_VIEW = 'rethread.sessions';
export const TASKS_VIEW = 'rethread.tasks';
export const TOKENS_VIEW = 'rethread.tokens';

/** The kind of webview that shows a conversation; an activation event in package.json names it, too. */
export const CONVERSATION_PANEL = 'rethread.conversation';

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
