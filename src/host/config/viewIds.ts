/** The views that package.json declares. */
export const SESSIONS_VIEW = 'rethread.sessions';
export const TASKS_VIEW = 'rethread.tasks';
export const TOKENS_VIEW = 'rethread.tokens';

/** The kind of webview that shows a conversation; an activation event in package.json names it, too. */
export const CONVERSATION_PANEL = 'rethread.conversation';
