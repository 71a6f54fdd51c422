import type { ContentBlock, ToolResult } from '../../../protocol/conversation';
import { movedPathOf } from '../../providers/claude/format/movedText';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';
import { cutText, MAX_LINES, MAX_UNITS, plainText, shortId, valueText } from './itemText';
import { describeImage, type ImageBlock, type ResultRow } from './rowContext';

const ERROR_TAGS = /^<tool_use_error>([^]*)<\/tool_use_error>$/;
/** The client's marker for an output that was too long for the transcript. */
const PERSISTED = '<persisted-output>';
const PERSISTED_PATH = /Full output saved to: ([^\n]{1,4096})/;

/** `tool_result`, or the result of a tool that runs on the server (`web_search_tool_result` …). */
export function isResultBlock(block: JsonObject): boolean {
  return stringField(block, 'type')?.endsWith('tool_result') === true;
}

/** Describes a result that is not displayed with its call. */
export function describeResult(block: JsonObject, path: string, row: JsonObject): ContentBlock {
  const toolUseId = shortId(stringField(block, 'tool_use_id'));
  return { kind: 'result', path, toolUseId, result: readResult(block, path, row) };
}

/** The result of a call in a row; null if the row does not contain it. Images beside the results are added to it. */
export function findResult(
  id: string,
  { line, pathPrefix, object }: ResultRow,
): (ToolResult & { line: number }) | null {
  const content = objectField(object, 'message')?.['content'];
  if (!Array.isArray(content)) return null;
  const blocks = content as readonly unknown[];
  const at = blocks.findIndex((block) => isJsonObject(block) && isResultBlock(block) && block['tool_use_id'] === id);
  const block = blocks[at];
  if (!isJsonObject(block)) return null;
  const path = `${pathPrefix}message.content`;
  const result = readResult(block, `${path}.${at}`, object);
  const beside = blocks.flatMap((other, place) => {
    const isImage = isJsonObject(other) && other['type'] === 'image';
    return isImage ? imagesIn(other['source'], `${path}.${place}.source`) : [];
  });
  return { ...result, images: [...result.images, ...beside], line };
}

function readResult(block: JsonObject, path: string, row: JsonObject): ToolResult {
  const content = block['content'];
  const images = Array.isArray(content)
    ? (content as readonly unknown[]).flatMap((part, at) =>
        isJsonObject(part) && part['type'] === 'image' ? imagesIn(part['source'], `${path}.content.${at}.source`) : [],
      )
    : [];
  const plain = plainText(content);
  const saved = plain?.startsWith(PERSISTED) === true ? (PERSISTED_PATH.exec(plain)?.[1]?.trim() ?? null) : null;
  return {
    path: `${path}.content`,
    isError: block['is_error'] === true,
    text: plain === null ? otherText(content, images, row) : cutText(withoutTags(plain), MAX_UNITS.result, MAX_LINES),
    images: images.map(({ path: imagePath, mediaType, bytes }) => ({ path: imagePath, mediaType, bytes })),
    persisted: saved ?? movedOutput(row),
  };
}

/** Where slimming has put what a command printed; null if it is in the row. */
function movedOutput(row: JsonObject): string | null {
  const printed = objectField(row, 'toolUseResult');
  return movedPathOf(printed?.['stdout']) ?? movedPathOf(printed?.['stderr']);
}

/** The text of content without text blocks: no content, images or unknown blocks. */
function otherText(content: unknown, images: readonly ImageBlock[], row: JsonObject): ToolResult['text'] {
  const isEmpty = content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (!isEmpty) return images.length > 0 ? null : valueText(content, MAX_UNITS.result, MAX_LINES);
  const said = row['toolUseResult'];
  return typeof said === 'string' && said !== '' ? cutText(said, MAX_UNITS.result, MAX_LINES) : null;
}

function withoutTags(text: string): string {
  return ERROR_TAGS.exec(text)?.[1] ?? text;
}

function imagesIn(source: unknown, path: string): ImageBlock[] {
  const image = describeImage(source, path);
  return image === null ? [] : [image];
}
