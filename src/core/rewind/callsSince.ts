import { closeSync } from 'node:fs';
import { readFileCalls, type FileCall } from '../claude/fileCalls';
import { stringField, type JsonObject } from '../claude/json';
import { RowFlag, RowKind } from '../scan/rowFlags';
import { dissectLine } from '../scan/dissectLine';
import { openRegularFile } from '../scan/openRegularFile';
import { bytePattern } from '../search/bytePattern';
import { CandidateLines } from '../search/candidateLines';
import type { SessionHistory } from './sessionHistory';

export type LocatedCall = FileCall & {
  /** 1-based; null for rows of other files. */
  readonly line: number | null;
};

/** Calls behind a row of a chain, oldest first. `from`: place in the chain of the first row that counts. */
export function* callsOnChain(history: SessionHistory, chain: Int32Array, from: number): Generator<LocatedCall> {
  const { rows } = history.facts;
  for (let at = from; at < chain.length; at++) {
    const row = chain[at] ?? 0;
    const isAsked = rows.kind(row) === RowKind.user && rows.has(row, RowFlag.hasText);
    if (!rows.has(row, RowFlag.hasToolUse) && !isAsked) continue;
    const object = history.rows.object(row);
    if (object === null) continue;
    for (const call of readFileCalls(object)) yield { ...call, line: rows.line(row) };
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
    for (const call of readFileCalls(object)) yield { ...call, line: rows.line(row) };
  }
}

const CALL_NEEDLE = 'tool_use';

/** Calls of a subagent with a transcript of its own, since a time; none when it cannot be read. */
export function callsOfSubagent(filePath: string, sinceMs: number): readonly LocatedCall[] {
  try {
    const { file, identity } = openRegularFile(filePath);
    try {
      const calls: LocatedCall[] = [];
      const lines = new CandidateLines(file, Number(identity.size), bytePattern(CALL_NEEDLE, true));
      for (let found = lines.next(); found !== null; found = lines.next()) {
        for (const { bytes, line } of found) {
          for (const { object } of dissectLine(bytes, line === 1).objects) {
            if (isSince(object, sinceMs)) calls.push(...readFileCalls(object).map((call) => ({ ...call, line: null })));
          }
        }
      }
      return calls;
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

function isSince(row: JsonObject, sinceMs: number): boolean {
  return Date.parse(stringField(row, 'timestamp') ?? '') >= sinceMs;
}
