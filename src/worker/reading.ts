import { randomUUID } from 'node:crypto';
import { systemClock } from '../core/catalog/clock';
import { createConversationExports } from '../core/export/conversationExports';
import { Conversation, type ConversationParts } from '../core/read/conversation';
import { Conversations, type ConversationsParts } from '../core/read/conversations';
import { createPacer } from '../core/util/pacer';
import { nodeWriteFs } from '../core/write/writeFs';
import type { ConversationsApi } from '../shared/api/conversation';
import type { ExportApi, ExportEvents } from '../shared/api/export';

/** Longest work between two turns of the event loop, in milliseconds. */
const MAX_WORK_MS = 10;

export type ReadingApi = ConversationsApi & ExportApi;

export interface Reading extends ReadingApi {
  /** Resolves when no export runs any more. */
  settled(): Promise<void>;
}

export type ReadingParts = Omit<ConversationsParts, 'pacer' | 'clock'> & { readonly events: ExportEvents };

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
  return Object.assign(conversations, exports);
}
