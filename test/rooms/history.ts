// What tests use of core's room "history". A file that moves within src changes its path here alone.
export { type MaxFileSize, readMaxFileSize } from '../../src/core/history/checkpoints/maxFileSize';
export { captureFile } from '../../src/core/history/checkpoints/captureFile';
export { createCheckpointHooks, removeHooks } from '../../src/core/history/checkpoints/checkpointHooks';
export type { StoreDeps } from '../../src/core/history/checkpoints/checkpointStore';
export { withHook, withoutHook } from '../../src/core/history/checkpoints/editHooks';
export { installProgram } from '../../src/core/history/checkpoints/installProgram';
export { createOwnCheckpoints } from '../../src/core/history/checkpoints/ownCheckpoints';
export { pruneSessions } from '../../src/core/history/checkpoints/pruneSessions';
export { readRows } from '../../src/core/history/checkpoints/readRows';
export { sessionPaths, type SessionPaths, storeLayout } from '../../src/core/history/checkpoints/storeLayout';
export type { MutatingCall, StoredState } from '../../src/core/history/checkpoints/storedRow';
export { takeHookCheckpoint } from '../../src/core/history/checkpoints/takeHookCheckpoint';
export { TurnFinder } from '../../src/core/history/checkpoints/turnFinder';
export { clearLeftRecords, findLeftRecords } from '../../src/core/history/leftovers';
export { createForks } from '../../src/core/history/fork/forks';
export { carriedRow, type RowChange, writtenRow } from '../../src/core/history/fork/writtenRow';
export { allowedFolders, isRecord } from '../../src/core/history/rewind/allowedFolders';
export { placeProblem } from '../../src/core/history/rewind/obstacles';
export { compareFile } from '../../src/core/history/rewind/compareFile';
export { countLines } from '../../src/core/history/rewind/fileText';
export {
  type FoldedHistory,
  foldHistory,
  type HistoryEntry,
  type HistoryIndex,
  MAX_SNAPSHOTS,
} from '../../src/core/history/rewind/foldHistory';
export type { OwnCheckpoint } from '../../src/core/history/rewind/ownCheckpoints';
export type { ChainKind } from '../../src/core/history/rewind/promptChains';
export { createRewinds, type RewindDeps, type Rewinds } from '../../src/core/history/rewind/rewinds';
export { SessionHistory } from '../../src/core/history/rewind/sessionHistory';
export { targetsOf } from '../../src/core/history/rewind/wantedFiles';
export { messageRow, SessionStore } from '../../src/core/history/sessionStore/sessionStore';
