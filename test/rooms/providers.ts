// What tests use of core's room "providers". A file that moves within src changes its path here alone.
export { findTranscriptBatches, findTranscripts } from '../../src/core/providers/claude/files/findTranscripts';
export { type ListingFs, listProjects } from '../../src/core/providers/claude/files/listProjects';
export { readMemoryFiles } from '../../src/core/providers/claude/files/memoryFiles';
export { readPersistedOutput } from '../../src/core/providers/claude/files/persistedOutput';
export { findSubagents } from '../../src/core/providers/claude/files/subagents';
export { findUnneededFiles } from '../../src/core/providers/claude/files/unneededFiles';
export {
  diskClientFiles,
  findInstalledClient,
  type InstalledClientDeps,
  runProgram,
} from '../../src/core/providers/claude/installedClient';
export { ClientSavings, type Savings } from '../../src/core/providers/claude/live/clientSavings';
export {
  type SavingQuestions,
  SavingWatch,
  type TranscriptSighting,
} from '../../src/core/providers/claude/live/savingWatch';
export { LivenessReading } from '../../src/core/providers/claude/live/liveness';
export { type ClientProcess, type Machine, thisMachine } from '../../src/core/providers/claude/live/machine';
export {
  type BackgroundJob,
  type ClientRecord,
  readLiveSessions,
  RegistryMemory,
} from '../../src/core/providers/claude/live/registry';
export { type ActivitySources, sessionActivity } from '../../src/core/providers/claude/live/sessionActivity';
export { readRetention, type RetentionPeriod, sweptAtMs } from '../../src/core/providers/claude/live/retention';
export { type Exemption, readExemption } from '../../src/core/providers/claude/live/sweepExemption';
export type {
  Activities,
  ActivityAnswer,
  FoundTranscript,
  RepairOptions,
  ScanOptions,
  SessionFollower,
  SessionProvider,
} from '../../src/core/providers/provider';
export {
  parseParents,
  type ProcessTree,
  readRunningClients,
  thisProcessTree,
} from '../../src/core/providers/claude/live/runningClients';
export { REQUEST_RULES } from '../../src/core/providers/claude/request/requestRules';
