import type {
  ExportCalls,
  ExportEvents,
  ExportFormat,
  ExportOutcome,
  ExportRequest,
  RedactionPreview,
} from '../../../protocol/channels/exports';
import type {
  ContentBlock,
  ConversationHead,
  ConversationItem,
  ConversationView,
  CutText,
  ItemsPage,
  RowItem,
  ToolInput,
  ToolResult,
} from '../../../protocol/conversation';
import type { WriteDeps } from '../../storage/openTranscript';
import { writeExport } from '../../storage/writeExport';
import { exportHtml, type ReadImage } from './exportHtml';
import { exportMarkdown } from './exportMarkdown';
import { redactItem, Redactor } from './redact';

/** Increases when the meaning of a field changes. */
const FORMAT_VERSION = 1;

/**
 * Writes one JSON document with one item per line, so that line tools can read long ones. Complete texts are written as
 * plain strings. An image is described by its type, its size and its location: the line of its item or result, and the
 * path in that row.
 */
async function* exportJson(head: ConversationHead, items: AsyncIterable<ConversationItem>): AsyncGenerator<string> {
  const { id: sessionId, title, cwd, model, gitBranch, loads, of, findings } = head;
  const session = { sessionId, title, cwd, model, gitBranch, resume: { loads, of }, findings };
  let separator = `{"format":"rethread-conversation","version":${FORMAT_VERSION},"session":${JSON.stringify(session)},"items":[\n`;
  for await (const item of items) {
    yield separator + JSON.stringify(item, plainTexts);
    separator = ',\n';
  }
  yield `${separator === ',\n' ? '\n' : separator}]}\n`;
}

function plainTexts(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('more' in value) || !('text' in value)) return value;
  return value.more === 0 ? value.text : value;
}

/** A conversation that is opened only for an export: no other caller closes it or requests another view. */
export interface ExportedConversation {
  refresh(): Promise<boolean>;
  head(view: ConversationView): Promise<ConversationHead>;
  items(view: ConversationView, from: number, count: number): Promise<ItemsPage>;
  text(line: number, path: string): Promise<string | null>;
  image(line: number, path: string): Promise<string | null>;
  close(): void;
}

export interface ExportsDeps {
  readonly open: (filePath: string) => ExportedConversation;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
  readonly events: ExportEvents;
  /** Whether the thread is shutting down, which also ends exports. */
  readonly isClosing?: () => boolean;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

const EXPORTERS: Readonly<
  Record<
    ExportFormat,
    (head: ConversationHead, items: AsyncIterable<ConversationItem>, readImage: ReadImage) => AsyncIterable<string>
  >
> = { markdown: exportMarkdown, html: exportHtml, json: exportJson };

/** Number of items read at a time. */
const PAGE_ITEMS = 100;
/** Minimum time between two progress reports. */
const PROGRESS_MS = 200;

export interface ConversationExports extends ExportCalls {
  /** Resolves when no export is running any more: each file is then complete or deleted. */
  settled(): Promise<void>;
}

/** The running exports, by the ids that their callers assigned. */
export function createConversationExports(deps: ExportsDeps): ConversationExports {
  const running = new Map<string, AbortController>();
  const works = new Set<Promise<unknown>>();

  async function run<T>(
    exportId: string,
    cancelled: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    running.get(exportId)?.abort();
    const controller = new AbortController();
    running.set(exportId, controller);
    const working = work(AbortSignal.any([cancelled, controller.signal]));
    works.add(working);
    try {
      return await working;
    } finally {
      works.delete(working);
      if (running.get(exportId) === controller) running.delete(exportId);
    }
  }

  return {
    exportConversation: (request, exportId, cancelled) =>
      run(exportId, cancelled, (signal) => exportOne(request, deps, new Reporter(deps, exportId, signal))),
    previewRedaction: (filePath, view, exportId, cancelled) =>
      run(exportId, cancelled, (signal) => preview(filePath, view, deps, new Reporter(deps, exportId, signal))),
    settled: async () => {
      await Promise.allSettled(works);
    },
  };
}

/** Reports the progress of an export, and whether it must stop. */
class Reporter {
  readonly #now: () => number;
  #reportedMs: number;

