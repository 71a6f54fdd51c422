import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { isThinking } from '../../providers/claude/request/composeRequest';
import { type JudgedRequest, judgeRequest } from '../../providers/claude/request/judgeRequest';
import { readRefusal, type Refusal } from '../../providers/claude/request/refusal';
import { readRequestRows, type RequestHistory, rowReader } from '../../providers/claude/request/requestRows';
import {
  type Fault,
  type FaultCode,
  type Origin,
  REQUEST_RULES,
  type RuleName,
} from '../../providers/claude/request/requestRules';
import { RowSource } from '../../transcript/rowSource';
import { MAX_LISTED_LINES, type TranscriptIndex } from '../../transcript/transcriptIndex';
import { largestOf, textsToCut } from './cases/requestSize';
import { blocksIn, NOTHING_KEPT } from './faultCase';
import { FAULT_CASES } from './faultCases';

/** The next request of a transcript, and what is wrong with it. */
export interface RequestDiagnosis {
  readonly request: JudgedRequest;
  /** What was found in the request, and what the error with which the history ends names. */
  readonly faults: readonly Fault[];
  readonly findings: readonly Finding[];
}

/** A larger file would need several hundred megabytes of memory, and little of it fits into a request. */
const MAX_JUDGED_BYTES = 128 * 1024 * 1024;

/** Whether the next request of a transcript is judged at all. */
export function canBeJudged({ fileSize }: Pick<TranscriptIndex, 'fileSize'>): boolean {
  return fileSize <= MAX_JUDGED_BYTES;
}

/**
 * Judges the next request of a transcript by the rules of the API. Costs JSON.parse of all that is loaded, so it is not a part of a
 * scan. Throws the errors of `openRegularFile`.
 */
export function diagnoseRequest(filePath: string, loaded: LoadedTranscript): RequestDiagnosis {
  const source = RowSource.open(filePath, loaded.index.fileSize);
  try {
    return diagnoseHistory(loaded, readRequestRows(loaded, rowReader(loaded, source)));
  } finally {
    source.close();
  }
}

/** The same for rows that were read. */
export function diagnoseHistory({ index }: LoadedTranscript, history: RequestHistory): RequestDiagnosis {
  const request = judgeRequest(history);
  const refusal = readRefusal(request);
  const faults = [...request.faults, ...namedFaults(request, refusal)];
  const uuidOf = (row: number): string[] => {
    const uuid = row < 0 || row >= index.rows.count ? null : index.ids.text(index.rows.uuid(row));
    return uuid === null ? [] : [uuid];
  };
  const groups = new Map<string, Fault[]>();
  for (const fault of faults) {
    const { code } = REQUEST_RULES[fault.rule];
    const key = `${severityOf(fault)} ${code}`;
    groups.set(key, [...(groups.get(key) ?? []), fault]);
  }
  const findings = [...groups.values()].flatMap((group) => findingOf(group, request, uuidOf) ?? []);
  return { request, faults, findings: [...findings, ...unknownRefusal(refusal, uuidOf)] };
}

/** Whether every further prompt is refused because of it. */
export function isPoison({ rule }: Fault): boolean {
  return REQUEST_RULES[rule].heals === 'never';
}

export function codeOf({ rule }: Fault): FaultCode {
  return REQUEST_RULES[rule].code;
}

/** Whether a finding about the request can have the code. */
export function isRequestCode(code: string): boolean {
  return code === REQUEST_REFUSED || Object.values(REQUEST_RULES).some((rule) => rule.code === code);
}

/** Code of the finding about a refusal that is not understood. Nothing is repaired by it. */
const REQUEST_REFUSED = 'request-refused';

function severityOf(fault: Fault): Finding['severity'] {
  return isPoison(fault) ? 'error' : 'info';
}

/** The fault that the error names, if it depends on the API that the session uses, or cannot be checked, and may still be there. */
function namedFaults(request: JudgedRequest, refusal: Refusal | null): readonly Fault[] {
  const { rule = null, guilty = null } = refusal ?? {};
  if (rule === null) return [];
  const { code } = REQUEST_RULES[rule];
  if (request.faults.some((fault) => codeOf(fault) === code)) return [];
  const suspect = SUSPECTS[rule]?.(request);
  return suspect === undefined ? [] : [{ rule, origin: guilty ?? suspect }];
}

