import { isJsonObject, objectField, stringField, type JsonObject } from './json';

/** What the message of a user or assistant row holds, as far as loading and counting ask. */
export interface MessageContent {
  /** `message.content` is a string or an array; rows without are skipped by the client. */
  readonly isUsable: boolean;
  /** It holds non-empty text, a tool call, a tool result, an image or any block but thinking. */
  readonly hasContent: boolean;
  readonly hasText: boolean;
  /** The only text is the reply that the client writes itself for a prompt that was left without one. */
  readonly isNoResponse: boolean;
  readonly toolUses: readonly string[];
  readonly toolResults: readonly string[];
}

/** What the client answers itself when a history ends on a prompt. (docs/format.md, "Request") */
const NO_RESPONSE = 'No response requested.';

const NOTHING: MessageContent = {
  isUsable: false,
  hasContent: false,
  hasText: false,
  isNoResponse: false,
  toolUses: [],
  toolResults: [],
};

export function readMessageContent(row: JsonObject): MessageContent {
  const content = objectField(row, 'message')?.['content'];
  if (typeof content === 'string') {
    const hasText = content.trim() !== '';
    return { ...NOTHING, isUsable: true, hasContent: hasText, hasText, isNoResponse: content === NO_RESPONSE };
  }
  if (!Array.isArray(content)) return NOTHING;
  const toolUses: string[] = [];
  const toolResults: string[] = [];
  let others = 0;
  const texts: string[] = [];
  for (const block of content as readonly unknown[]) {
    if (!isJsonObject(block)) continue;
    switch (stringField(block, 'type')) {
      case 'text':
        texts.push((stringField(block, 'text') ?? '').trim());
        break;
      case 'thinking':
        break;
      case 'tool_use':
        toolUses.push(callId(block['id']));
        break;
      case 'tool_result':
        toolResults.push(callId(block['tool_use_id']));
        break;
      default:
        others++;
    }
  }
  const hasText = texts.some((text) => text !== '');
  const hasContent = hasText || others > 0 || toolUses.length > 0 || toolResults.length > 0;
  return {
    isUsable: true,
    hasContent,
    hasText,
    isNoResponse: content.length === 1 && texts[0] === NO_RESPONSE,
    toolUses,
    toolResults,
  };
}

/**
 * The id of a call as text. Every client writes a string; objects and arrays are all one id here, since some of them (deep
 * ones, or with a `toString` of their own) cannot be made text.
 */
function callId(id: unknown): string {
  return typeof id === 'object' && id !== null ? '[object]' : String(id);
}
