import { answeredEvent, call, type Calls, defineChannel } from '../channel';
import type { RepairPlanOutcome, RepairScope } from '../repair';
import type { SessionRef } from '../session';
import type {
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  MemoryCounts,
  OutlineEntry,
} from '../conversation';

const MINUTE_MS = 60_000;
/** Opening reads the transcript, possibly several gigabytes; calls on an open conversation take less time. */
const OPEN_MS = 10 * MINUTE_MS;
const READ_MS = 2 * MINUTE_MS;

/**
 * Conversations open in the worker; `filePath` identifies one. Every answer reflects the content of the file at that time.
 */
export const conversationChannel = defineChannel(
  'conversation',
  {
    /** Opens the conversation if it is not open, and returns its head. */
    openConversation: call<(filePath: string, view: ConversationView) => ConversationHead>({ timeoutMs: OPEN_MS }),
    closeConversation: call<(filePath: string) => void>({ timeoutMs: READ_MS }),
    conversationItems: call<(filePath: string, view: ConversationView, from: number, count: number) => ItemsPage>({
      timeoutMs: READ_MS,
    }),
    conversationOutline: call<(filePath: string, view: ConversationView) => readonly OutlineEntry[]>({
      timeoutMs: READ_MS,
    }),
    /**
     * The complete text of a truncated value. `path`: its block or result in the row at `line`. Null if it no longer exists.
     */
    conversationText: call<(filePath: string, line: number, path: string) => string | null>({ timeoutMs: READ_MS }),
    /** An image as a data URL; null if it is not an image or is too large. */
    conversationImage: call<(filePath: string, line: number, path: string) => string | null>({ timeoutMs: READ_MS }),
    /** Tool output that the client saved in a file of the session. */
    persistedOutput: call<(filePath: string, outputPath: string) => string | null>({ timeoutMs: READ_MS }),
    findInConversation: call<(filePath: string, view: ConversationView, query: FindQuery) => FindResult>({
      timeoutMs: READ_MS,
    }),
    /** Index of the item that shows the row at `line`; null if it is in another view. */
    indexOfLine: call<(filePath: string, view: ConversationView, line: number) => number | null>({
      timeoutMs: READ_MS,
    }),
    /** The raw line of the file; null if there is none. Only the beginning of a line longer than 16 MiB. */
    conversationLine: call<(filePath: string, line: number) => string | null>({ timeoutMs: READ_MS }),
    /** What a repair of the session would do, proven by simulation. Changes nothing. By default `all`. */
    planRepair: call<(session: SessionRef, scope?: RepairScope) => RepairOffer>({ timeoutMs: OPEN_MS }),
    /**
     * The change made by the edit or write call whose block is at `path` in the row at `line`; null if it is not such a
     * call.
     */
    conversationEdit: call<(filePath: string, line: number, path: string) => EditTexts | null>({ timeoutMs: READ_MS }),
  },
  {
    /** An open conversation grew, was replaced or was deleted. `count` refers to the view it was last opened with. */
    conversationChanged: answeredEvent<(head: ConversationHead) => void>(),
  },
);

/** A plan, and what it is worth to Claude. */
export interface RepairOffer extends Omit<RepairPlanOutcome, 'memoryAfter'> {
  /** What Claude remembers, now and after the repair. Null if nothing is planned, or if the transcript cannot be read. */
  readonly memory: { readonly before: MemoryCounts; readonly after: MemoryCounts } | null;
}

export type ConversationCalls = Calls<typeof conversationChannel>;

/** A file before and after an edit: the whole file if the transcript holds it, otherwise the replaced passage. */
export interface EditTexts {
  /** Path of the edited file, as given in the call. */
  readonly filePath: string;
  readonly before: string;
  readonly after: string;
}
