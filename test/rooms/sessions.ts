// What tests use of core's room "sessions". A file that moves within src changes its path here alone.
export {
  isMoreUrgent,
  type JobEvent,
  JobQueue,
  PRIORITIES,
  type Priority,
  QueueClosedError,
} from '../../src/core/sessions/jobQueue';
export { SessionChildren } from '../../src/core/sessions/sessionChildren';
export { readQuickMetadata } from '../../src/core/sessions/quickMetadata';
export { type ListedTranscript, listTranscripts } from '../../src/core/sessions/scanRuns';
export { openSessionCache, plainSession, type SessionCache } from '../../src/core/sessions/sessionCache';
export { SessionEntries, type SessionEntry } from '../../src/core/sessions/sessionEntries';
export { Sessions, type SessionsDeps } from '../../src/core/sessions/sessions';
export { SharedWalk, type Walk } from '../../src/core/sessions/sharedWalk';
export { workspaceIndex } from '../../src/core/sessions/summariseSession';
export {
  type AssembledUpdate,
  type SessionsState,
  UpdateAssembler,
  UpdateFeed,
} from '../../src/core/sessions/updateAssembler';
export { SessionAlarms } from '../../src/core/sessions/alarms/sessionAlarms';
export { ToldAlarms } from '../../src/core/sessions/alarms/toldAlarms';
export { RememberedSessions, type WindowProcess } from '../../src/core/sessions/rememberedSessions';
export { lastSession, locateSessions } from '../../src/core/sessions/sessionLookups';