/** What a refusal can be about for rules that the transcript alone does not decide. Undefined once it is gone. */
const SUSPECTS: Partial<Record<RuleName, (request: JudgedRequest) => Origin | undefined>> = {
  // How much a history has is known, but not what the client compacts before it is sent.
  'request-size': (request) => textsToCut(request)[0]?.origin ?? largestOf(request),
  'thinking-hollow': (request) => blocksIn(request).find(({ value }) => value['thinking'] === '')?.origin,
  'thinking-unsigned': (request) => blocksIn(request).find(isThinking)?.origin,
  'thinking-modified': (request) => blocksIn(request).findLast(isThinking)?.origin,
  'first-role': ({ messages: [first] }) => (first?.role === 'assistant' ? first.blocks[0]?.origin : undefined),
  'same-roles': ({ messages }) =>
    messages.find(({ role }, at) => role === 'assistant' && messages[at - 1]?.role === 'assistant')?.blocks[0]?.origin,
};

function findingOf(
  faults: readonly Fault[],
  request: JudgedRequest,
  uuidOf: (row: number) => string[],
): Finding | null {
  const [first] = faults;
  if (first === undefined) return null;
  const { repair } = FAULT_CASES[first.rule];
  const mended = firstMended(faults, request);
  const offer = isPoison(first) || mended === undefined ? null : (FAULT_CASES[mended.rule].repair?.offer ?? null);
  const ofPoison = mended === undefined ? 'tell' : (repair?.action ?? 'tell');
  const places = faults.flatMap(({ origin, also = [] }) => [origin, ...also]);
  const lines = [...new Set(places.map(({ line }) => line))].sort((a, b) => a - b);
  const rows = [...new Set(places.map(({ row }) => row))].sort((a, b) => a - b);
  return {
    code: codeOf(first),
    severity: severityOf(first),
    // What the client heals is repaired only if somebody names it, so nothing about it goes without asking.
    action: isPoison(first) ? ofPoison : offer === null ? 'tell' : 'ask',
    lines: lines.slice(0, MAX_LISTED_LINES),
    uuids: rows.slice(0, MAX_LISTED_LINES).flatMap(uuidOf),
    message: [...sentencesOf(faults), ...(offer === null ? [] : [offer])].join(' '),
    ...(isPoison(first) ? { isRefused: true } : {}),
  };
}

/** What is wrong where, a sentence for each kind of fault, and what becomes of it. */
function sentencesOf(faults: readonly Fault[]): readonly string[] {
  const rules = [...new Set(faults.map(({ rule }) => rule))];
  const sentences = rules.map((rule) => {
    const { what, healing } = FAULT_CASES[rule];
    const sentence = `${what} (${nameLines(faults.filter((fault) => fault.rule === rule))}).`;
    return healing === null ? sentence : `${sentence} ${healing}`;
  });
  const [first] = faults;
  if (first === undefined || !isPoison(first)) return sentences;
  return [...sentences, `Claude's API refuses every further prompt because of ${rules.length === 1 ? 'it' : 'them'}.`];
}

/** More faults of a kind are not asked, because each may look through the whole request. */
const MAX_ASKED = 20;

/**
 * The first fault that a repair changes something about. Of those that the client heals, that is what its healing loses and a repair
 * saves.
 */
function firstMended(faults: readonly Fault[], request: JudgedRequest): Fault | undefined {
  return faults
    .slice(0, MAX_ASKED)
    .find((fault) => (FAULT_CASES[fault.rule].repair?.edits(fault, request, NOTHING_KEPT).length ?? 0) > 0);
}

/** What is wrong with all the places together, and not with the first of them. */
const OF_MANY: ReadonlySet<RuleName> = new Set(['cache-count', 'image-count']);

/** Lines that a sentence names; the rest are counted. */
const MAX_NAMED = 3;

function nameLines(faults: readonly Fault[]): string {
  const places = faults.flatMap(({ rule, origin, also = [] }) => (OF_MANY.has(rule) ? [origin, ...also] : [origin]));
  const lines = [...new Set(places.map(({ line }) => line))].sort((a, b) => a - b);
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return `line ${only}`;
  const more = lines.length > MAX_NAMED ? ` and ${lines.length - MAX_NAMED} more` : '';
  return `lines ${lines.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** A refusal that names a message, but not in words that are known. */
function unknownRefusal(refusal: Refusal | null, uuidOf: (row: number) => string[]): readonly Finding[] {
  if (refusal?.rule !== null || refusal.guilty === null) return [];
  const { line, row } = refusal.guilty;
  const times = refusal.times === 1 ? 'the last prompt' : `the last ${refusal.times} prompts`;
  const message = `Claude's API refused ${times} because of the message on line ${line}, for a reason that Rethread does not know.`;
  return [{ code: REQUEST_REFUSED, severity: 'warning', action: 'tell', lines: [line], uuids: uuidOf(row), message }];
}
