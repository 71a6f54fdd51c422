// What tests use of core's room "format". A file that moves within src changes its path here alone.
export { readMessageWeight } from '../../src/core/providers/claude/format/contextFacts';
export { type MessageContent, readMessageContent } from '../../src/core/providers/claude/format/messageContent';
export { type CheckpointRow, readCheckpointRow } from '../../src/core/providers/claude/format/checkpointRow';
export { readFileCalls } from '../../src/core/providers/claude/format/fileCalls';
export { USAGE_COUNTS } from '../../src/core/providers/claude/format/messageUsage';
export {
  configDirOf,
  encodeProjectPath,
  sessionIdOf,
  sessionRefOf,
} from '../../src/core/providers/claude/format/paths';
export { isKnownRowType, readTime } from '../../src/core/providers/claude/format/rowTypes';
