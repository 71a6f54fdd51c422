import type {
  ContentBlock,
  ConversationItem,
  CutText,
  RowItem,
  ToolInput,
  ToolResult,
} from '../../shared/conversation';

/** All of a text that was cut, by the line and the path of what holds it; null when it is not there any more. */
export type ReadText = (line: number, path: string) => Promise<string | null>;

/** The item with all of its texts. What is cut for good in a tool's input makes that be shown as JSON, all of it. */
export async function wholeItem(item: ConversationItem, read: ReadText): Promise<ConversationItem> {
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

/** Longest field that is told whole, less half of a pair of surrogates; shorter ones that are cut end in "…". */
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
