import type { ContentBlock, ItemRole, RowItem } from '../../../protocol/conversation';
import { COMPACT_BOUNDARY, isKnownRowType, SYNTHETIC_MODEL } from '../../providers/claude/format/rowTypes';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../util/json';
import { commandOf, describePrompt } from './describePrompt';
import { describeToolCall, isCallBlock } from './describeToolCall';
import { describeResult, isResultBlock } from './describeToolResult';
import { cutText, MAX_UNITS, oneLine, plainText, shortId } from './itemText';
import { describeImage, noteBlock, noteForPerson, rawBlock, type RowContext, textNote } from './rowContext';

const ROLES: ReadonlySet<string> = new Set<ItemRole>(['user', 'assistant', 'system', 'attachment', 'progress']);

/** Describes a parsed row for display. Accepts any JSON: values in a form that no client writes are displayed raw. */
export function describeRow(row: unknown, context: RowContext): RowItem {
  const object = isJsonObject(row) ? row : {};
  const role = roleOf(object);
  const message = objectField(object, 'message') ?? {};
  const model = role === 'assistant' ? stringField(message, 'model') : null;
  return {
    kind: 'row',
    line: context.line,
    uuid: shortId(stringField(object, 'uuid')),
    role,
    timeMs: timeOf(object),
    isLoaded: context.isLoaded,
    ...(context.forgottenAs !== undefined && { forgottenAs: context.forgottenAs }),
    isSidechain: Boolean(object['isSidechain']),
    // The order of a view decides.
    continues: false,
    model: model === SYNTHETIC_MODEL || model === '' ? null : model === null ? null : oneLine(model),
    blocks: isJsonObject(row) ? blocksOf(row, role, context) : [rawBlock('JSON', context.pathPrefix, row)],
    branches: context.branches,
    ...(context.moreBranches !== undefined && { moreBranches: context.moreBranches }),
  };
}

function blocksOf(row: JsonObject, role: ItemRole, context: RowContext): readonly ContentBlock[] {
  switch (role) {
    case 'user':
    case 'assistant':
      return describeMessage(row, role, context);
    case 'system':
      return [describeSystem(row, context)];
    case 'attachment':
      return describeAttachment(row, context.pathPrefix);
    case 'progress':
      return [describeProgress(row, context.pathPrefix)];
    case 'unknown':
      return [describeOther(row, context.pathPrefix)];
  }
}

function roleOf(row: JsonObject): ItemRole {
  const type = stringField(row, 'type') ?? '';
  // SAFETY: the set contains only members of this type.
  return ROLES.has(type) ? (type as ItemRole) : 'unknown';
}

/** Describes a row outside the chain: as a note if its type is known, otherwise raw. */
function describeOther(row: JsonObject, path: string): ContentBlock {
  const type = stringField(row, 'type');
  if (type !== null && isKnownRowType(type)) return noteBlock(type, path, row);
  return rawBlock(type ?? 'JSON', path, row);
}

function timeOf(row: JsonObject): number | null {
  const time = Date.parse(stringField(row, 'timestamp') ?? '');
  return Number.isNaN(time) ? null : time;
}

/** Fields with the text of an attachment, in the order in which they are tried. */
const TEXT_FIELDS = ['snippet', 'text', 'content', 'stdout', 'message', 'summary'];
/** Fields with the subject of an attachment. */
const NAME_FIELDS = ['displayPath', 'filename', 'path', 'description', 'hookName', 'name', 'date'];

/** Attachments with which a hook says something to the person. */
const HOOK_MESSAGES: ReadonlySet<string> = new Set([
  'hook_system_message',
  'hook_blocking_error',
  'hook_non_blocking_error',
  'hook_error_during_execution',
  'hook_stopped_continuation',
]);

