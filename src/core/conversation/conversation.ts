import type { EditTexts, RepairOffer } from '../../protocol/channels/conversation';
import type {
  Branch,
  ConversationHead,
  ConversationView,
  FindQuery,
  FindResult,
  ItemsPage,
  MemoryCounts,
  OutlineEntry,
  PanelItem,
} from '../../protocol/conversation';
import type { PlannedMemory } from '../../protocol/repair';
import type { SessionMetadata } from '../../protocol/session';
import { DIAGNOSTICS } from '../diagnose/growingSession';
import { NO_ID } from '../transcript/idTable';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import { type RowTable } from '../transcript/rowTable';
import { firstRowFrom, rowAtLine, type TranscriptRows } from '../transcript/transcriptRows';
import { beginsMessage, BranchLabels, type FoundBranch } from './branches';
import { findInView, emptyFindResult, ViewLines } from './find/findInView';
import { describeRow } from './items/describeRow';
import { oneLine } from './items/itemText';
import { bareContext } from './items/rowContext';
import { countAfter, countNow, MessageCounter } from './messageCounter';
import type { ConversationOrder } from './order/conversationOrder';
import { ItemKind } from './order/itemBuilder';
import { readEdit, readImage, readRawLine, readText } from './rowValues';
import { SessionParts, type SessionPartsDeps } from './sessionParts';
import type { TranscriptState } from './transcriptState';

export interface ConversationDeps extends SessionPartsDeps {
  /** Whether a client is running the session. */
  readonly isLive: (sessionId: string) => boolean;
}

/** Maximum number of items in an answer. */
const MAX_PAGE = 1_000;
const NOTHING_KNOWN: SessionMetadata = {
  title: null,
  cwd: null,
  model: null,
  gitBranch: null,
  clientVersion: null,
  lastMessageMs: null,
  parentSessionId: null,
  createdMs: null,
};

