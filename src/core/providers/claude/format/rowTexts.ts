import { stripVTControlCharacters } from 'node:util';
import type { ItemRole } from '../../../../protocol/conversation';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import { CHAIN_ROW_TYPES, isKnownRowType } from './rowTypes';

const CHAIN_TYPES: ReadonlySet<string> = new Set(CHAIN_ROW_TYPES);

/** Who a row is from, by its type; null for the client's internal rows. (docs/format.md, "Row classes") */
export function rowRole(row: JsonObject): ItemRole | null {
  const type = stringField(row, 'type') ?? '';
  // SAFETY: the set contains only members of this type.
  if (CHAIN_TYPES.has(type)) return type as ItemRole;
  return isKnownRowType(type) ? null : 'unknown';
}

/** Attachments that describe the client to Claude. They are the same in every session, and nobody reads them. */
const CLIENT_ATTACHMENTS: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'auto_mode',
  'date',
  'deferred_tools_delta',
  'environment',
  'model',
  'prompt_snapshot',
  'remote_session_change',
  'session_context',
  'skill_listing',
]);

/** Fields of blocks and of unknown rows with ids, signatures or times, and fields common to all rows. */
const UNSEEN_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'uuid',
  'parentUuid',
  'sessionId',
  'session_id',
  'requestId',
  'agentId',
  'tool_use_id',
  'toolUseID',
  'file_id',
  'signature',
  'encrypted_content',
  'digests',
  'contentHash',
  'rendered',
  'timestamp',
  'cwd',
  'version',
  'gitBranch',
  'userType',
  'entrypoint',
  'slug',
]);

const UNSEEN_OF_SYSTEM: ReadonlySet<string> = new Set([...UNSEEN_FIELDS, 'subtype', 'level', 'logicalParentUuid']);
/** Terminal escape sequences start with one of these characters. */

// eslint-disable-next-line no-control-regex -- These characters are the search target.
const COMMANDS = /[\u001b\u009b]/;
const NOTHING: ReadonlySet<string> = new Set();
/** Deepest value that is read. No known tool nests its input that deeply. */
const MAX_DEPTH = 200;

/**
 * The texts of a row that people see: prompts and replies, thinking, inputs and outputs of tools, notices and attached
 * files. Each is one string of the row, never joined or trimmed, but without terminal colours. Keys, ids and images are
 * not included, nor are `progress` rows, which repeat the content of results and of subagents' transcripts.
 */
export function rowTexts(row: JsonObject): string[] {
  return textsIn(row).map((text) => (COMMANDS.test(text) ? stripVTControlCharacters(text) : text));
}

function textsIn(row: JsonObject): string[] {
  const texts: string[] = [];
  switch (rowRole(row)) {
    case 'user':
    case 'assistant':
      addContent(objectField(row, 'message')?.['content'], texts);
      break;
    case 'system':
      addSystem(row, texts);
      break;
    case 'attachment': {
      const attachment = objectField(row, 'attachment') ?? {};
      if (!CLIENT_ATTACHMENTS.has(stringField(attachment, 'type') ?? '')) addAll(attachment, UNSEEN_FIELDS, texts, 0);
      break;
    }
    case 'unknown':
      addAll(row, UNSEEN_FIELDS, texts, 0);
      break;
    case 'progress':
    case null:
      break;
  }
  return texts;
}

/** Adds the row's content, or else all its values, as the panel displays them. */
function addSystem(row: JsonObject, texts: string[]): void {
  const error = row['subtype'] === 'api_error' ? objectField(row, 'error') : null;
  addContent(row['content'] === undefined ? error?.['message'] : row['content'], texts);
  if (texts.length === 0 || texts[0] === '') addAll(row, UNSEEN_OF_SYSTEM, texts, 0);
}

/** Adds a text, or the texts of a list of blocks. */
function addContent(content: unknown, texts: string[]): void {
  if (typeof content === 'string') texts.push(content);
  if (!Array.isArray(content)) return;
  for (const block of content as readonly unknown[]) {
    if (typeof block === 'string') texts.push(block);
    else if (isJsonObject(block)) addBlock(block, texts);
  }
}

function addBlock(block: JsonObject, texts: string[]): void {
  switch (stringField(block, 'type')) {
    case 'text':
      addContent(block['text'], texts);
      break;
    case 'thinking':
      addContent(block['thinking'], texts);
      break;
    case 'redacted_thinking':
      break;
    case 'tool_use':
      addContent(block['name'], texts);
      // The panel shows every field of an input, whatever its name.
      addAll(block['input'], NOTHING, texts, 0);
      break;
    case 'tool_result':
      addContent(block['content'], texts);
      break;
    default:
      addAll(block, UNSEEN_FIELDS, texts, 0);
  }
}

function addAll(value: unknown, unseen: ReadonlySet<string>, texts: string[], depth: number): void {
  if (typeof value === 'string') texts.push(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) addAll(each, unseen, texts, depth + 1);
    return;
  }
  const isBase64 = 'type' in value && value.type === 'base64';
  for (const [key, each] of Object.entries(value)) {
    if (unseen.has(key) || (isBase64 && (key === 'data' || key === 'type'))) continue;
    addAll(each, unseen, texts, depth + 1);
  }
}
