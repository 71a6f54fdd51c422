import { keyHash } from '../transcript/idTable';
import { hasFlag, kindOf, RowFlag, RowKind } from '../transcript/rowFlags';
import { OtherFileError, RowSource } from '../transcript/rowSource';
import { scanFile } from '../transcript/scanFile';
import type { ScannerFactory } from '../transcript/scanner';
import { RetainedRows, TranscriptRows } from '../transcript/transcriptRows';
import { isJsonObject, type JsonObject, objectField, stringField } from '../util/json';
import type { Pacer } from '../util/scheduling';
import { NO_TIME, quarterOf } from './buckets';

/** Number of uint32 of each call. */
export const CALL_WORDS = 6;

/**
 * What each of them is. `low` and `high` are the hash of the call's id, and both are 0 for a call without one. `name` is the
 * position of its name in a list, plus 1; 0 if it has no usable name. `quarter` is an int32, as in the buckets. `characters` is
 * the text of its result, in UTF-16 units.
 */
export const CallWord = { low: 0, high: 1, name: 2, quarter: 3, characters: 4, failed: 5 } as const;

/** The calls of one transcript. */
export interface TranscriptCalls {
  readonly names: readonly string[];
  /** `CALL_WORDS` for each call, in the order in which they are first named. Each id occurs once. */
  readonly words: Uint32Array;
}

/** The calls need neither tokens nor hashes nor what the client loads. */
const SCAN = { withUsage: false, withHashes: false, withByteRows: false } as const;
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);
const RESULT_SUFFIX = 'tool_result';
const ERROR_SUFFIX = '_error';
/** Longer names do not count as names. */
const MAX_NAME = 200;
/** So many different names are kept of one transcript; calls of further ones have no name. */
const MAX_NAMES = 1000;
const MAX_WORD = 0xffff_ffff;
/** Anything but white space and invisible characters. */
const VISIBLE = /[^\s\p{C}\p{Z}]/u;

/**
 * Reads the calls of tools in a transcript, and their results. Only rows that may hold some are parsed. Rows that are too long to
 * be parsed are left out. Rejects with the file system's error, or with the signal's reason.
 */
export async function readToolCalls(
  filePath: string,
  createScanner: ScannerFactory,
  pacer: Pacer,
  signal?: AbortSignal,
): Promise<TranscriptCalls> {
  const { index, identity } = await scanFile(filePath, createScanner, { ...SCAN, pacer, signal });
  const source = RowSource.open(filePath, Number(identity.size));
  try {
    const { ino, dev, size } = source.identity;
    if (ino !== identity.ino || dev !== identity.dev || size < identity.size) {
      throw new OtherFileError('The transcript was replaced while its rows were read');
    }
    const { rows: table } = index;
    const rows = new TranscriptRows(table, source, new RetainedRows());
    const collector = new CallCollector();
    for (let row = 0; row < table.count; row++) {
      if (!mayHoldCalls(table.flags(row))) continue;
      const object = rows.object(row);
      if (object !== null) collector.add(object, quarterOf(table.timeMs(row)));
      const turn = pacer.yieldIfDue();
      if (turn === null) continue;
      await turn;
      signal?.throwIfAborted();
    }
    return collector.end();
  } finally {
    source.close();
  }
}

/**
 * Combines a call with another copy of it. The time and the name are those of the earlier copy, so that the order in which
 * transcripts are read does not matter. The call failed if any copy says so, and its result is the longest one.
 */
export function mergeCall(
  into: Uint32Array | number[],
  at: number,
  from: Uint32Array | number[],
  fromAt: number,
): void {
  const [quarter, other] = [into[at + CallWord.quarter] ?? 0, from[fromAt + CallWord.quarter] ?? 0];
  const isEarlier = rankOf(other) < rankOf(quarter);
  const [name, otherName] = [into[at + CallWord.name] ?? 0, from[fromAt + CallWord.name] ?? 0];
  if (isEarlier || (other === quarter && name === 0)) into[at + CallWord.name] = otherName;
  if (isEarlier) into[at + CallWord.quarter] = other;
  for (const word of [CallWord.characters, CallWord.failed]) {
    into[at + word] = Math.max(into[at + word] ?? 0, from[fromAt + word] ?? 0);
  }
}

