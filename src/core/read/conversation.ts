import { basename } from 'node:path';
import type { EditTexts } from '../../shared/api/conversation';
import type {
  ConversationHead,
  ConversationItem,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  OutlineEntry,
} from '../../shared/conversation';
import type { SessionMetadata } from '../../shared/session';
import type { ScannerFactory } from '../scan/scanner';
import type { Pacer } from '../util/pacer';
import { ConversationFile } from './conversationFile';
import { BranchLabels } from './describe/describeBranch';
import { findInView, nothing } from './find/findInView';
import { ViewLines } from './find/viewLines';
import { FileAnswers } from './fileAnswers';
import { headBranches, NO_BRANCHES } from './headBranches';
import { ItemReader } from './itemReader';
import { itemOfLine } from './order/itemOfLine';
import { outlineEntry, PromptLabels, promptItems } from './outline';
import { RowMemory } from './rows/transcriptRows';
import { readEdit, readImage, readRawLine, readText } from './rowValues';
import { sessionFolder, SubagentIndex } from './subagentIndex';
import { subagentTitle } from './subagentTitle';
import type { TranscriptState } from './transcriptState';

export interface ConversationParts {
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  /** A client runs the session. */
  readonly isLive: (sessionId: string) => boolean;
  /** Revisions count up from it: above those of whoever had the conversation open before. */
  readonly firstRevision?: number;
}

/** Items of one answer. */
const MAX_PAGE = 1_000;
const NOTHING_KNOWN: SessionMetadata = {
  title: null,
  cwd: null,
  model: null,
  gitBranch: null,
  clientVersion: null,
  lastMessageMs: null,
  parentSessionId: null,
};

/** One open conversation: what its transcript says, as far as it is asked for. To be refreshed, and closed, by its owner. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #file: ConversationFile;
  readonly #answers: FileAnswers;
  readonly #memory = new RowMemory();
  readonly #labels = new PromptLabels();
  readonly #branchLabels = new BranchLabels();
  readonly #subagents: SubagentIndex;
  #metadata = NOTHING_KNOWN;
  #agentTitle: string | null = null;
  #find: AbortController | null = null;
  /** The one that was asked for last. */
  view: ConversationView = { kind: 'chain' };

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#subagents = new SubagentIndex(parts.filePath);
    const forget = (): void => {
      this.#memory.clear();
      this.#labels.clear();
      this.#branchLabels.clear();
    };
    const { filePath, createScanner, pacer, firstRevision } = parts;
    this.#file = new ConversationFile(filePath, createScanner, pacer, forget, firstRevision);
    this.#answers = new FileAnswers(this.#file, this.#memory, parts.pacer);
  }

  get filePath(): string {
    return this.#parts.filePath;
  }

  /** Of what was read last: counts up with the file, and with the subagents whose transcripts are there. */
  get revision(): number {
    return this.#file.revision + this.#subagents.revision;
  }

  /** A client runs the session; of a subagent's transcript, the session that started it. */
  get isLive(): boolean {
    return this.#parts.isLive(basename(sessionFolder(this.filePath)));
  }

  close(): void {
    this.#find?.abort();
    this.#file.close();
    this.#memory.clear();
  }

  /** Looks at the file, and for its subagents. True when there is a new head to tell. Never rejects. */
  async refresh(): Promise<boolean> {
    const hasChanged = await this.#file.refresh();
    return this.#subagents.look() || hasChanged;
  }

  async head(view: ConversationView = this.view): Promise<ConversationHead> {
    const branches = await this.#answers.ask((state, rows) => headBranches(state, rows, view, this.#branchLabels));
    const state = await this.#answers.state();
    const result = state?.session.result;
    this.#metadata = state?.session.metadata ?? this.#metadata;
    const { cwd, model, gitBranch } = this.#metadata;
    const title = this.#metadata.title ?? (this.#agentTitle ??= subagentTitle(this.filePath));
    return {
      revision: this.revision,
      filePath: this.filePath,
      sessionId: basename(this.filePath, '.jsonl'),
      ...{ title, cwd, model, gitBranch },
      loads: result?.resume.loads ?? 0,
      of: result?.resume.of ?? 0,
      findings: result?.findings ?? [],
      view,
      ...(branches ?? NO_BRANCHES),
      count: state?.order(view).count ?? 0,
      fileSize: state?.facts.fileSize ?? 0,
      replacements: this.#file.replacements,
      isLive: this.isLive,
      problem: this.#file.problem,
    };
  }

  async items(view: ConversationView, from: number, count: number): Promise<ItemsPage> {
    const first = wholeNumber(from);
    const page = await this.#answers.ask(async (state, rows, pause) => {
      const order = state.order(view);
      const reader = new ItemReader(state, order, rows, (call, agent) => this.#subagents.find(call, agent));
      const items: ConversationItem[] = [];
      const end = Math.min(order.count, first + Math.min(wholeNumber(count), MAX_PAGE));
      for (let index = first; index < end; index++) {
        items.push(reader.item(index));
        if (!(await pause())) return null;
      }
      return { revision: this.revision, from: first, items };
    });
    return page ?? { revision: this.revision, from: first, items: [] };
  }

  async outline(view: ConversationView): Promise<readonly OutlineEntry[]> {
    const entries = await this.#answers.ask(async (state, rows, pause) => {
      const found: OutlineEntry[] = [];
      for (const place of promptItems(rows.table, state.order(view))) {
        const entry = outlineEntry(place, state, rows, this.#labels);
        if (entry !== null) found.push(entry);
        if (!(await pause())) return null;
      }
      return found;
    });
    return entries ?? [];
  }

  text(line: number, path: string): Promise<string | null> {
    return this.#answers.ask((state, rows) => (hasLine(state, line) ? readText(rows, line, path) : null));
  }

  image(line: number, path: string): Promise<string | null> {
    return this.#answers.ask((state, rows) => (hasLine(state, line) ? readImage(rows, line, path) : null));
  }

  line(line: number): Promise<string | null> {
    return this.#answers.ask((state, rows) => (hasLine(state, line) ? readRawLine(rows, line) : null));
  }

  edit(line: number, path: string): Promise<EditTexts | null> {
    return this.#answers.ask((state, rows) => (hasLine(state, line) ? readEdit(rows, line, path) : null));
  }

  /** A newer one cancels those before it. */
  async find(view: ConversationView, query: FindQuery): Promise<FindResult> {
    this.#find?.abort();
    const controller = new AbortController();
    this.#find = controller;
    const state = await this.#answers.state();
    if (state === null || controller.signal.aborted) return nothing(this.revision, null);
    const { filePath, pacer } = this.#parts;
    const lines = new ViewLines(state.facts, state.order(view));
    const { revision } = this;
    try {
      return await findInView({ filePath, query, revision, lines, pacer, signal: controller.signal });
    } catch {
      // The next reading of the file says why.
      return nothing(revision, null);
    } finally {
      if (this.#find === controller) this.#find = null;
    }
  }

  async indexOfLine(view: ConversationView, line: number): Promise<number | null> {
    const state = await this.#answers.state();
    if (state === null || !hasLine(state, line)) return null;
    return itemOfLine(state.facts.rows, state.order(view), line);
  }
}

function hasLine({ facts }: TranscriptState, line: number): boolean {
  return Number.isInteger(line) && line >= 1 && line <= facts.lineCount;
}

/** What came over the channel as a number. */
function wholeNumber(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
}
