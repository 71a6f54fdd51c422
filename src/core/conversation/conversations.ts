import { isSubagentName } from '../providers/claude/format/paths';
import { resolve } from 'node:path';
import type { ConversationCalls, EditTexts, RepairOffer } from '../../protocol/channels/conversation';
import type {
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  OutlineEntry,
} from '../../protocol/conversation';
import type { RepairPlanOutcome, RepairScope } from '../../protocol/repair';
import type { SessionRef } from '../../protocol/session';
import type { Diagnostics } from '../diagnose/verdict';
import type { LiveTranscripts } from '../transcript/liveTranscripts';
import type { ScannerFactory } from '../transcript/scanner';
import type { Clock, Pacer } from '../util/scheduling';
import { Conversation } from './conversation';

export interface ConversationsDeps {
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** Sessions with a running client. */
  readonly liveSessions: () => Promise<ReadonlySet<string>>;
  /** The next head of the same conversation is sent after it resolves. */
  readonly onChange: (head: ConversationHead) => void | Promise<void>;
  /** The client that the person has, which may change. */
  readonly diagnostics: () => Diagnostics;
  readonly transcripts: Pick<LiveTranscripts, 'open'>;
  readonly planRepair: (session: SessionRef, scope?: RepairScope) => Promise<RepairPlanOutcome>;
  /** Whether the worker is shutting down and nothing may be started. */
  readonly isClosing: () => boolean;
}

/** Each conversation uses some megabytes. The least recently used one is closed, and opened again on demand. */
const MAX_OPEN = 16;
/** Minimum time between two reads of the running sessions, in milliseconds. */
const LIVE_POLL_MS = 1_000;

