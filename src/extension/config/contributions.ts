/** Context keys used by `when` clauses in package.json. */
export const CONTEXT_KEYS = {
  /** A `SessionsViewState`. */
  sessionsView: 'rethread.sessionsView',
  /** `active`; not set while all sessions are shown. */
  sessionsFilter: 'rethread.sessionsFilter',
  /** The settings name further config folders. */
  hasExtraConfigDirs: 'rethread.hasExtraConfigDirs',
  /** A `ConfigDirSource`: the text of a welcome view cannot vary, so there is one per source. */
  configDirSource: 'rethread.configDirSource',
  /** A conversation panel has the focus. */
  conversationFocused: 'rethread.conversationFocused',
  /** The Search view has results. */
  hasSearchResults: 'rethread.hasSearchResults',
  /** A `TasksViewState`. */
  tasksView: 'rethread.tasksView',
  /** A rewind can be undone. */
  canUndoRewind: 'rethread.canUndoRewind',
  /** Claude Code's own extension is installed. */
  hasOfficialExtension: 'rethread.hasOfficialExtension',
} as const;

/** URI scheme of documents that show one row of a transcript. */
export const ROW_SCHEME = 'rethread-row';

/** URI scheme of documents that show a file before or after an edit by Claude. */
export const EDIT_SCHEME = 'rethread-edit';

/** URI scheme of documents that show a file before or after all that a session changed in it. */
export const CHANGES_SCHEME = 'rethread-changes';

/** URI scheme of documents that show a file as it is after a rewind. */
export const REWIND_PREVIEW_SCHEME = 'rethread-rewind';

/** URI scheme of documents that show settings with or without the hook for checkpoints. */
export const HOOK_PREVIEW_SCHEME = 'rethread-hook';

/** The views declared in package.json. */
export const SESSIONS_VIEW = 'rethread.sessions';
export const SEARCH_VIEW = 'rethread.search';
export const TASKS_VIEW = 'rethread.tasks';
export const TOKENS_VIEW = 'rethread.tokens';

/**
 * View type of the editor for conversations; also used by an activation event and menus in package.json. Earlier versions showed them in
 * panels of the same type.
 */
export const CONVERSATION_EDITOR = 'rethread.conversation';

/** View type of the same editor for transcripts that a person opens as files. */
export const TRANSCRIPT_EDITOR = 'rethread.transcript';

/** View type of the pages on which files are rewound; also used by an activation event in package.json. */
export const REWIND_PAGE = 'rethread.rewind';

/** View type of the page with the tokens of all sessions; also used by an activation event in package.json. */
export const TOKENS_PAGE = 'rethread.tokensPage';

/** URI scheme of conversations in editors; also used by the editor and by the icon of its tabs in package.json. */
export const SESSION_SCHEME = 'rethread-session';

/** All commands declared in package.json, and no others. */
export const COMMAND_IDS = [
  'rethread.openConversation',
  'rethread.findInConversation',
  'rethread.copyMessage',
  'rethread.copyMessageAsMarkdown',
  'rethread.openLine',
  'rethread.rewindToHere',
  'rethread.nextPrompt',
  'rethread.previousPrompt',
  'rethread.foldAll',
  'rethread.searchConversations',
  'rethread.sessionsOfFile',
  'rethread.showChanges',
  'rethread.nextSearchResult',
  'rethread.previousSearchResult',
  'rethread.export',
  'rethread.exportTokens',
  'rethread.openTokens',
  'rethread.copyTask',
  'rethread.openSubagent',
  'rethread.scanAllSessions',
  'rethread.scanSession',
  'rethread.repairSession',
  'rethread.repairAllBroken',
  'rethread.undoRepair',
  'rethread.resolveFinding',
  'rethread.slim',
  'rethread.newSession',
  'rethread.continueLastSession',
  'rethread.resumeInTerminal',
  'rethread.resumeInPanel',
  'rethread.resumeAgain',
  'rethread.showTerminal',
  'rethread.forkSession',
  'rethread.forkFromHere',
  'rethread.rewindFiles',
  'rethread.undoRewind',
  'rethread.enableCheckpoints',
  'rethread.disableCheckpoints',
  'rethread.revealTranscript',
  'rethread.copySessionId',
  'rethread.refresh',
  'rethread.forgetSession',
  'rethread.filterSessions',
  'rethread.changeFilter',
  'rethread.filterExpiring',
  'rethread.filterConfigDir',
  'rethread.clearFilter',
  'rethread.sortSessions',
  'rethread.pinSession',
  'rethread.unpinSession',
  'rethread.showMore',
  'rethread.showLog',
] as const;

export type CommandId = (typeof COMMAND_IDS)[number];