  constructor(
    private readonly deps: ExportsDeps,
    private readonly exportId: string,
    private readonly signal: AbortSignal,
  ) {
    this.#now = deps.now ?? ((): number => performance.now());
    this.#reportedMs = this.#now();
  }

  get isStopped(): boolean {
    return this.signal.aborted || this.deps.isClosing?.() === true;
  }

  async report(done: number, total: number): Promise<void> {
    if (this.#now() - this.#reportedMs < PROGRESS_MS) return;
    this.#reportedMs = this.#now();
    await this.deps.events.exportProgress({ exportId: this.exportId, itemsDone: done, itemsTotal: total });
  }
}

/** Thrown if an export is cancelled, and caught in this file. */
class Stopped extends Error {}

async function exportOne(request: ExportRequest, deps: ExportsDeps, reporter: Reporter): Promise<ExportOutcome> {
  const { filePath, view, format, isRedacted, target } = request;
  const conversation = deps.open(filePath);
  const redactor = isRedacted ? new Redactor() : null;
  let items = 0;
  const outcome = (part: Partial<ExportOutcome>): ExportOutcome => ({
    bytes: 0,
    items,
    redactions: redactor?.findings ?? [],
    isCancelled: false,
    problem: null,
    ...part,
  });
  async function* counted(): AsyncGenerator<ConversationItem> {
    for await (const item of readItems(conversation, view, reporter)) {
      items += 1;
      yield redactor === null ? item : redactItem(item, redactor);
    }
  }
  try {
    await conversation.refresh();
    const head = await conversation.head(view);
    if (head.problem !== null) return outcome({ problem: head.problem });
    const shownHead = redactor === null ? head : redactItem(head, redactor);
    const pieces = EXPORTERS[format](shownHead, counted(), (line, path) => conversation.image(line, path));
    const written = await writeExport(target, filePath, pieces, deps.write);
    return written.kind === 'written' ? outcome({ bytes: written.bytes }) : outcome({ problem: written.problem });
  } catch (error) {
    if (error instanceof Stopped) return outcome({ isCancelled: true });
    throw error;
  } finally {
    conversation.close();
  }
}

async function preview(
  filePath: string,
  view: ConversationView,
  deps: ExportsDeps,
  reporter: Reporter,
): Promise<RedactionPreview> {
  const conversation = deps.open(filePath);
  const redactor = new Redactor();
  let title: string | null = null;
  try {
    await conversation.refresh();
    const head = await conversation.head(view);
    if (head.problem !== null) throw new Error(head.problem);
    title = redactItem(head, redactor).title;
    for await (const item of readItems(conversation, view, reporter)) redactItem(item, redactor);
    return { secrets: redactor.findings, title };
  } catch (error) {
    // The caller no longer waits for the result.
    if (error instanceof Stopped) return { secrets: redactor.findings, title };
    throw error;
  } finally {
    conversation.close();
  }
}

/** If the transcript grows in the meantime, only the items that it had at the start are read. */
async function* readItems(
  conversation: ExportedConversation,
  view: ConversationView,
  reporter: Reporter,
): AsyncGenerator<ConversationItem> {
  const { count } = await conversation.head(view);
  const readText = (line: number, path: string): Promise<string | null> => conversation.text(line, path);
  for (let from = 0; from < count;) {
    const page = await conversation.items(view, from, Math.min(PAGE_ITEMS, count - from));
    if (page.items.length === 0) return;
    for (const item of page.items) {
      if (reporter.isStopped) throw new Stopped();
      yield await wholeItem(item, readText);
    }
    from += page.items.length;
    await reporter.report(from, count);
  }
}

/** Reads the whole of a truncated text, by the line and the path of its value; null if it no longer exists. */
export type ReadText = (line: number, path: string) => Promise<string | null>;

/**
 * The item with its complete texts. A tool's input becomes JSON if one of its truncated fields cannot be read
 * separately.
 */
async function wholeItem(item: ConversationItem, read: ReadText): Promise<ConversationItem> {
  if (item.kind !== 'row') return item;
  const blocks: ContentBlock[] = [];
  for (const block of item.blocks) blocks.push(await wholeBlock(block, item, read));
  return { ...item, blocks };
}

async function wholeBlock(block: ContentBlock, { line }: RowItem, read: ReadText): Promise<ContentBlock> {
  switch (block.kind) {
    case 'text':
    case 'thinking':
    case 'summary':
    case 'error':
    case 'raw':
      return { ...block, body: await whole(block.body, line, block.path, read) };
    case 'note':
      return block.body === null ? block : { ...block, body: await whole(block.body, line, block.path, read) };
    case 'tool': {
      const input = await wholeInput(block.input, line, `${block.path}.input`, read);
      const result =
        block.result === null
          ? null
          : { ...(await wholeResult(block.result, block.result.line, read)), line: block.result.line };
      return { ...block, input, result };
    }
    case 'result':
      return { ...block, result: await wholeResult(block.result, line, read) };
    case 'image':
    case 'compaction':
    case 'interruption':
      return block;
  }
}

async function wholeResult(result: ToolResult, line: number, read: ReadText): Promise<ToolResult> {
  return result.text === null ? result : { ...result, text: await whole(result.text, line, result.path, read) };
}

async function wholeInput(input: ToolInput, line: number, path: string, read: ReadText): Promise<ToolInput> {
  switch (input.kind) {
    case 'bash':
      return { ...input, command: await whole(input.command, line, `${path}.command`, read) };
    case 'write': {
      if (isCutField(input.filePath)) return asJson(input, line, path, read);
      if (input.content.more === 0) return input;
      const content = await read(line, `${path}.content`);
      return content === null ? asJson(input, line, path, read) : { ...input, content: { text: content, more: 0 } };
    }
    case 'agent':
      return { ...input, prompt: await whole(input.prompt, line, `${path}.prompt`, read) };
    case 'json':
      return { ...input, json: await whole(input.json, line, path, read) };
    case 'diff': {
      const isCut =
        input.more > 0 ||
        isCutField(input.filePath) ||
        input.hunks.some(({ lines }) => lines.some(({ text }) => text.endsWith('…')));
      return isCut ? asJson(input, line, path, read) : input;
    }
    case 'search':
      return [input.pattern, input.where].some(isCutField) ? asJson(input, line, path, read) : input;
    case 'web':
      return [input.url, input.query, input.prompt].some(isCutField) ? asJson(input, line, path, read) : input;
    case 'todos':
      return input.todos.some(({ text }) => text.endsWith('…')) ? asJson(input, line, path, read) : input;
    case 'read':
      return isCutField(input.filePath) ? asJson(input, line, path, read) : input;
  }
}

/**
 * A field of this length or more may have been truncated: this is the limit less half a surrogate pair. Fields that are
 * truncated at lower limits end in "…".
 */
const MAX_FIELD = 3_999;

function isCutField(field: string | null): boolean {
  return field !== null && (field.length >= MAX_FIELD || field.endsWith('…'));
}

async function asJson(input: ToolInput, line: number, path: string, read: ReadText): Promise<ToolInput> {
  const json = await read(line, path);
  return json === null ? input : { kind: 'json', json: { text: json, more: 0 } };
}

async function whole(cut: CutText, line: number, path: string, read: ReadText): Promise<CutText> {
  if (cut.more === 0) return cut;
  const text = await read(line, path);
  return text === null ? cut : { text, more: 0 };
}
