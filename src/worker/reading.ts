import { randomUUID } from 'node:crypto';
import { Conversation, type ConversationParts } from '../core/conversation/conversation';
import { Conversations, type ConversationsParts } from '../core/conversation/conversations';
import { createConversationExports } from '../core/conversation/export/conversationExports';
import { readSessionEnd } from '../core/conversation/sessionEnd';
import { FollowedTasks } from '../core/conversation/tasks/followedTasks';
import { nodeWriteFs } from '../core/storage/writeFs';
import { createPacer, systemClock } from '../core/util/scheduling';
import type { ConversationsApi } from '../protocol/api/conversation';
import type { ExportApi, ExportEvents } from '../protocol/api/export';
import type { TasksApi, TasksEvents } from '../protocol/api/tasks';

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

export type ReadingApi = ConversationsApi & ExportApi & TasksApi;

export interface Reading extends ReadingApi {
  readonly readSessionEnd: typeof readSessionEnd;
  /** Resolves when no export runs any more. */
  settled(): Promise<void>;
}

export type ReadingParts = Omit<ConversationsParts, 'pacer' | 'clock'> & {
  readonly events: ExportEvents & TasksEvents;
};

/** What shows conversations to people. A bundle of its own: many windows never open one. */
export function createReading({ events, ...parts }: ReadingParts): Reading {
  const reading: Pick<ConversationParts, 'createScanner' | 'pacer'> = {
    createScanner: parts.createScanner,
    pacer: createPacer(MAX_WORK_MS),
  };
  const conversations = new Conversations({ ...parts, ...reading, clock: systemClock });
  const exports = createConversationExports({
    open: (filePath) => new Conversation({ ...reading, filePath, isLive: () => false }),
    write: { fs: nodeWriteFs, random: randomUUID },
    events,
    isClosing: parts.isClosing,
  });
  const tasks = new FollowedTasks({
    ...parts,
    ...reading,
    clock: systemClock,
    onChange: (list) => events.tasksChanged(list),
  });
  return Object.assign(conversations, exports, {
    openTasks: (filePath: string) => tasks.openTasks(filePath),
    closeTasks: (filePath: string) => tasks.closeTasks(filePath),
    readSessionEnd,
  });
}
