import type { ConversationHead, ConversationItem, DiffHunk } from '../../shared/conversation';
import { isJsonObject } from '../claude/json';
import type { Redactor } from './redact';

/** Fields that name something of ours, or of the format: no secret is in them, and nothing may change them. */
const NAMES: ReadonlySet<string> = new Set(['kind', 'role', 'path', 'uuid', 'id', 'toolUseId', 'mediaType', 'code']);

/** The item, or the head, without secrets, whatever texts it holds. */
export function redactItem<T extends ConversationItem | ConversationHead>(item: T, redactor: Redactor): T {
  // SAFETY: strings are replaced by strings, and nothing else changes.
  return redactValue(item, redactor) as T;
}

function redactValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.label(value);
  if (Array.isArray(value)) return (value as readonly unknown[]).map((each) => redactValue(each, redactor));
  if (!isJsonObject(value)) return value;
  if (isCutText(value)) return { text: redactor.text(value.text), more: value.more };
  // SAFETY: only hunks have lines.
  if ('oldStart' in value && 'lines' in value) return redactHunk(value as unknown as DiffHunk, redactor);
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, NAMES.has(key) ? each : redactValue(each, redactor)] as const),
  );
}

function isCutText(value: object): value is { readonly text: string; readonly more: number } {
  return 'text' in value && typeof value.text === 'string' && 'more' in value && typeof value.more === 'number';
}

/** A secret may go over several lines: of the file before, and of the file after. */
function redactHunk(hunk: DiffHunk, redactor: Redactor): DiffHunk {
  const lines = [...hunk.lines];
  for (const side of ['added', 'removed'] as const) {
    const places = [...lines.keys()].filter((at) => lines[at]?.kind !== side);
    const redacted = redactor.lines(places.map((at) => lines[at]?.text ?? ''));
    places.forEach((at, index) => {
      const line = lines[at];
      if (line !== undefined) lines[at] = { ...line, text: redacted[index] ?? line.text };
    });
  }
  return { ...hunk, lines };
}