/** The conversations that panels display. */
export class Conversations implements ConversationCalls {
  readonly #deps: ConversationsDeps;
  /** Ordered by last use, most recent last. */
  readonly #open = new Map<string, Conversation>();
  /** Conversations whose head is being sent; true if a later head must follow. */
  readonly #telling = new Map<Conversation, boolean>();
  /** From the last head sent for each conversation. A call may notice a change before the poll does. */
  readonly #told = new WeakMap<Conversation, Pick<ConversationHead, 'revision' | 'isLive'>>();
  /** As of the last check of each conversation. */
  readonly #wasLive = new WeakMap<Conversation, boolean>();
  #live: ReadonlySet<string> = new Set();
  #liveReadMs = -Infinity;
  #isClosed = false;

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
  }

  /** Permanently closes all conversations. */
  close(): void {
    this.#isClosed = true;
    for (const conversation of this.#open.values()) conversation.close();
    this.#open.clear();
  }

  async openConversation(filePath: string, view: ConversationView): Promise<ConversationHead> {
    this.#closeOfOtherClient(filePath);
    const conversation = this.#get(filePath);
    conversation.view = view;
    await Promise.all([conversation.refresh(), this.#readLive()]);
    this.#wasLive.set(conversation, conversation.isLive);
    const head = await conversation.head(view);
    this.#told.set(conversation, head);
    return head;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async closeConversation(filePath: string): Promise<void> {
    this.#open.get(filePath)?.close();
    this.#open.delete(filePath);
  }

  async conversationItems(filePath: string, view: ConversationView, from: number, count: number): Promise<ItemsPage> {
    return this.#get(filePath).items(view, from, count);
  }

  async conversationOutline(filePath: string, view: ConversationView): Promise<readonly OutlineEntry[]> {
    return this.#get(filePath).outline(view);
  }

  async conversationText(filePath: string, line: number, path: string): Promise<string | null> {
    return this.#get(filePath).text(line, path);
  }

  async conversationImage(filePath: string, line: number, path: string): Promise<string | null> {
    return this.#get(filePath).image(line, path);
  }

  async persistedOutput(filePath: string, outputPath: string): Promise<string | null> {
    return this.#get(filePath).persistedOutput(outputPath);
  }

  async findInConversation(filePath: string, view: ConversationView, query: FindQuery): Promise<FindResult> {
    return this.#get(filePath).find(view, query);
  }

  async indexOfLine(filePath: string, view: ConversationView, line: number): Promise<number | null> {
    return this.#get(filePath).indexOfLine(view, line);
  }

  async conversationLine(filePath: string, line: number): Promise<string | null> {
    return this.#get(filePath).line(line);
  }

  async conversationEdit(filePath: string, line: number, path: string): Promise<EditTexts | null> {
    return this.#get(filePath).edit(line, path);
  }

  async planRepair(session: SessionRef, scope?: RepairScope): Promise<RepairOffer> {
    const { memoryAfter, ...outcome } = await this.#deps.planRepair(session, scope);
    const memory = memoryAfter === undefined ? null : await this.#get(session.path).memoryWith(memoryAfter);
    return { ...outcome, memory };
  }

  #get(filePath: string): Conversation {
    if (this.#isClosed || this.#deps.isClosing())
      throw new Error('Failed to read the conversation: the worker is shutting down');
    const conversation = this.#open.get(filePath) ?? this.#create(filePath);
    this.#open.delete(filePath);
    this.#open.set(filePath, conversation);
    if (this.#open.size > MAX_OPEN) this.#closeOne(filePath);
    return conversation;
  }

  #create(filePath: string): Conversation {
    const open = this.#deps.transcripts.open(resolve(filePath));
    const conversation = new Conversation({
      ...this.#deps,
      diagnostics: this.#deps.diagnostics(),
      filePath,
      open,
      isLive: (sessionId) => this.#live.has(sessionId),
      // Each checks its file less than once per millisecond, so revisions stay below the clock.
      firstRevision: this.#deps.clock.now(),
    });
    this.#wasLive.set(conversation, conversation.isLive);
    open.listen(() => this.#look(conversation));
    return conversation;
  }

  /** What is open keeps its client until a panel opens it again. */
  #closeOfOtherClient(filePath: string): void {
    const conversation = this.#open.get(filePath);
    if (conversation === undefined || conversation.clientVersion === this.#deps.diagnostics().client.version) return;
    conversation.close();
    this.#open.delete(filePath);
  }

  /** A closed conversation is no longer followed, so subagents are closed before the session that a panel displays. */
  #closeOne(asked: string): void {
    const others = [...this.#open.keys()].filter((path) => path !== asked);
    const oldest = others.find(isSubagentName) ?? others[0];
    if (oldest === undefined) return;
    this.#open.get(oldest)?.close();
    this.#open.delete(oldest);
  }

  async #look(conversation: Conversation): Promise<void> {
    await this.#readLive();
    conversation.noteChanges();
    const { revision, isLive } = conversation;
    const told = this.#told.get(conversation)?.revision ?? revision;
    const hasNews = told !== revision || isLive !== this.#wasLive.get(conversation);
    // The messages of a very long conversation are counted in steps.
    if (hasNews || !conversation.isCounted) void this.#tell(conversation);
    this.#wasLive.set(conversation, isLive);
  }

  /** A slow extension receives only the latest head. */
  async #tell(conversation: Conversation): Promise<void> {
    const isOnItsWay = this.#telling.has(conversation);
    this.#telling.set(conversation, isOnItsWay);
    if (isOnItsWay) return;
    do {
      this.#telling.set(conversation, false);
      if (this.#open.get(conversation.filePath) !== conversation) break;
      try {
        const head = await conversation.head();
        this.#told.set(conversation, head);
        await this.#deps.onChange(head);
      } catch {
        // If the extension is gone, nothing more is sent.
        break;
      }
      // The head that was being created when the change was noticed may already contain it.
    } while (this.#telling.get(conversation) === true && this.#hasNews(conversation));
    this.#telling.delete(conversation);
  }

  #hasNews(conversation: Conversation): boolean {
    const told = this.#told.get(conversation);
    return told?.revision !== conversation.revision || told.isLive !== conversation.isLive;
  }

  async #readLive(): Promise<void> {
    const now = this.#deps.clock.now();
    // A clock can be set back.
    if (Math.abs(now - this.#liveReadMs) < LIVE_POLL_MS) return;
    this.#liveReadMs = now;
    // If the registry cannot be read, the last known state is kept.
    this.#live = await this.#deps.liveSessions().catch(() => this.#live);
  }
}