/** Describes content that was added to the conversation beside the messages: as a note, except for queued prompts. */
function describeAttachment(row: JsonObject, pathPrefix: string): readonly ContentBlock[] {
  const attachment = objectField(row, 'attachment');
  if (attachment === null) return [rawBlock('attachment', pathPrefix, row)];
  const path = `${pathPrefix}attachment`;
  const type = stringField(attachment, 'type') ?? 'attachment';
  if (type === 'queued_command') {
    const prompt = plainText(attachment['prompt']);
    if (prompt !== null) return [{ kind: 'text', path: `${path}.prompt`, body: cutText(prompt, MAX_UNITS.text) }];
  }
  const title = titleOf(type, attachment);
  const note = HOOK_MESSAGES.has(type) ? noteForPerson : noteBlock;
  const image = imageOf(attachment, path);
  if (image !== null) return [noteBlock(title, path), image];
  const file = objectField(objectField(attachment, 'content') ?? {}, 'file');
  const fileText = file === null ? null : stringField(file, 'content');
  if (fileText !== null) return [noteBlock(title, `${path}.content.file.content`, fileText)];
  for (const key of TEXT_FIELDS) {
    const text = stringField(attachment, key);
    if (text !== null && text !== '') return [note(title, `${path}.${key}`, text)];
  }
  return [note(title, path, attachment)];
}

function titleOf(type: string, attachment: JsonObject): string {
  for (const key of NAME_FIELDS) {
    const name = stringField(attachment, key);
    if (name !== null && name !== '') return `${asWords(type)}: ${name}`;
  }
  return asWords(type);
}

/** An image that a person attached: `content.file` of the attachment. */
function imageOf(attachment: JsonObject, path: string): ContentBlock | null {
  const content = attachment['content'];
  if (!isJsonObject(content) || content['type'] !== 'image') return null;
  return (
    describeImage(content['file'], `${path}.content.file`) ?? describeImage(content['source'], `${path}.content.source`)
  );
}

/** Describes a row that clients up to 2.1.50 wrote while a tool, a hook or a subagent was running. */
function describeProgress(row: JsonObject, pathPrefix: string): ContentBlock {
  const data = objectField(row, 'data');
  if (data === null) return noteBlock('Progress', pathPrefix, row);
  const path = `${pathPrefix}data`;
  const hook = stringField(data, 'hookName');
  const type = asWords(stringField(data, 'type') ?? 'progress');
  const title = hook === null ? type : `${type}: ${hook}`;
  const output = stringField(data, 'fullOutput');
  return output === null ? noteBlock(title, path, data) : noteBlock(title, `${path}.fullOutput`, output);
}

/** Describes a system row by its subtype. */
function describeSystem(row: JsonObject, { pathPrefix, earlierRows }: RowContext): ContentBlock {
  const subtype = stringField(row, 'subtype');
  const content = stringField(row, 'content');
  const path = `${pathPrefix}content`;
  switch (subtype) {
    case COMPACT_BOUNDARY: {
      const metadata = objectField(row, 'compactMetadata') ?? {};
      const tokens = metadata['preTokens'];
      const trigger = stringField(metadata, 'trigger');
      return {
        kind: 'compaction',
        trigger: trigger === null ? null : trigger.slice(0, 40),
        tokensBefore: typeof tokens === 'number' ? tokens : null,
        earlierRows,
      };
    }
    case 'turn_duration': {
      const duration = row['durationMs'];
      const title = 'Turn duration';
      if (typeof duration !== 'number') return noteBlock(title, pathPrefix, row);
      return textNote(title, `${pathPrefix}durationMs`, `${(duration / 1000).toFixed(1)} s`);
    }
    case 'local_command': {
      const command = content === null ? null : commandOf(content);
      if (command !== null) return noteForPerson(command, path);
      return content === null ? noteBlock('Command', pathPrefix, row) : noteForPerson('Command output', path, content);
    }
    case 'api_error':
      return describeApiError(row, pathPrefix);
    default:
      break;
  }
  const title = subtype === null ? 'System' : asWords(subtype);
  if (stringField(row, 'level') === 'error' && content !== null) {
    return { kind: 'error', path, body: cutText(content, MAX_UNITS.text) };
  }
  return content === null || content === '' ? noteBlock(title, pathPrefix, row) : noteForPerson(title, path, content);
}

