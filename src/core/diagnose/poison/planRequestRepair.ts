import { createHash } from 'node:crypto';
import type { RepairEdit } from '../../../protocol/repair';
import { LoadedTranscript, loadedRows } from '../../providers/claude/loader/loadTranscript';
import { isThinking, type SentBlock } from '../../providers/claude/request/composeRequest';
import type { JudgedRequest } from '../../providers/claude/request/judgeRequest';
import type { Fault, JsonPath } from '../../providers/claude/request/requestRules';
import { type Splice, Splicer } from '../../storage/splice';
import { RowSource } from '../../transcript/rowSource';
import type { FileScanner } from '../../transcript/scanFile';
import { objectField } from '../../util/json';
import type { Diagnostics } from '../verdict';
import { ContentDraft, type LinkRepair } from './contentDraft';
import { codeOf, isPoison, type RequestDiagnosis } from './diagnoseRequest';
import { type ContentEdit, isWithin, type KeepContent, NOTHING_KEPT } from './faultCase';
import { FAULT_CASES } from './faultCases';

/** Which faults a repair mends. */
export interface RequestRepairOptions {
  /** Only faults of this code; null for all that are refused for ever. */
  readonly code: string | null;
  /** Nobody was shown the plan, so only edits after which everything is still sent. */
  readonly isAutomatic: boolean;
  /** The folder for content that edits take out, relative to the transcript's, in words for people and Claude. */
  readonly keptIn: string;
}

export interface RequestPlan {
  readonly edits: readonly RepairEdit[];
  /** Those of the repair of links and those of the edits, in order. */
  readonly splices: readonly Splice[];
  /** What is loaded after the repair. */
  readonly loaded: LoadedTranscript;
  /** The numbers that rows had before the repair, without those that it inserts. */
  readonly originalRows: (rows: readonly number[]) => readonly number[];
  /** The content that edits take out, by the name of its file. */
  readonly kept: ReadonlyMap<string, Buffer>;
}

export interface RequestPlanDeps {
  readonly scanFile: FileScanner;
  readonly diagnostics: Pick<Diagnostics, 'rules'>;
}

/**
 * Mending one fault can reveal another in the same block. A request that is far too large is read piece by piece: the rest once what
 * comes before it is cut. Never exceeded in practice.
 */
const MAX_ROUNDS = 16;

/**
 * Plans the edits after which the API accepts the next request: the second stage of a repair, on the rows as the repair of links leaves
 * them. The plan is proven on the resulting bytes: the faults are gone, no other came, every row that was sent still is, and what no
 * edit names is sent as it was. Null if there is nothing to mend; `unproven` if no such plan was found.
 */
export async function planRequestRepair(
  filePath: string,
  original: LoadedTranscript,
  links: LinkRepair,
  deps: RequestPlanDeps,
  options: RequestRepairOptions,
): Promise<RequestPlan | 'unproven' | null> {
  const source = RowSource.open(filePath, original.index.fileSize);
  try {
    const draft = new ContentDraft(original, links, source);
    const kept = new Map<string, Buffer>();
    const keep = keeperIn(options.keptIn, kept);
    const scan = async (splices: readonly Splice[]): Promise<LoadedTranscript> => {
      const { index } = await deps.scanFile(filePath, { through: () => new Splicer(splices) });
      return new LoadedTranscript(index, deps.diagnostics.rules);
    };
    const before = draft.diagnose(links.loaded);
    const hasCome = cameWith(before.faults);
    const mustMend = (fault: Fault): boolean => isWanted(fault, options) || (hasCome(fault) && mayMend(fault, options));
    for (let round = 0, now = before; round < MAX_ROUNDS; round++) {
      const edits = now.faults.filter(mustMend).flatMap((fault) => editsOf(fault, now.request, keep));
      if (!draft.apply(edits)) break;
      const splices = draft.splices();
      if (splices === null) return 'unproven';
      now = draft.diagnose(draft.isRestructured ? await scan(splices) : links.loaded);
    }
    if (draft.edits.length === 0) {
      const isLeft = before.faults.some((fault) => isWanted(fault, options) && isMendable(fault, before.request));
      return isLeft ? 'unproven' : null;
    }
    const splices = draft.splices();
    if (splices === null) return 'unproven';
    const loaded = await scan(splices);
    const after = draft.diagnose(loaded);
    const isProven =
      loadedRows(loaded.index, loaded.resume) >= loadedRows(links.loaded.index, links.loaded.resume) &&
      !after.faults.some((fault) => isWanted(fault, options) && isMendable(fault, after.request)) &&
      !after.faults.some(hasCome) &&
      keepsTheRest(before, after, draft);
    if (!isProven) return 'unproven';
    const edits = withPrefixNote(draft, before.request);
    return { edits, splices, loaded, originalRows: (rows) => draft.originalRows(loaded, rows), kept };
  } finally {
    source.close();
  }
}

