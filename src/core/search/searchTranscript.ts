import { closeSync } from 'node:fs';
import type { SearchMatch, SearchQuery } from '../../shared/api/search';
import type { ItemRole } from '../../shared/conversation';
import { isJsonObject, objectField, stringField, type JsonObject } from '../claude/json';
import { rowRole, rowTexts } from '../claude/rowTexts';
import { dissectLine } from '../scan/dissectLine';
import { openRegularFile } from '../scan/openRegularFile';
import { CandidateLines, type CandidateLine } from './candidateLines';
import { excerptOf } from './excerptOf';
import type { TextMatcher } from './textMatcher';

/** A match, but for what its session is called. */
export type RowMatch = Omit<SearchMatch, 'filePath' | 'sessionId' | 'title'>;

export interface TranscriptStep {
  /** In the order of the lines. */
  readonly matches: readonly RowMatch[];
  readonly bytesRead: number;
  /** Lines so far that were too long to be looked into. */
  readonly passedOver: number;
}

/**
 * Searches a transcript from its first byte to the size it had when it was opened, a chunk at a step. A line gives one
 * match at most. Throws what `openRegularFile` throws, or the error of a read.
 */
export function* searchTranscript(
  filePath: string,
  matcher: TextMatcher,
  roles: SearchQuery['roles'],
): Generator<TranscriptStep> {
  const { file, identity } = openRegularFile(filePath);
  try {
    const lines = new CandidateLines(file, Number(identity.size), matcher.pattern);
    for (let found = lines.next(); found !== null; found = lines.next()) {
      yield { matches: matchesIn(found, matcher, roles), bytesRead: lines.bytesRead, passedOver: lines.passedOver };
    }
  } finally {
    closeSync(file);
  }
}

interface SeenRow {
  readonly line: number;
  readonly row: JsonObject;
  readonly role: ItemRole;
  readonly texts: readonly string[];
}

function matchesIn(lines: readonly CandidateLine[], matcher: TextMatcher, roles: SearchQuery['roles']): RowMatch[] {
  const rows = lines.flatMap((line) => seenRows(line, roles));
  if (rows.length === 0) return [];
  const hits = matcher.find(rows.map(({ texts }) => texts));
  const matches: RowMatch[] = [];
  rows.forEach(({ line, row, role }, at) => {
    const hit = hits[at] ?? null;
    if (hit === null || matches.at(-1)?.line === line) return;
    matches.push({
      line,
      uuid: stringField(row, 'uuid'),
      role,
      isResult: isResult(row),
      timeMs: timeOf(row),
      ...excerptOf(hit),
    });
  });
  return matches;
}

/** More than one where rows are glued. */
function seenRows({ line, bytes }: CandidateLine, roles: SearchQuery['roles']): SeenRow[] {
  return dissectLine(bytes, line === 1).objects.flatMap(({ object }): SeenRow[] => {
    const role = rowRole(object);
    if (role === null || (roles.length > 0 && !roles.includes(role))) return [];
    return [{ line, row: object, role, texts: rowTexts(object) }];
  });
}

function isResult(row: JsonObject): boolean {
  const content = objectField(row, 'message')?.['content'];
  return (
    Array.isArray(content) && content.some((block: unknown) => isJsonObject(block) && block['type'] === 'tool_result')
  );
}

function timeOf(row: JsonObject): number | null {
  const time = Date.parse(stringField(row, 'timestamp') ?? '');
  return Number.isNaN(time) ? null : time;
}
