import { randomUUID } from 'node:crypto';
import { Conversation, type ConversationDeps } from '../core/conversation/conversation';
import { Conversations, type ConversationsDeps } from '../core/conversation/conversations';
import { createConversationExports } from '../core/conversation/export/conversationExports';
import { readTranscriptEnd } from '../core/conversation/sessionEnd';
import { SessionReader } from '../core/conversation/sessionReader';
import type { Activities } from '../core/providers/provider';
import type { SessionOverview } from '../protocol/message';
import { FollowedTasks } from '../core/conversation/tasks/followedTasks';
import { nodeWriteFs } from '../core/storage/writeFs';
import { createPacer, systemClock } from '../core/util/scheduling';
import type { ConversationCalls } from '../protocol/channels/conversation';
import type { ExportCalls, ExportEvents } from '../protocol/channels/exports';
import type { TasksCalls, TasksEvents } from '../protocol/channels/tasks';

/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

export interface Reading {
  readonly conversation: ConversationCalls;
  readonly exports: ExportCalls;
  readonly tasks: TasksCalls;
  readonly readTranscriptEnd: typeof readTranscriptEnd;
  /** Never rejects; null if the transcript cannot be read. */
  readOverview(filePath: string, activityOf: Activities['of']): Promise<SessionOverview | null>;
  /** Resolves when no export is running. */
  settled(): Promise<void>;
}

export type ReadingDeps = Omit<ConversationsDeps, 'pacer' | 'clock'> & {
  readonly events: ExportEvents & TasksEvents;
  /** Absolute path of the config folder; null while it is unknown. */
  readonly configDir: () => string | null;
};

/** Reading, searching and exporting conversations. Loaded on first use: many windows never open one. */
export function createReading({ events, ...parts }: ReadingDeps): Reading {
  const reading: Pick<ConversationDeps, 'createScanner' | 'pacer'> = {
    createScanner: parts.createScanner,
    pacer: createPacer(MAX_WORK_MS),
  };
  const exports = createConversationExports({
    open: (filePath) =>
      new Conversation({ ...reading, filePath, isLive: () => false, diagnostics: parts.diagnostics() }),
    write: { fs: nodeWriteFs, random: randomUUID },
    events,
    configDir: parts.configDir,
    isClosing: parts.isClosing,
  });
  return {
    conversation: new Conversations({ ...parts, ...reading, clock: systemClock }),
    exports,
    tasks: new FollowedTasks({
      ...parts,
      ...reading,
      clock: systemClock,
      onChange: (list) => events.tasksChanged(list),
    }),
    readTranscriptEnd,
    readOverview: async (filePath, activityOf) => {
      const reader = new SessionReader({ ...reading, filePath, activityOf, diagnostics: parts.diagnostics() });
      try {
        return await reader.overview();
      } finally {
        reader.close();
      }
    },
    settled: () => exports.settled(),
  };
}
