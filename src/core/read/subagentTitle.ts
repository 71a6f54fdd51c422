import { basename } from 'node:path';
import { readFileSync, statSync } from 'node:fs';
import { parseObject, stringField } from '../claude/json';
import { oneLine } from './describe/cutText';

const MAX_META_BYTES = 64 * 1024;

/**
 * What the call that started a subagent is about, by the `meta.json` beside its transcript; null for any other transcript, and
 * where there is none. Never throws. (docs/format.md, "Subagents")
 */
export function subagentTitle(filePath: string): string | null {
  if (!basename(filePath).startsWith('agent-')) return null;
  const path = filePath.replace(/\.jsonl$/, '.meta.json');
  try {
    if (statSync(path).size > MAX_META_BYTES) return null;
    const meta = parseObject(readFileSync(path, 'utf8'));
    const description = meta === null ? null : stringField(meta, 'description');
    return description === null || description.trim() === '' ? null : oneLine(description);
  } catch {
    return null;
  }
}