/** One open conversation, read on demand. Its owner refreshes and closes it. */
export class Conversation {
  readonly #deps: ConversationDeps;
  readonly #parts: SessionParts;
  readonly #labels = new PromptLabels();
  readonly #branchLabels = new BranchLabels();
  readonly #counter = new MessageCounter();
  #metadata = NOTHING_KNOWN;
  #agentTitle: string | null = null;
  #find: AbortController | null = null;
  /** The view requested last. */
  view: ConversationView = { kind: 'chain' };

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#parts = new SessionParts(deps, () => {
      this.#labels.clear();
      this.#branchLabels.clear();
      this.#counter.clear();
    });
  }

  /** Version of the client whose view of the session is shown. */
  get clientVersion(): string {
    return (this.#deps.diagnostics ?? DIAGNOSTICS).client.version;
  }

  get filePath(): string {
    return this.#deps.filePath;
  }

  /** The revision as of the last reading. Increases with the file, and with the transcripts of subagents. */
  get revision(): number {
    return this.#parts.revision;
  }

  /** Whether a client is running the session. For a subagent's transcript, the session that started it counts. */
  get isLive(): boolean {
    return this.#deps.isLive(this.#parts.ownerId);
  }

  /** Whether the messages in the last head are counted. If not, the next head is closer. */
  get isCounted(): boolean {
    return this.#counter.isExact;
  }

  close(): void {
    this.#find?.abort();
    this.#parts.close();
  }

  /** Checks the file and its subagents. Resolves to true if there is a new head to send. Never rejects. */
  async refresh(): Promise<boolean> {
    const hasChanged = await this.#parts.file.refresh();
    return this.#parts.subagents.refresh() || hasChanged;
  }

  /** Like `refresh`, after another reader has checked the file. */
  noteChanges(): void {
    this.#parts.file.noteChanges();
    this.#parts.subagents.refresh();
  }

  /** The head as of the last check. */
  async head(view: ConversationView = this.view): Promise<ConversationHead> {
    const read = await this.#parts.answers.askRefreshed((state, rows) => ({
      branches: headBranches(state, rows, view, this.#branchLabels),
      memory: this.#memory(state, rows),
      losesMessages: state.losesMessages,
    }));
    const state = await this.#parts.answers.state();
    const result = state?.session.result;
    this.#metadata = state?.session.metadata ?? this.#metadata;
    const { cwd, model, gitBranch } = this.#metadata;
    const title = this.#metadata.title ?? (this.#agentTitle ??= this.#parts.subagentTitle());
    return {
      ...this.#parts.session,
      revision: this.revision,
      ...{ title, cwd, model, gitBranch },
      loads: result?.resume.loads ?? 0,
      of: result?.resume.of ?? 0,
      findings: result?.findings ?? [],
      view,
      ...(read?.branches ?? NO_BRANCHES),
      ...(read !== null && { memory: read.memory }),
      ...(read?.losesMessages === true && { losesMessages: true }),
      count: state?.turns(view).count ?? 0,
      fileSize: state?.index.fileSize ?? 0,
      ...(state === null ? {} : { lineCount: state.index.lineCount }),
      replacements: this.#parts.file.replacements,
      isLive: this.isLive,
      problem: this.#parts.file.problem,
    };
  }

  #memory(state: TranscriptState, rows: TranscriptRows): MemoryCounts {
    const { remembered, messages } = countNow(state, this.#counter, rows);
    return { remembered, messages, hasSummary: state.edges.hasSummary };
  }

  /** What Claude remembers, and what it would remember after a repair. Null if the file cannot be read. */
  async memoryWith(plan: PlannedMemory): Promise<RepairOffer['memory']> {
    await this.refresh();
    return this.#parts.answers.ask((state, rows) => {
      const after = countAfter(plan, state, this.#counter, rows);
      return { before: this.#memory(state, rows), after };
    });
  }

  async items(view: ConversationView, from: number, count: number): Promise<ItemsPage> {
    const first = wholeNumber(from);
    const page = await this.#parts.answers.ask(async (state, rows, pause) => {
      const turns = state.turns(view);
      const reader = this.#parts.itemReader(state, state.order(view), rows);
      const items: PanelItem[] = [];
      const end = Math.min(turns.count, first + Math.min(wholeNumber(count), MAX_PAGE));
      for (let index = first; index < end; index++) {
        items.push(turns.item(index, (place) => reader.item(place)));
        if (!(await pause())) return null;
      }
      return { revision: this.revision, from: first, items };
    });
    return page ?? { revision: this.revision, from: first, items: [] };
  }

  async outline(view: ConversationView): Promise<readonly OutlineEntry[]> {
    const entries = await this.#parts.answers.ask(async (state, rows, pause) => {
      const found: OutlineEntry[] = [];
      const turns = state.turns(view);
      for (const place of promptItems(rows.table, state.order(view))) {
        const entry = outlineEntry(place, state, rows, this.#labels);
        if (entry !== null) found.push({ ...entry, index: turns.itemAt(entry.index) });
        if (!(await pause())) return null;
      }
      return found;
    });
    return entries ?? [];
  }

  text(line: number, path: string): Promise<string | null> {
    return this.#parts.answers.ask((state, rows) => (hasLine(state, line) ? readText(rows, line, path) : null));
  }

  image(line: number, path: string): Promise<string | null> {
    return this.#parts.answers.ask((state, rows) => (hasLine(state, line) ? readImage(rows, line, path) : null));
  }

  line(line: number): Promise<string | null> {
    return this.#parts.answers.ask((state, rows) => (hasLine(state, line) ? readRawLine(rows, line) : null));
  }

  edit(line: number, path: string): Promise<EditTexts | null> {
    return this.#parts.answers.ask((state, rows) =>
      hasLine(state, line) ? readEdit(rows, line, path, this.#parts.filePath) : null,
    );
  }

  persistedOutput(outputPath: string): Promise<string | null> {
    return this.#parts.persistedOutput(outputPath);
  }

  /** A new search cancels the previous one. */
  async find(view: ConversationView, query: FindQuery): Promise<FindResult> {
    this.#find?.abort();
    const controller = new AbortController();
    this.#find = controller;
    const state = await this.#parts.answers.state();
    if (controller.signal.aborted) return emptyFindResult(this.revision, null);
    if (state === null) return emptyFindResult(this.revision, this.#parts.file.problem);
    const { filePath, pacer } = this.#deps;
    const lines = new ViewLines(state.index, state.order(view), state.turns(view));
    const { revision } = this;
    try {
      return await findInView({ filePath, query, revision, lines, pacer, signal: controller.signal });
    } catch {
      // The next reading of the file reports the reason.
      return emptyFindResult(revision, null);
    } finally {
      if (this.#find === controller) this.#find = null;
    }
  }

  async indexOfLine(view: ConversationView, line: number): Promise<number | null> {
    const state = await this.#parts.answers.state();
    if (state === null || !hasLine(state, line)) return null;
    const place = itemOfLine(state.index.rows, state.order(view), line);
    return place === null ? null : state.turns(view).itemAt(place);
  }
}

function hasLine({ index }: TranscriptState, line: number): boolean {
  return Number.isInteger(line) && line >= 1 && line <= index.lineCount;
}

/** Sanitises a number that came over the channel. */
function wholeNumber(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : 0;
}

const MAX_LABEL = 120;
/** Maximum number of cached labels. */
const MAX_LABELS = 50_000;

/**
 * First words of prompts by the offset of their row; null for a row that is not a prompt. Valid while the file only
 * grows.
 */
class PromptLabels {
  readonly #labels = new Map<number, string | null>();

  of(row: number, rows: TranscriptRows): string | null {
    const offset = rows.table.offset(row);
    const known = this.#labels.get(offset);
    if (known !== undefined) return known;
    const object = rows.object(row);
    const block = object === null ? undefined : describeRow(object, bareContext(0)).blocks.find(isPrompt);
    const label = block?.kind === 'text' ? oneLine(block.body.text, MAX_LABEL) : null;
    if (this.#labels.size >= MAX_LABELS) this.#labels.clear();
    this.#labels.set(offset, label);
    return label;
  }

  clear(): void {
    this.#labels.clear();
  }
}

function isPrompt({ kind }: { readonly kind: string }): boolean {
  return kind === 'text';
}

/** Items that may be prompts: user rows with text that are items of their own. */
function* promptItems(rows: RowTable, order: ConversationOrder): Generator<{ index: number; row: number }> {
  for (let index = 0; index < order.count; index++) {
    if (order.kinds[index] !== ItemKind.row) continue;
    const row = order.values[index] ?? 0;
    if (rows.kind(row) === RowKind.user && rows.has(row, RowFlag.hasText)) yield { index, row };
  }
}

/** Null if the row is not a prompt. */
function outlineEntry(
  { index, row }: { readonly index: number; readonly row: number },
  state: TranscriptState,
  rows: TranscriptRows,
  labels: PromptLabels,
): OutlineEntry | null {
  const label = labels.of(row, rows);
  if (label === null) return null;
  const time = rows.table.timestamp(row);
  const forgotten = state.forgottenAs(row);
  return {
    index,
    line: rows.table.line(row),
    label,
    timeMs: Number.isNaN(time) ? null : time,
    isLoaded: state.isLoaded(row) === true,
    ...(forgotten !== null && { forgottenAs: forgotten }),
  };
}

type HeadBranches = Pick<ConversationHead, 'branches' | 'moreBranches'>;

/** Maximum number of branches in a head, which is sent again with each appended row. */
const MAX_BRANCHES = 20;
const NO_BRANCHES: HeadBranches = { branches: [], moreBranches: 0 };

/** The branches of the resumed chain, newest first, and the displayed branch, wherever it starts. */
function headBranches(
  state: TranscriptState,
  rows: TranscriptRows,
  view: ConversationView,
  labels: BranchLabels,
): HeadBranches {
  const all = [...state.order({ kind: 'chain' }).branches.values()].flat().sort((a, b) => b.leaf - a.leaf);
  const told = all.slice(0, MAX_BRANCHES);
  if (view.kind === 'branch' && !told.some(({ leaf }) => rows.table.line(leaf) === view.leafLine)) {
    const shown = all.find(({ leaf }) => rows.table.line(leaf) === view.leafLine) ?? branchOfView(state, rows, view);
    if (shown !== null) told.push(shown);
  }
  const branches: readonly Branch[] = told.map((branch) => labels.describe(branch, rows));
  return { branches, moreBranches: all.filter((branch) => !told.includes(branch)).length };
}

/** The part of a view that is not in the chain: a branch of a branch is not among the chain's own branches. */
function branchOfView(
  state: TranscriptState,
  { table }: TranscriptRows,
  view: ConversationView & { readonly kind: 'branch' },
): FoundBranch | null {
  const [chain, shown] = [state.order({ kind: 'chain' }), state.order(view)];
  const branch = { root: NO_ID, leaf: rowAtLine(table, view.leafLine), ...{ rows: 0, messages: 0, opening: NO_ID } };
  const replies = new Set<number>();
  for (let row = 0; row < table.count; row++) {
    if (shown.itemOfRow[row] === NO_ID || chain.itemOfRow[row] !== NO_ID) continue;
    if (branch.root === NO_ID) branch.root = row;
    branch.rows++;
    if (beginsMessage(row, table, replies)) branch.messages++;
    if (branch.opening === NO_ID && table.holdsContent(row)) branch.opening = row;
  }
  return branch.leaf === NO_ID || branch.opening === NO_ID ? null : branch;
}

/** The place in the order of the item that displays a line; null if the line is not in the view. */
function itemOfLine(rows: RowTable, order: ConversationOrder, line: number): number | null {
  const first = firstRowFrom(rows, line);
  for (let row = first; row < rows.count && rows.line(row) === line; row++) {
    const item = order.itemOfRow[row] ?? NO_ID;
    if (item !== NO_ID) return item;
  }
  return otherItemAt(order, line, first === 0 ? 0 : rows.line(first - 1));
}

/** The item of a line without a row. One item may represent several faulty lines. */
function otherItemAt({ kinds, values }: ConversationOrder, line: number, rowBefore: number): number | null {
  let fault: number | null = null;
  for (let item = 0; item < kinds.length; item++) {
    if (kinds[item] === ItemKind.row) continue;
    const value = values[item] ?? 0;
    if (value === line) return item;
    if (kinds[item] === ItemKind.fault && value < line && value > rowBefore) fault = item;
  }
  return fault;
}
