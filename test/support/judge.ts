import { blocksOf, contentKeys, foldSpace, readCountedRows, type ContentKey, type CountedRow } from './countedRows';
import type { ApiMessage } from './mockApi';

/** What a client really loaded of a transcript, determined from the content of its request. */
export interface Judgement {
  readonly loads: number;
  readonly of: number;
  /** 1-based lines of the counted rows whose content is not in the request, ascending. */
  readonly missingLines: readonly number[];
}

/**
 * A row counts as loaded if every piece of its content is in the request: the same tool call or result id, or a text
 * that equals one with the same role or a part of it. An identical copy of a loaded row therefore counts as loaded,
 * too.
 */
export function judge(bytes: Buffer, messages: readonly ApiMessage[] | null): Judgement {
  const rows = readCountedRows(bytes);
  const holds = contentOfRequest(messages ?? []);
  const missing = messages === null ? rows : rows.filter((row) => !row.keys.every(holds));
  return { loads: rows.length - missing.length, of: rows.length, missingLines: missing.map(({ line }) => line) };
}

/** Whether a piece of content is in one of the given rows. */
export function contentOfRows(rows: readonly CountedRow[]): (key: ContentKey) => boolean {
  return contentOf(rows.flatMap(({ keys }) => keys));
}

function contentOfRequest(messages: readonly ApiMessage[]): (key: ContentKey) => boolean {
  const keys = messages.flatMap(({ role, content }) => {
    if (role === 'user' || role === 'assistant') return contentKeys(role, content);
    // The client also sends the content of a user row as a system message between two turns.
    return blocksOf(content)
      .filter(({ type }) => type === 'text')
      .map(({ text }): ContentKey => ({ kind: 'text', role: 'user', text: foldSpace(text) }));
  });
  return contentOf(keys);
}

function contentOf(keys: readonly ContentKey[]): (key: ContentKey) => boolean {
  const ids = new Set<string>();
  const texts: Record<'user' | 'assistant', string[]> = { user: [], assistant: [] };
  for (const key of keys) {
    if (key.kind === 'block') ids.add(key.id);
    else texts[key.role].push(key.text);
  }
  return (key) =>
    key.kind === 'block' ? ids.has(key.id) : texts[key.role].some((candidate) => candidate.includes(key.text));
}
