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
