/** The views that package.json declares. */
export const SESSIONS_VIEW = 'rethread.sessions';
