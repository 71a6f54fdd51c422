import { closeSync } from 'node:fs';
import { readCallResults, readFileCalls, type FileCall } from '../claude/fileCalls';
import { stringField } from '../claude/json';
import { RowFlag, RowKind } from '../scan/rowFlags';
import { dissectLine } from '../scan/dissectLine';
import { openRegularFile } from '../scan/openRegularFile';
import { bytePattern } from '../search/bytePattern';
import { CandidateLines } from '../search/candidateLines';
import type { SessionHistory } from './sessionHistory';

export type LocatedCall = FileCall & {
  /** 1-based; null for rows of other files. */
  readonly line: number | null;
  /** Null for rows of other files. */
  readonly row: number | null;
  /** Of the call's row; NaN when it tells none. */
  readonly timeMs: number;
  /** The client keeps no copies for those. */
  readonly isOfSubagent: boolean;
};

/** The result of a call. */
export interface CallResult {
  /** When it was written; NaN when the row does not say. */
  readonly timeMs: number;
  /** It was refused, or failed: it changed nothing. */
  readonly isError: boolean;
}

/** Calls behind a row of a chain, oldest first. `from`: place in the chain of the first row that counts. */
export function* callsOnChain(history: SessionHistory, chain: Int32Array, from: number): Generator<LocatedCall> {
  const { rows } = history.facts;
  for (let at = from; at < chain.length; at++) {
    const row = chain[at] ?? 0;
    const isAsked = rows.kind(row) === RowKind.user && rows.has(row, RowFlag.hasText);
    if (!rows.has(row, RowFlag.hasToolUse) && !isAsked) continue;
    const object = history.rows.object(row);
    if (object === null) continue;
    const place = { line: rows.line(row), row, timeMs: rows.timestamp(row), isOfSubagent: false };
    for (const call of readFileCalls(object)) yield { ...call, ...place };
  }
}

/** Calls of subagents whose rows stand in the transcript itself, since a time. */
export function* callsBeside(history: SessionHistory, sinceMs: number): Generator<LocatedCall> {
  const { rows } = history.facts;
  for (let row = 0; row < rows.count; row++) {
    if (!rows.has(row, RowFlag.sidechain) || !rows.has(row, RowFlag.hasToolUse)) continue;
    if (!(rows.timestamp(row) >= sinceMs)) continue;
    const object = history.rows.object(row);
    if (object === null) continue;
    const place = { line: rows.line(row), row, timeMs: rows.timestamp(row), isOfSubagent: true };
    for (const call of readFileCalls(object)) yield { ...call, ...place };
  }
}

/** The results of these calls by the ids of the calls, as far as the transcript has them. */
export function resultsOf(history: SessionHistory, calls: readonly LocatedCall[]): ReadonlyMap<string, CallResult> {
  const { rows } = history.facts;
  const results = new Map<string, CallResult>();
  const asked = calls.flatMap(({ row }) => row ?? []);
  const keys = new Set(asked.flatMap((row) => rows.toolUses(row)));
  for (let row = Math.min(...asked); row < rows.count; row++) {
    if (!rows.toolResults(row).some((key) => keys.has(key))) continue;
    const object = history.rows.object(row);
    for (const { toolUseId, isError } of object === null ? [] : readCallResults(object)) {
      results.set(toolUseId, { timeMs: rows.timestamp(row), isError });
    }
  }
  return results;
}

/** Finds calls of a subagent, and results. */
const CALL_NEEDLE = 'tool_use';

const elsewhere = { line: null, row: null, isOfSubagent: true } as const;

export interface SubagentCalls {
  readonly calls: readonly LocatedCall[];
  readonly results: ReadonlyMap<string, CallResult>;
}

/** Calls of a subagent with a transcript of its own, since a time; none when it cannot be read. */
export function callsOfSubagent(filePath: string, sinceMs: number): SubagentCalls {
  const calls: LocatedCall[] = [];
  const results = new Map<string, CallResult>();
  try {
    const { file, identity } = openRegularFile(filePath);
    try {
      const lines = new CandidateLines(file, Number(identity.size), bytePattern(CALL_NEEDLE, true));
      for (let found = lines.next(); found !== null; found = lines.next()) {
        for (const { bytes, line } of found) {
          for (const { object } of dissectLine(bytes, line === 1).objects) {
            const timeMs = Date.parse(stringField(object, 'timestamp') ?? '');
            if (!(timeMs >= sinceMs)) continue;
            for (const call of readFileCalls(object)) calls.push({ ...call, ...elsewhere, timeMs });
            for (const { toolUseId, isError } of readCallResults(object)) results.set(toolUseId, { timeMs, isError });
          }
        }
      }
    } finally {
      closeSync(file);
    }
  } catch {
    // What was read of it counts all the same.
  }
  return { calls, results };
}
