import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { MODEL_ATTACHMENT } from './rowTypes';
import { countField, modelName, readMessageModel } from './messageUsage';

/** The counts of `USAGE_COUNTS` that say what the model had read and written after a reply. */
type ContextCounts = readonly [input: number, output: number, cacheWrites: number, cacheReads: number];

const MAX_TOKENS = 0xffff_ffff;
/** Requests that the API made itself while it wrote a reply, and that are not part of the conversation. */
const ASIDE: ReadonlySet<unknown> = new Set(['advisor_message', 'compaction']);

/**
 * Tokens in the context after a reply, as its row counts them; 0 if it counts no input, and for rows of every other type.
 * If the API made several requests for the reply, the last of them counts. (docs/format.md, "Full context")
 */
export function readContextTokens(row: JsonObject): number {
  if (row['type'] !== 'assistant') return 0;
  const usage = objectField(objectField(row, 'message') ?? {}, 'usage');
  if (usage === null) return 0;
  const total = contextTokens(contextCounts(usage));
  const iterations: unknown = usage['iterations'];
  if (total === 0 || !Array.isArray(iterations) || iterations.length < 2) return total;
  const last = (iterations as readonly unknown[]).findLast((each) => !isJsonObject(each) || !ASIDE.has(each['type']));
  return (isJsonObject(last) ? contextTokens(contextCounts(last)) : 0) || total;
}

function contextCounts(usage: JsonObject): ContextCounts {
  return [
    countField(usage, 'input_tokens'),
    countField(usage, 'output_tokens'),
    countField(usage, 'cache_creation_input_tokens'),
    countField(usage, 'cache_read_input_tokens'),
  ];
}

function contextTokens([input, output, cacheWrites, cacheReads]: ContextCounts): number {
  const read = input + cacheWrites + cacheReads;
  return read === 0 ? 0 : Math.min(MAX_TOKENS, read + output);
}

/**
 * The model that wrote an assistant row, or that an attachment says the session uses. Only the attachment says whether
 * the window is the large one. (docs/format.md, "Full context")
 */
export function readModel(row: JsonObject): string | null {
  if (row['type'] !== 'attachment') return readMessageModel(row);
  const attachment = objectField(row, 'attachment');
  if (attachment?.['type'] !== MODEL_ATTACHMENT) return null;
  return modelName(stringField(objectField(attachment, 'identity') ?? {}, 'modelId'));
}

/** A prompt that was refused because the history is too long. */
export interface LengthRefusal {
  /** Tokens of the refused request, and how many are allowed, as the API said it; null if the client refused it itself. */
  readonly counted: { readonly tokens: number; readonly allowed: number } | null;
}

/** The fast scanner reads texts that begin otherwise itself. (assembly/message.ts) */
const REFUSED = /^(?:Prompt is too long|Autocompact is thrashing)|^API Error: 400.*prompt is too long/s;
const COUNTED = /prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)/i;

/** Null for a row that does not report such a refusal. The row must be one that reports an error of the API. */
export function readLengthRefusal(row: JsonObject): LengthRefusal | null {
  const text = firstText(objectField(row, 'message')?.['content']);
  if (text === null || !REFUSED.test(text)) return null;
  const [, tokens, allowed] = COUNTED.exec(stringField(row, 'errorDetails') ?? text) ?? [];
  return {
    counted:
      tokens === undefined || allowed === undefined ? null : { tokens: Number(tokens), allowed: Number(allowed) },
  };
}

function firstText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  const [first] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return isJsonObject(first) ? stringField(first, 'text') : null;
}

/** What the client estimates the tokens of a message from. (docs/format.md, "Full context") */
export interface MessageWeight {
  /** UTF-16 units. */
  readonly characters: number;
  /** Images and documents. */
  readonly media: number;
}

/** The weight of the message of a user or assistant row. */
export function readMessageWeight(row: JsonObject): MessageWeight {
  return weightOf(objectField(row, 'message')?.['content']);
}

function weightOf(content: unknown): MessageWeight {
  if (typeof content === 'string') return { characters: content.length, media: 0 };
  let characters = 0;
  let media = 0;
  for (const block of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    if (!isJsonObject(block)) continue;
    const weight = blockWeight(block);
    characters += weight.characters;
    media += weight.media;
  }
  return { characters, media };
}

function blockWeight(block: JsonObject): MessageWeight {
  switch (block['type']) {
    case 'text':
      return { characters: lengthOf(block, 'text'), media: 0 };
    case 'thinking':
      return { characters: lengthOf(block, 'thinking'), media: 0 };
    case 'redacted_thinking':
      return { characters: lengthOf(block, 'data'), media: 0 };
    case 'tool_use':
      return { characters: lengthOf(block, 'name') + JSON.stringify(block['input'] ?? {}).length, media: 0 };
    case 'tool_result':
      return weightOf(block['content']);
    case 'image':
      return { characters: 0, media: 1 };
    case 'document':
      return documentWeight(objectField(block, 'source') ?? {});
    default:
      return { characters: JSON.stringify(block).length, media: 0 };
  }
}

/** A document counts as its text where it has any. */
function documentWeight(source: JsonObject): MessageWeight {
  if (source['type'] === 'text') return { characters: lengthOf(source, 'data'), media: 0 };
  if (source['type'] === 'content') return weightOf(source['content']);
  return { characters: 0, media: 1 };
}

function lengthOf(block: JsonObject, field: string): number {
  return stringField(block, field)?.length ?? 0;
}
