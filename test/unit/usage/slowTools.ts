import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The second, slow implementation of "Tools" in docs/tokens.md, which is written from that page alone. It reads every line of
 * every transcript with JSON.parse, and keeps each call as an object.
 */

interface SlowCall {
  name: string;
  ms: number;
  failed: boolean;
  characters: number;
}

/** By name: calls, failed calls, characters of the results. */
export type SlowTools = Record<string, readonly [calls: number, failed: number, characters: number]>;

/** @param isCounted whether a call at this time counts; NaN for no time */
export function countToolsSlowly(folder: string, isCounted: (ms: number) => boolean = () => true): SlowTools {
  const calls = new Map<string, SlowCall>();
  let unnamed = 0;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.jsonl')) continue;
    const rows = readFileSync(join(folder, entry), 'utf8').split('\n').flatMap(parsed);
    const own = new Map<string, SlowCall>();
    for (const { row, block } of rows) {
      if (row.type !== 'assistant' || !/^(?:mcp_|server_)?tool_use$/.test(String(block.type))) continue;
      const id = typeof block.id === 'string' && block.id !== '' ? block.id : `no id ${unnamed++}`;
      const call = { name: nameOf(block.name), ms: Date.parse(String(row.timestamp)), failed: false, characters: 0 };
      const known = own.get(id);
      // The first of several with the same time.
      if (known === undefined || quarter(call.ms) < quarter(known.ms)) own.set(id, call);
    }
    for (const { block } of rows) {
      const call = own.get(String(block.tool_use_id));
      if (call === undefined || !String(block.type).endsWith('tool_result')) continue;
      call.failed ||= block.is_error === true;
      const parts: unknown[] = Array.isArray(block.content) ? block.content : [{ type: 'text', text: block.content }];
      const texts = parts.map((part) => (isRecord(part) && part.type === 'text' ? part.text : ''));
      call.characters = Math.max(
        call.characters,
        texts.map((text) => (typeof text === 'string' ? text : '').length).reduce((a, b) => a + b, 0),
      );
    }
    for (const [id, call] of own) {
      const known = calls.get(id);
      calls.set(id, {
        ...(known !== undefined && quarter(known.ms) <= quarter(call.ms) ? known : call),
        failed: call.failed || known?.failed === true,
        characters: Math.max(call.characters, known?.characters ?? 0),
      });
    }
  }
  const tools: Record<string, [number, number, number]> = {};
  for (const { name, ms, failed, characters } of calls.values()) {
    if (!isCounted(ms)) continue;
    const sums = (tools[name] ??= [0, 0, 0]);
    sums[0]++;
    if (failed) sums[1]++;
    sums[2] += characters;
  }
  return tools;
}

type Name = 'type' | 'id' | 'name' | 'timestamp' | 'message' | 'content' | 'tool_use_id' | 'is_error' | 'text';
type Fields = Partial<Record<Name, unknown>>;

function parsed(line: string): { row: Fields; block: Fields }[] {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return [];
  }
  if (!isRecord(row) || !isRecord(row.message) || !Array.isArray(row.message.content)) return [];
  if (row.type !== 'user' && row.type !== 'assistant') return [];
  const blocks: unknown[] = row.message.content;
  return blocks.filter(isRecord).map((block) => ({ row, block }));
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function nameOf(name: unknown): string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= 200 ? name : '(others)';
}

/** Times are compared as quarters of an hour. */
function quarter(ms: number): number {
  return Number.isNaN(ms) ? Infinity : Math.floor(ms / 900_000);
}
