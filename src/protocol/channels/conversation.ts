import { answeredEvent, call, type Calls, defineChannel } from '../channel';
import type {
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  OutlineEntry,
} from '../conversation';

const MINUTE_MS = 60_000;
/** A transcript of some gigabytes is read when it is opened; what is asked of one that is open takes less. */
const OPEN_MS = 10 * MINUTE_MS;
const READ_MS = 2 * MINUTE_MS;

/** Conversations that are open in the worker; `filePath` names one. Every answer is made of what the file says at that time. */
export const conversationChannel = defineChannel(
  'conversation',
  {
    /** Opens the conversation if it is not, and says what is known of it. */
    openConversation: call<(filePath: string, view: ConversationView) => ConversationHead>({ timeoutMs: OPEN_MS }),
    closeConversation: call<(filePath: string) => void>({ timeoutMs: READ_MS }),
    conversationItems: call<(filePath: string, view: ConversationView, from: number, count: number) => ItemsPage>({
      timeoutMs: READ_MS,
    }),
    conversationOutline: call<(filePath: string, view: ConversationView) => readonly OutlineEntry[]>({
      timeoutMs: READ_MS,
    }),
    /** All of a text that was cut: `path` of its block or result in the row at `line`. Null when it is not there any more. */
    conversationText: call<(filePath: string, line: number, path: string) => string | null>({ timeoutMs: READ_MS }),
    /** An image as a data URL; null when it is none, or too large. */
    conversationImage: call<(filePath: string, line: number, path: string) => string | null>({ timeoutMs: READ_MS }),
    /** The output that the client kept in a file of the session. */
    persistedOutput: call<(filePath: string, outputPath: string) => string | null>({ timeoutMs: READ_MS }),
    findInConversation: call<(filePath: string, view: ConversationView, query: FindQuery) => FindResult>({
      timeoutMs: READ_MS,
    }),
    /** Index of the item that shows the row at `line`; null when it is in another view. */
    indexOfLine: call<(filePath: string, view: ConversationView, line: number) => number | null>({
      timeoutMs: READ_MS,
    }),
    /** The line as it stands in the file; null when there is none. Of a line beyond 16 MiB, the beginning. */
    conversationLine: call<(filePath: string, line: number) => string | null>({ timeoutMs: READ_MS }),
    /** What the edit, or the writing, at `path` (of the call's block) in the row at `line` changed; null when it is none. */
    conversationEdit: call<(filePath: string, line: number, path: string) => EditTexts | null>({ timeoutMs: READ_MS }),
  },
  {
    /** An open conversation grew, was replaced or is gone. `count` is that of the view it was opened with last. */
    conversationChanged: answeredEvent<(head: ConversationHead) => void>(),
  },
);

export type ConversationCalls = Calls<typeof conversationChannel>;

/** A file before and after an edit: all of it where the transcript tells, else the passage that was replaced. */
export interface EditTexts {
  /** Of the edited file, as the call names it. */
  readonly filePath: string;
  readonly before: string;
  readonly after: string;
}
