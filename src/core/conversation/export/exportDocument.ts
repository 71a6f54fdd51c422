import type { ExportFormat } from '../../../protocol/channels/exports';
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
import { exportHtml, type ReadImage } from './exportHtml';
import { exportMarkdown } from './exportMarkdown';
import { redactItem, type Redactor } from './redact';

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

const EXPORTERS: Readonly<
  Record<
    ExportFormat,
    (head: ConversationHead, items: AsyncIterable<ConversationItem>, readImage: ReadImage) => AsyncIterable<string>
  >
> = { markdown: exportMarkdown, html: exportHtml, json: exportJson };

export interface DocumentRequest {
  readonly view: ConversationView;
  readonly format: ExportFormat;
  /** Applied one after the other; none if secrets are kept. */
  readonly redactors: readonly Redactor[];
  readonly progress: DocumentProgress;
}

/** How a document is being made. */
export interface DocumentProgress {
  readonly isStopped: boolean;
  report(done: number, total: number): Promise<void>;
}

/**
 * The document of a conversation, in pieces. `head` is that of the view; the pieces are read while they are consumed.
 * `onItem` is called for each item.
 *
 * @throws Stopped
 */
export function conversationDocument(
  conversation: ExportedConversation,
  head: ConversationHead,
  { view, format, redactors, progress }: DocumentRequest,
  onItem: () => void = () => undefined,
): AsyncIterable<string> {
  async function* shown(): AsyncGenerator<ConversationItem> {
    for await (const item of readItems(conversation, view, progress)) {
      onItem();
      yield redactedBy(item, redactors);
    }
  }
  return EXPORTERS[format](redactedBy(head, redactors), shown(), (line, path) => conversation.image(line, path));
}

/** The item or head without what each of the redactors finds in what the one before leaves. */
export function redactedBy<T extends ConversationItem | ConversationHead>(item: T, redactors: readonly Redactor[]): T {
  return redactors.reduce((each, redactor) => redactItem(each, redactor), item);
}

/** Thrown if an export is cancelled. */
export class Stopped extends Error {}

/** Number of items read at a time. */
const PAGE_ITEMS = 100;
/** If the transcript grows in the meantime, only the items that it had at the start are read. */
export async function* readItems(
  conversation: ExportedConversation,
  view: ConversationView,
  progress: DocumentProgress,
): AsyncGenerator<ConversationItem> {
  const { count } = await conversation.head(view);
  const readText = (line: number, path: string): Promise<string | null> => conversation.text(line, path);
  for (let from = 0; from < count;) {
    const page = await conversation.items(view, from, Math.min(PAGE_ITEMS, count - from));
    if (page.items.length === 0) return;
    for (const item of page.items) {
      if (progress.isStopped) throw new Stopped();
      const parts = item.kind === 'steps' ? item.rows : [item];
      for (const part of parts) yield await wholeItem(part, readText);
    }
    from += page.items.length;
    await progress.report(from, count);
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