/** What is wrong with the request once the links are repaired. Throws the errors of `openRegularFile`. */
export function faultsAfterLinks(filePath: string, original: LoadedTranscript, links: LinkRepair): readonly Fault[] {
  const source = RowSource.open(filePath, original.index.fileSize);
  try {
    return new ContentDraft(original, links, source).diagnose(links.loaded).faults;
  } finally {
    source.close();
  }
}

/** Names files by their content, so that the plan that was shown is the one that is applied. */
function keeperIn(folder: string, kept: Map<string, Buffer>): KeepContent {
  return (content, extension) => {
    const name = `${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`;
    kept.set(name, content);
    return `kept in ${folder}/${name}`;
  };
}

function isWanted(fault: Fault, options: RequestRepairOptions): boolean {
  const { code } = options;
  return mayMend(fault, options) && (code === null ? isPoison(fault) : codeOf(fault) === code);
}

function mayMend({ rule }: Fault, { isAutomatic }: RequestRepairOptions): boolean {
  const { repair } = FAULT_CASES[rule];
  return repair !== null && (!isAutomatic || repair.action === 'auto');
}

/** Whether a fault must not be left. Some that the client heals have no repair that keeps more. */
function isMendable(fault: Fault, request: JudgedRequest): boolean {
  return isPoison(fault) || editsOf(fault, request, NOTHING_KEPT).length > 0;
}

function editsOf(fault: Fault, request: JudgedRequest, keep: KeepContent): readonly ContentEdit[] {
  return FAULT_CASES[fault.rule].repair?.edits(fault, request, keep) ?? [];
}

/**
 * Tells of a fault by which a prompt is refused whether it came with the edits: what the client has left out so far can have one, too.
 * Such a fault is mended whatever its code, and none may be left.
 */
function cameWith(before: readonly Fault[]): (fault: Fault) => boolean {
  const keyOf = ({ rule, origin }: Fault): string => `${rule} ${origin.row}`;
  const known = new Set(before.map(keyOf));
  return (fault) => isPoison(fault) && !known.has(keyOf(fault));
}

/** Whether all blocks that no edit names are sent as they were. */
function keepsTheRest(before: RequestDiagnosis, after: RequestDiagnosis, draft: ContentDraft): boolean {
  const [was, is] = [sentByRow(before.request, draft), sentByRow(after.request, draft)];
  return [...was].every(([row, blocks]) => {
    const named = draft.namedIn(row);
    const sent = is.get(row) ?? [];
    if (named.length === 0) return isSameList(sent, blocks);
    const values = new Set(sent.map(({ value }) => JSON.stringify(value)));
    return blocks.every(({ origin, value }) => isNamed(origin.path, named) || values.has(JSON.stringify(value)));
  });
}

function isSameList(some: readonly SentBlock[], others: readonly SentBlock[]): boolean {
  const texts = (blocks: readonly SentBlock[]): string[] => blocks.map(({ value }) => JSON.stringify(value)).sort();
  return texts(some).join() === texts(others).join();
}

function isNamed(path: JsonPath, named: readonly JsonPath[]): boolean {
  return named.some((each) => isWithin(each, path) || isWithin(path, each));
}

function sentByRow({ messages }: JudgedRequest, { stripsThinking }: ContentDraft): ReadonlyMap<number, SentBlock[]> {
  const sent = new Map<number, SentBlock[]>();
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (stripsThinking && isThinking(block)) continue;
    const { row } = block.origin;
    const known = sent.get(row);
    if (known === undefined) sent.set(row, [block]);
    else known.push(block);
  }
  return sent;
}

/** Models that bind thinking to everything before it. (docs/format.md, "Refused requests") */
const BINDING_MODELS = /^claude-(?:fable|mythos)-(?:5-[1-9]|[6-9])/;

/** On a model that binds thinking to its prefix, an edit costs the thinking behind it, which the preview has to say. */
function withPrefixNote(draft: ContentDraft, { messages }: JudgedRequest): readonly RepairEdit[] {
  const newest = messages.findLast(({ role }) => role === 'assistant')?.rows.at(-1)?.object;
  const model = objectField(newest ?? {}, 'message')?.['model'];
  const blocks = messages.flatMap((message) => message.blocks);
  const isCostly = (row: number): boolean => {
    const from = blocks.findIndex(({ origin }) => origin.row === row);
    return from >= 0 && blocks.slice(from + 1).some(isThinking);
  };
  const isBinding = typeof model === 'string' && BINDING_MODELS.test(model);
  return draft.edits
    .toSorted((a, b) => a.line - b.line)
    .map(({ row, ...edit }) => (isBinding && isCostly(row) ? { ...edit, why: `${edit.why} ${PREFIX_NOTE}` } : edit));
}

const PREFIX_NOTE = 'With this model, Claude then leaves out the thinking of the messages behind it.';
