import { closeSync } from 'node:fs';
import type { SearchMatch, SearchQuery } from '../../../protocol/channels/search';
import { dissectLine } from '../../transcript/dissectLine';
import { stringField } from '../../util/json';
import { openRegularFile } from '../../util/openForeignFile';
import { type CandidateLine, CandidateLines } from './candidateLines';
import { RowFilter, type WantedRow } from './rowFilter';
import type { TextHit, TextMatcher } from './textMatcher';

/** A match without the fields that identify its session. */
export type RowMatch = Pick<SearchMatch, 'line' | 'uuid' | 'role' | 'isResult' | 'timeMs' | 'excerpt' | 'hit'>;

export interface TranscriptStep {
  /** In line order. */
  readonly matches: readonly RowMatch[];
  readonly bytesRead: number;
  /** Number of lines so far that were skipped because they are too long. */
  readonly skippedLines: number;
}

/**
 * Searches a transcript from its first byte up to the size it had when it was opened, one chunk per step. A line yields
 * at most one match. Throws what `openRegularFile` throws, or a read error.
 */
export function* searchTranscript(
  filePath: string,
  matcher: TextMatcher,
  query: Pick<SearchQuery, 'roles' | 'filters'>,
): Generator<TranscriptStep> {
  const filter = new RowFilter(query);
  const { file, identity } = openRegularFile(filePath);
  try {
    const lines = new CandidateLines(file, Number(identity.size), filter.widen(matcher.pattern));
    for (let found = lines.next(); found !== null; found = lines.next()) {
      yield {
        matches: matchesIn(found, matcher, filter),
        bytesRead: lines.bytesRead,
        skippedLines: lines.skippedLines,
      };
    }
  } finally {
    closeSync(file);
  }
}

interface SeenRow extends WantedRow {
  readonly line: number;
  readonly uuid: string | null;
}

function matchesIn(lines: readonly CandidateLine[], matcher: TextMatcher, filter: RowFilter): RowMatch[] {
  const rows = lines.flatMap((line) => seenRows(line, filter));
  if (rows.length === 0) return [];
  const hits = matcher.find(rows.map(({ texts }) => texts));
  const matches: RowMatch[] = [];
  rows.forEach(({ line, uuid, role, isResult, timeMs }, at) => {
    const hit = hits[at] ?? null;
    if (hit === null || matches.at(-1)?.line === line) return;
    matches.push({ line, uuid, role, isResult, timeMs, ...excerptOf(hit) });
  });
  return matches;
}

/** A line has several rows if rows are glued together. */
function seenRows({ line, bytes }: CandidateLine, filter: RowFilter): SeenRow[] {
  return dissectLine(bytes, line === 1).objects.flatMap(({ object }): SeenRow[] => {
    const wanted = filter.wanted(object, line);
    return wanted === null ? [] : [{ ...wanted, line, uuid: stringField(object, 'uuid') }];
  });
}

/** Maximum lengths of an excerpt and of its parts, in UTF-16 units. */
const MAX_LENGTH = 200;
const MAX_BEFORE = 60;
const MAX_HIT = 120;
/** More text is read than is kept, by this factor, because white space and control characters are collapsed. */
const LOOKED_AT = 4;

/** The text around a hit, on one line. The hit's range in it is never empty. */
function excerptOf({ text, start, end }: TextHit): Pick<SearchMatch, 'excerpt' | 'hit'> {
  const before = tail(text, start);
  const hit = head(text, start, end, MAX_HIT);
  const after = head(text, end, text.length, MAX_LENGTH - before.length - hit.length).trimEnd();
  return { excerpt: before + hit + after, hit: { start: before.length, end: before.length + hit.length } };
}

function tail(text: string, end: number): string {
  const from = Math.max(0, end - MAX_BEFORE * LOOKED_AT);
  const line = oneLine(text.slice(from, end)).trimStart();
  if (from === 0 && line.length <= MAX_BEFORE) return line;
  return `…${withoutHalves(line.slice(-(MAX_BEFORE - 1)))}`;
}

function head(text: string, from: number, end: number, length: number): string {
  const to = Math.min(end, from + length * LOOKED_AT);
  const line = oneLine(text.slice(from, to));
  if (to === end && line.length <= length) return line;
  return `${withoutHalves(line.slice(0, length - 1))}…`;
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

/** Removes half a surrogate pair at either end. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
