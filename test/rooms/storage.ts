// What tests use of core's room "storage". A file that moves within src changes its path here alone.
export { fileIdentity } from '../../src/core/storage/fileAttributes';
export { parseManifest, type SafetyManifest } from '../../src/core/storage/files/safetyFolder';
export { clearDebris, pruneBackups, transcriptsWithDebris } from '../../src/core/storage/janitor';
export { clearStaleForks, transcriptsOfStaleForks } from '../../src/core/storage/createTranscript';
export { findBackups } from '../../src/core/storage/backupNames';
export { keepBeside } from '../../src/core/storage/keepBeside';
export { writeRows } from '../../src/core/storage/forkedSession';
export { type LiveGuard, lockTranscript, type WriteDeps } from '../../src/core/storage/openTranscript';
export { Refusal } from '../../src/core/storage/refusal';
export { replaceText } from '../../src/core/storage/replaceText';
export { type RewriteOutcome, rewriteTranscript } from '../../src/core/storage/rewriteTranscript';
export { isSplicedCopy, type Splice, spliceChunks, splicedSize, Splicer } from '../../src/core/storage/splice';
export { keptOriginalPath, removeStaleFiles, unfinishedPath } from '../../src/core/storage/staleFiles';
export { appendRow } from '../../src/core/storage/store/appendRow';
export { REPAIRED_FIELDS, type RepairTrace, traceRepair } from '../../src/core/storage/traceRepair';
export { type UndoOutcome, undoRewrite } from '../../src/core/storage/undoRewrite';
export {
  nodeWriteFs,
  type OpenFile,
  type OpenMode,
  type ReadableFile,
  type WriteFs,
} from '../../src/core/storage/writeFs';