/** A call without a time is later than all others. */
function rankOf(quarter: number): number {
  return (quarter | 0) === NO_TIME ? Infinity : quarter | 0;
}

/** The client writes each block as a row of its own, so a reply without text may be a call of a kind that no flag marks. */
function mayHoldCalls(flags: number): boolean {
  const kind = kindOf(flags);
  if (kind !== RowKind.user && kind !== RowKind.assistant) return false;
  if (hasFlag(flags, RowFlag.hasToolResult | RowFlag.hasServerResult)) return true;
  if (kind === RowKind.user) return false;
  return hasFlag(flags, RowFlag.hasToolUse | RowFlag.hasServerCall) || !hasFlag(flags, RowFlag.hasText);
}

class CallCollector {
  readonly #names = new Map<string, number>();
  readonly #words: number[] = [];
  /** Where the words of each call with an id begin. */
  readonly #places = new Map<string, number>();
  /** By the id of the call, which may follow. */
  readonly #results = new Map<string, { failed: boolean; characters: number }>();

  add(row: JsonObject, quarter: number): void {
    const content = objectField(row, 'message')?.['content'];
    if (!Array.isArray(content)) return;
    for (const block of content as readonly unknown[]) {
      if (!isJsonObject(block)) continue;
      const type = stringField(block, 'type');
      if (type === null) continue;
      if (CALL_TYPES.has(type)) {
        if (row['type'] === 'assistant') this.#addCall(block, quarter);
      } else if (type.endsWith(RESULT_SUFFIX)) this.#addResult(block);
    }
  }

  end(): TranscriptCalls {
    for (const [id, { failed, characters }] of this.#results) {
      const at = this.#places.get(id);
      if (at === undefined) continue;
      this.#words[at + CallWord.characters] = characters;
      this.#words[at + CallWord.failed] = failed ? 1 : 0;
    }
    return { names: [...this.#names.keys()], words: Uint32Array.from(this.#words) };
  }

  #addCall(block: JsonObject, quarter: number): void {
    const id = stringField(block, 'id') ?? '';
    const { low, high } = id === '' ? { low: 0, high: 0 } : keyHash(id);
    const words = [low, high, this.#numberOf(nameOf(block)), quarter >>> 0, 0, 0];
    const known = this.#places.get(id);
    if (known !== undefined) {
      mergeCall(this.#words, known, words, 0);
      return;
    }
    if (id !== '') this.#places.set(id, this.#words.length);
    this.#words.push(...words);
  }

  #addResult(block: JsonObject): void {
    const id = stringField(block, 'tool_use_id') ?? '';
    if (id === '') return;
    const { content } = block;
    const known = this.#results.get(id) ?? { failed: false, characters: 0 };
    const isError = isJsonObject(content) && stringField(content, 'type')?.endsWith(ERROR_SUFFIX) === true;
    known.failed ||= block['is_error'] === true || isError;
    known.characters = Math.min(MAX_WORD, Math.max(known.characters, textLength(content)));
    this.#results.set(id, known);
  }

  #numberOf(name: string | null): number {
    if (name === null) return 0;
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES) return 0;
    this.#names.set(name, this.#names.size + 1);
    return this.#names.size;
  }
}

/** The name under which the client lists the tool; null if it is not usable. */
function nameOf(block: JsonObject): string | null {
  const own = stringField(block, 'name') ?? '';
  const server = block['type'] === 'mcp_tool_use' ? (stringField(block, 'server_name') ?? '') : '';
  const name = server === '' ? own : `mcp__${server}__${own}`;
  return VISIBLE.test(own.slice(0, MAX_NAME)) && name.length <= MAX_NAME ? name : null;
}

/** The text of a result; images and everything else count 0. */
function textLength(content: unknown): number {
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  let length = 0;
  for (const part of content as readonly unknown[]) {
    if (isJsonObject(part) && part['type'] === 'text') length += stringField(part, 'text')?.length ?? 0;
  }
  return length;
}
