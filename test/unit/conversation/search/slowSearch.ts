import { stripVTControlCharacters } from 'node:util';
import type { SearchMatch } from '../../../../src/protocol/channels/search';

type Row = Record<string, unknown>;

const UNSEEN = new Set(
  'type id uuid parentUuid sessionId session_id requestId agentId tool_use_id toolUseID file_id signature encrypted_content digests contentHash rendered timestamp cwd version gitBranch userType entrypoint slug'.split(
    ' ',
  ),
);
const CLIENT =
  /^(agent_listing_delta|auto_mode|date|deferred_tools_delta|environment|model|prompt_snapshot|remote_session_change|session_context|skill_listing)$/;
const KNOWN_METADATA =
  /^(queue-operation|last-prompt|mode|permission-mode|atis-latch|tools-used|cost-state|(custom|ai)-title|agent-(name|color|setting)|file-history-(snapshot|delta)|summary|api-request.*|tag|pr-link|artifact-.*)$/;

/**
 * Searches text the plain way: parses every line completely, folds the case of every visible string and searches it.
 * Returns the lines with a hit. Handles only clean rows: lines that are not exactly one object are left to the caller.
 */
export function slowSearch(
  bytes: Buffer,
  text: string,
  isCaseSensitive: boolean,
): Pick<SearchMatch, 'line' | 'role'>[] {
  const fold = (value: string): string => (isCaseSensitive ? value : value.toLowerCase());
  const needle = fold(text);
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line, at) => {
      const row = parse(line);
      if (row === null) return [];
      const hit = textsOf(row).some((seen) => fold(stripVTControlCharacters(seen)).includes(needle));
      return hit ? [{ line: at + 1, role: roleOf(row) }] : [];
    });
}

/** Lines that hold one object, and nothing that a client cannot read. */
export function isCleanLine(line: string): boolean {
  return line === '' || parse(line) !== null;
}

function parse(line: string): Row | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : null;
  } catch {
    return null;
  }
}

function roleOf(row: Row): SearchMatch['role'] {
  switch (row['type']) {
    case 'user':
    case 'assistant':
    case 'system':
    case 'attachment':
      return row['type'];
    default:
      return 'unknown';
  }
}

function textsOf(row: Row): string[] {
  const type = typeof row['type'] === 'string' ? row['type'] : '';
  if (type === 'user' || type === 'assistant')
    return contentTexts((row['message'] as Row | null | undefined)?.['content']);
  if (type === 'system') return systemTexts(row);
  if (type === 'progress' || KNOWN_METADATA.test(type)) return [];
  if (type !== 'attachment') return strings(row, UNSEEN);
  const attachment = row['attachment'] as Row | null | undefined;
  if (typeof attachment !== 'object' || attachment === null || Array.isArray(attachment)) return [];
  return typeof attachment['type'] === 'string' && CLIENT.test(attachment['type']) ? [] : strings(attachment, UNSEEN);
}

function systemTexts(row: Row): string[] {
  const error = row['subtype'] === 'api_error' ? (row['error'] as Row | null | undefined) : null;
  const said = contentTexts(row['content'] === undefined ? error?.['message'] : row['content']);
  return said.some((text) => text !== '')
    ? said
    : strings(row, new Set([...UNSEEN, 'subtype', 'level', 'logicalParentUuid']));
}

function contentTexts(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return (content as unknown[]).flatMap((block) => {
    if (typeof block === 'string') return [block];
    if (typeof block !== 'object' || block === null || Array.isArray(block)) return [];
    const { type, text, thinking, name, input, content: inner } = block as Row;
    if (type === 'text') return contentTexts(text);
    if (type === 'thinking') return contentTexts(thinking);
    if (type === 'redacted_thinking') return [];
    if (type === 'tool_use') return [...contentTexts(name), ...strings(input, new Set())];
    if (type === 'tool_result') return contentTexts(inner);
    return strings(block, UNSEEN);
  });
}

function strings(value: unknown, unseen: ReadonlySet<string>): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return (value as unknown[]).flatMap((each) => strings(each, unseen));
  const isBase64 = (value as Row)['type'] === 'base64';
  return Object.entries(value).flatMap(([key, each]) =>
    unseen.has(key) || (isBase64 && ['data', 'type'].includes(key)) ? [] : strings(each, unseen),
  );
}
