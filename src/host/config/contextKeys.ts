/** Context keys that `when` clauses in package.json read. */
export const CONTEXT_KEYS = {
  /** A `SessionsViewState`. */
  sessionsView: 'rethread.sessionsView',
} as const;
