import type { Finding } from '../../protocol/repair';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import {
  type LineFault,
  type LineFaultKind,
  MAX_LISTED_LINES,
  type TranscriptIndex,
} from '../transcript/transcriptIndex';
import type { RepairDraft } from './repairDraft';

interface CheckDefinition {
  /** Of its findings; no other check has it. */
  readonly code: string;
  /** Writes its edits into the draft. Left out where nothing can or need be fixed. */
  fix?(draft: RepairDraft): void;
}

/**
 * Looks at the index alone. It is asked again whenever rows were appended to a transcript that is followed, so it should
 * take microseconds where it finds nothing.
 */
export interface IndexCheck extends CheckDefinition {
  readonly kind: 'index';
  find(loaded: Pick<LoadedTranscript, 'index'>): Finding[];
}

/** Looks at how rows hang together. Rows that only continue the leaf with uuids of their own change none of its findings. */
export interface LinkCheck extends CheckDefinition {
  readonly kind: 'links';
  find(loaded: LoadedTranscript): Finding[];
}

/** Looks at what the client loads. A transcript that grows is loaded as a whole each time while such a check is used. */
export interface LoadCheck extends CheckDefinition {
  readonly kind: 'load';
  find(loaded: LoadedTranscript): Finding[];
}

/** One failure class: how it is found, described and fixed. */
export type Check = IndexCheck | LinkCheck | LoadCheck;

/** What a finding says, but for the rows or lines that it is about. */
export type FindingTexts = Pick<Finding, 'code' | 'severity' | 'action' | 'message'>;

/** A finding about stored rows. Lists at most `MAX_LISTED_LINES` lines and uuids. */
export function rowFinding({ rows, ids }: TranscriptIndex, about: readonly number[], parts: FindingTexts): Finding {
  const { code, severity, action, message } = parts;
  const listed = [...about].sort((a, b) => a - b).slice(0, MAX_LISTED_LINES);
  const lines = listed.map((row) => rows.line(row));
  const uuids = listed.map((row) => ids.text(rows.uuid(row))).filter((uuid) => uuid !== null);
  return { code, severity, action, lines, uuids, message };
}

/** Faulty lines that one finding is about: how many there are, and the first of them. */
export interface FaultyLines {
  readonly total: number;
  /** At most `MAX_LISTED_LINES`. */
  readonly lines: readonly number[];
}

/** The faults of a kind that match, or all of them. */
export function faultyLines(
  { lineFaults }: TranscriptIndex,
  kind: LineFaultKind,
  matches: (fault: LineFault) => boolean = () => true,
): FaultyLines {
  const lines: number[] = [];
  let total = 0;
  for (const fault of lineFaults.ofKind(kind)) {
    if (!matches(fault)) continue;
    total++;
    if (lines.length < MAX_LISTED_LINES) lines.push(fault.line);
  }
  return { total, lines };
}

/** The finding as a list, empty when no line has the fault. */
export function lineFinding({ total, lines }: FaultyLines, parts: FindingTexts): Finding[] {
  const { code, severity, action, message } = parts;
  return total === 0 ? [] : [{ code, severity, action, lines, uuids: [], message }];
}

/** "1 row", "3 rows". */
export function count(amount: number, noun: string): string {
  // Formatting a number costs V8 tens of microseconds, and every session has such sentences.
  const figure = amount < 1000 ? String(amount) : amount.toLocaleString('en');
  return `${figure} ${noun}${amount === 1 ? '' : 's'}`;
}
