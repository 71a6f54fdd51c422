// What tests use of core's room "conversation". A file that moves within src changes its path here alone.
export { summaryOf } from '../../src/core/conversation/branches';
export { Conversation } from '../../src/core/conversation/conversation';
export { Conversations } from '../../src/core/conversation/conversations';
export {
  type ConversationExports,
  createConversationExports,
} from '../../src/core/conversation/export/conversationExports';
export { proseMarkdown } from '../../src/core/conversation/export/exportMarkdown';
export { Redactor } from '../../src/core/conversation/export/redact';
export { describeRow } from '../../src/core/conversation/items/describeRow';
export { MAX_LINES, MAX_UNITS, parseValuePath, valueAt } from '../../src/core/conversation/items/itemText';
export { bareContext, type RowContext } from '../../src/core/conversation/items/rowContext';
export { type ConversationOrder, conversationOrder } from '../../src/core/conversation/order/conversationOrder';
export { filesChangedBy, sessionsThatChanged } from '../../src/core/conversation/search/fileEdits';
export { requiredLiteral } from '../../src/core/conversation/search/requiredLiteral';
export {
  searchSessions,
  type SearchUpdate,
  SessionSearches,
  type StartSearch,
} from '../../src/core/conversation/search/searchSessions';
export { memoryPhrase } from '../../src/core/conversation/memoryPhrase';
export { MessageFollower } from '../../src/core/conversation/messageFollower';
export { inferEnd, readTranscriptEnd } from '../../src/core/conversation/sessionEnd';
export { SessionParts } from '../../src/core/conversation/sessionParts';
export { SessionReader } from '../../src/core/conversation/sessionReader';
export { findCycles } from '../../src/core/conversation/tasks/finishList';
export { FollowedTasks } from '../../src/core/conversation/tasks/followedTasks';
export { NO_LIMITS, SessionTasks } from '../../src/core/conversation/tasks/sessionTasks';
export { TranscriptState } from '../../src/core/conversation/transcriptState';
