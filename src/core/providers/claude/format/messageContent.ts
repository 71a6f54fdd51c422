import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';

/** The fields that loading and counting need from the message of a user or assistant row. */
export interface MessageContent {
  /**
   * `message.content` is a string, an empty array, or an array with a block that has a type. The client skips other
   * rows. (docs/format.md, "Lines")
   */
  readonly isUsable: boolean;
  /** `other`: `message.content` is neither a string nor an array. */
  readonly form: 'text' | 'array' | 'other';
  /** The row has no `message`, or it is null. */
  readonly isMissing: boolean;
  /** An entry of the array is null. */
  readonly hasNullEntry: boolean;
  /** An entry of the array is not an object, or is null. */
  readonly hasBareEntry: boolean;
  /** It has non-empty text, a tool call, a tool result, an image or any block other than thinking. */
  readonly hasContent: boolean;
  readonly hasText: boolean;
  /** Its only content is redacted thinking. */
  readonly isRedacted: boolean;
  /** The only text is the reply that the client itself writes for a prompt without one. */
  readonly isNoResponse: boolean;
  /** It is an array without entries. */
  readonly isEmptyList: boolean;
  readonly toolUses: readonly string[];
  readonly toolResults: readonly string[];
  /**
   * Ids of calls that the API itself ran, such as web searches, and of the calls whose results are in the row. Empty if
   * the row also has calls or results of the client's tools.
   */
  readonly serverCalls: readonly string[];
  readonly serverResults: readonly string[];
}

/** The client's own reply when a history ends on a prompt. (docs/format.md, "Request") */
const NO_RESPONSE = 'No response requested.';

/** The suffix of the types of blocks with the result of a server's call, such as `web_search_tool_result`. */
const SERVER_RESULT_SUFFIX = '_tool_result';

const NOTHING: MessageContent = {
  isUsable: false,
  form: 'other',
  isMissing: false,
  hasNullEntry: false,
  hasBareEntry: false,
  hasContent: false,
  hasText: false,
  isRedacted: false,
  isNoResponse: false,
  isEmptyList: false,
  toolUses: [],
  toolResults: [],
  serverCalls: [],
  serverResults: [],
};

export function readMessageContent(row: JsonObject): MessageContent {
  const content = objectField(row, 'message')?.['content'];
  if (typeof content === 'string') {
    const hasText = content.trim() !== '';
    const isNoResponse = content === NO_RESPONSE;
    return { ...NOTHING, form: 'text', isUsable: true, hasContent: hasText, hasText, isNoResponse };
  }
  if (!Array.isArray(content)) return { ...NOTHING, isMissing: (row['message'] ?? null) === null };
  const toolUses: string[] = [];
  const toolResults: string[] = [];
  const serverCalls: string[] = [];
  const serverResults: string[] = [];
  let typed = 0;
  let others = 0;
  let redacted = 0;
  let hasNullEntry = false;
  let hasBareEntry = false;
  const texts: string[] = [];
  for (const block of content as readonly unknown[]) {
    hasNullEntry ||= block === null;
    hasBareEntry ||= typeof block !== 'object' || block === null;
    if (!isJsonObject(block)) continue;
    const type = stringField(block, 'type');
    if (type !== null) typed++;
    switch (type) {
      case 'text':
        texts.push((stringField(block, 'text') ?? '').trim());
        break;
      case 'thinking':
        break;
      case 'redacted_thinking':
        redacted++;
        break;
      case 'tool_use':
        // In the user's row, the client does not take it for a call.
        if (row['type'] === 'user') others++;
        else toolUses.push(callId(block['id']));
        break;
      case 'tool_result':
        toolResults.push(callId(block['tool_use_id']));
        break;
      case 'server_tool_use':
        serverCalls.push(callId(block['id']));
        others++;
        break;
      default:
        if (type?.endsWith(SERVER_RESULT_SUFFIX) === true) serverResults.push(callId(block['tool_use_id']));
        others++;
    }
  }
  const isOfClient = toolUses.length + toolResults.length > 0;
  const hasText = texts.some((text) => text !== '');
  const hasMore = hasText || others > 0 || toolUses.length > 0 || toolResults.length > 0;
  return {
    isUsable: typed > 0 || content.length === 0,
    form: 'array',
    isMissing: false,
    hasNullEntry,
    hasBareEntry,
    hasContent: hasMore || redacted > 0,
    hasText,
    isRedacted: !hasMore && redacted > 0,
    isNoResponse: content.length === 1 && texts[0] === NO_RESPONSE,
    isEmptyList: content.length === 0,
    toolUses,
    toolResults,
    serverCalls: isOfClient ? [] : serverCalls,
    serverResults: isOfClient ? [] : serverResults,
  };
}

/**
 * The id of a call as text. Every client writes a string; all objects and arrays share one id here, because some of
 * them (deeply nested ones, or ones with their own `toString`) cannot be converted to text.
 */
function callId(id: unknown): string {
  return typeof id === 'object' && id !== null ? '[object]' : String(id);
}