/** Converts `snake_case` to words. */
function asWords(name: string): string {
  const words = name.slice(0, 100).replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeApiError(row: JsonObject, pathPrefix: string): ContentBlock {
  const content = stringField(row, 'content');
  if (content !== null) return { kind: 'error', path: `${pathPrefix}content`, body: cutText(content, MAX_UNITS.text) };
  const error = objectField(row, 'error');
  const message = error === null ? null : stringField(error, 'message');
  if (message === null) return noteBlock('Api error', pathPrefix, row);
  return { kind: 'error', path: `${pathPrefix}error.message`, body: cutText(message, MAX_UNITS.text) };
}

/** The blocks of `message.content` of a user or assistant row. */
function describeMessage(row: JsonObject, role: 'user' | 'assistant', context: RowContext): readonly ContentBlock[] {
  const message = objectField(row, 'message');
  const content = message?.['content'];
  const path = `${context.pathPrefix}message.content`;
  if (typeof content === 'string') return orEmpty(describeText(content, path, row, role), context);
  if (!Array.isArray(content)) return [rawBlock(role, context.pathPrefix, row)];
  const answers = answersWithin(content);
  const own = { line: context.line, pathPrefix: context.pathPrefix, object: row };
  const withOwn = answers.size === 0 ? context : { ...context, results: [own, ...context.results] };
  const blocks = content.flatMap((block: unknown, at) =>
    answers.has(at) ? [] : describeBlock(block, `${path}.${at}`, row, role, withOwn),
  );
  return orEmpty(blocks, context);
}

/**
 * Indexes of results whose calls are in the same list, as with tools that run on the server. They are displayed with
 * their calls.
 */
function answersWithin(content: readonly unknown[]): ReadonlySet<number> {
  const calls = new Set<string | null>();
  const answers = new Set<number>();
  for (const block of content) if (isJsonObject(block) && isCallBlock(block)) calls.add(stringField(block, 'id'));
  calls.delete(null);
  for (const [at, block] of content.entries()) {
    if (isJsonObject(block) && isResultBlock(block) && calls.delete(stringField(block, 'tool_use_id'))) answers.add(at);
  }
  return answers;
}

function orEmpty(blocks: readonly ContentBlock[], context: RowContext): readonly ContentBlock[] {
  return blocks.length > 0 ? blocks : [noteBlock('Empty message', context.pathPrefix)];
}

function describeBlock(
  block: unknown,
  path: string,
  row: JsonObject,
  role: 'user' | 'assistant',
  context: RowContext,
): readonly ContentBlock[] {
  if (typeof block === 'string') return describeText(block, path, row, role);
  if (!isJsonObject(block)) return [rawBlock('JSON', path, block)];
  if (isCallBlock(block)) return [describeToolCall(block, path, context)];
  const type = stringField(block, 'type');
  const text = stringField(block, 'text');
  switch (type) {
    case 'text':
      return text === null ? [rawBlock('text', path, block)] : describeText(text, `${path}.text`, row, role);
    case 'thinking': {
      const thinking = stringField(block, 'thinking') ?? '';
      return [
        { kind: 'thinking', path: `${path}.thinking`, body: cutText(thinking, MAX_UNITS.text), isRedacted: false },
      ];
    }
    case 'redacted_thinking':
      return [{ kind: 'thinking', path, body: { text: '', more: 0 }, isRedacted: true }];
    case 'image':
      return [describeImage(block['source'], `${path}.source`) ?? rawBlock('image', path, block)];
    case 'document':
      return [noteForPerson(documentTitle(block), path)];
    default:
      return isResultBlock(block) ? [describeResult(block, path, row)] : [rawBlock(type ?? 'JSON', path, block)];
  }
}

function describeText(
  text: string,
  path: string,
  row: JsonObject,
  role: 'user' | 'assistant',
): readonly ContentBlock[] {
  if (text.trim() === '') return [];
  if (row['isCompactSummary']) return [{ kind: 'summary', path, body: cutText(text, MAX_UNITS.text) }];
  if (row['isApiErrorMessage']) return [{ kind: 'error', path, body: cutText(text, MAX_UNITS.text) }];
  if (role === 'user') return describePrompt(text, path, Boolean(row['isMeta']));
  return [{ kind: 'text', path, body: cutText(text, MAX_UNITS.text) }];
}

function documentTitle(block: JsonObject): string {
  const name = stringField(block, 'title') ?? stringField(objectField(block, 'source') ?? {}, 'media_type');
  return name === null ? 'Document' : `Document: ${name}`;
}
