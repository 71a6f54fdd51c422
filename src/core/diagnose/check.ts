import type { Finding, RepairEdit } from '../../protocol/repair';
import type { LoadedHistory } from '../providers/claude/loader/fullContext';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import {
  type LineFault,
  type LineFaultKind,
  MAX_LISTED_LINES,
  type TranscriptIndex,
} from '../transcript/transcriptIndex';
import type { Splice } from '../storage/splice';
import { countOf } from '../util/countOf';
import type { RepairDraft } from './repairDraft';

interface CheckDefinition {
  /** Code of its findings; unique among the checks. */
  readonly code: string;
  /** Adds its edits to the draft. Absent if nothing can or need be fixed. */
  fix?(draft: RepairDraft): void;
  /**
   * The repair that is made only if somebody asks for it by the code, because it decides what Claude remembers instead of adding to it,
   * or changes nothing about that. Null if there is none. Reads the file, and throws the errors of `openRegularFile`.
   *
   * @param filePath the transcript, or a backup of it
   */
  byName?(filePath: string, loaded: LoadedTranscript): NamedRepair | null;
}

/** A repair that somebody asked for by the code of its finding. It adds and removes no row of the index. */
export interface NamedRepair {
  readonly edits: readonly RepairEdit[];
  /** In order. */
  readonly splices: readonly Splice[];
  /** Whether the transcript, scanned as it would be, is what the repair promises. */
  readonly isProven: (after: LoadedTranscript) => boolean;
}

/**
 * Reads only the index, by the rules of the client. It runs again whenever rows are appended to a followed transcript, so it
 * should take microseconds if it finds nothing.
 */
export interface IndexCheck extends CheckDefinition {
  readonly kind: 'index';
  find(loaded: Pick<LoadedTranscript, 'index' | 'rules'>): Finding[];
}

/** What the broken links of a transcript cost. */
export interface LinkCost {
  /**
   * Whether the client would load more rows if the links were fixed. If not, they are left as they are: the client
   * continues past a broken link by time, or nothing comes before it.
   */
  readonly losesRows: boolean;
}

/** Checks how rows are linked. Rows that only continue the leaf with unique uuids change none of its findings. */
export interface LinkCheck extends CheckDefinition {
  readonly kind: 'links';
  /**
   * Its findings depend on what the links cost, which appended rows can change. While it finds anything, a growing
   * transcript is loaded as a whole each time.
   */
  readonly weighsCost?: true;
  /**
   * Whether rows that only continue the leaf could add a finding all the same. A growing transcript is then loaded as a whole each
   * time. If absent, they cannot.
   */
  mayFindMore?(loaded: LoadedTranscript): boolean;
  find(loaded: LoadedTranscript, cost: LinkCost): Finding[];
}

/** Checks what the client loads. While such a check is in use, a growing transcript is loaded as a whole each time. */
export interface LoadCheck extends CheckDefinition {
  readonly kind: 'load';
  find(loaded: LoadedTranscript): Finding[];
}

/** Reads the history that loads, from its end. It runs again like a check of the index. */
export interface HistoryCheck extends CheckDefinition {
  readonly kind: 'history';
  find(loaded: LoadedHistory): Finding[];
}

/**
 * Reads more of the file than the scan keeps, or what is beside it. It runs only where that is asked for, never for a list of
 * sessions. Throws the errors of `openRegularFile`.
 */
export interface FileCheck extends CheckDefinition {
  readonly kind: 'file';
  find(filePath: string, loaded: LoadedTranscript): Finding[];
}

/** One failure class: how it is found, described and fixed. */
export type Check = IndexCheck | HistoryCheck | LinkCheck | LoadCheck | FileCheck;

/** The parts of a finding other than its rows or lines. */
export type FindingTexts = Pick<Finding, 'code' | 'severity' | 'action' | 'message'>;

/** A finding about stored rows, with at most `MAX_LISTED_LINES` lines and uuids. */
export function rowFinding({ rows, ids }: TranscriptIndex, about: readonly number[], parts: FindingTexts): Finding {
  const { code, severity, action, message } = parts;
  const listed = [...about].sort((a, b) => a - b).slice(0, MAX_LISTED_LINES);
  const lines = listed.map((row) => rows.line(row));
  const uuids = listed.map((row) => ids.text(rows.uuid(row))).filter((uuid) => uuid !== null);
  return { code, severity, action, lines, uuids, message };
}

/** The faulty lines of one finding: their number, and the first of them. */
export interface FaultyLines {
  readonly total: number;
  /** At most `MAX_LISTED_LINES`. */
  readonly lines: readonly number[];
}

/** The faults of a kind for which `matches` returns true; all of them by default. */
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

/** A list with the finding; empty if no line has the fault. */
export function lineFinding({ total, lines }: FaultyLines, parts: FindingTexts): Finding[] {
  const { code, severity, action, message } = parts;
  return total === 0 ? [] : [{ code, severity, action, lines, uuids: [], message }];
}

/** Ends the message of a finding about broken links that cost nothing. */
export const NO_ROW_LOST = 'By itself, this costs nothing.';

/**
 * "A message points to itself" of one row, "In 3 places, a message points to itself" of more: several rows can be of one message.
 *
 * @param rest  what is said of a message
 */
export function inPlaces(rows: number, rest: string): string {
  return rows === 1 ? `A message ${rest}` : `In ${countOf(rows, 'place')}, a message ${rest}`;
}
