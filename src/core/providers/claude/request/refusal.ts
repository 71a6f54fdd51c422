import { isJsonObject, objectField } from '../../../util/json';
import type { ComposedRequest, RequestMessage } from './composeRequest';
import type { RequestRow } from './requestRows';
import { type Origin, REQUEST_RULES, RULE_NAMES, type RuleName } from './requestRules';

/** The error with which a history ends: the API refused its last prompt. */
export interface Refusal {
  /** The row that reports it. */
  readonly origin: Origin;
  /** The rule that its sentence names; null if it is not known. */
  readonly rule: RuleName | null;
  /** What the sentence is about; null if it does not say so. */
  readonly guilty: Origin | null;
  /** How many prompts in a row were refused with the same sentence. */
  readonly times: number;
}

/** Null if the history does not end with a refused prompt, or the API refused it for a reason that may pass. */
export function readRefusal(request: ComposedRequest): Refusal | null {
  const error = request.errors.at(-1);
  const lastReply = request.messages.findLast(({ role }) => role === 'assistant')?.rows.at(-1);
  if (error === undefined || (lastReply !== undefined && lastReply.row > error.row)) return null;
  const sentence = sentenceOf(error);
  if (sentence === null) return null;
  const rule = RULE_NAMES.find((name) => REQUEST_RULES[name].sentence?.test(sentence) === true) ?? null;
  const times = timesRefused(request, lastReply, sentence);
  return { origin: placeOf(error), rule, guilty: guiltyBlock(request, sentence), times };
}

const REFUSED = /^API Error: (?:400|413)\b\s*(.*)$/s;

/** The sentence of the API; null if the row reports another error. */
function sentenceOf({ object }: RequestRow): string | null {
  const content = objectField(object ?? {}, 'message')?.['content'];
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  const [text] = list.flatMap((block) =>
    isJsonObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  const status = object?.['apiErrorStatus'];
  const details = object?.['errorDetails'];
  const found = REFUSED.exec(text ?? '')?.[1];
  if (found !== undefined) return found;
  const isRefused = status === 400 || status === 413;
  return isRefused ? (typeof details === 'string' ? details : (text ?? '')) : null;
}

function timesRefused({ errors }: ComposedRequest, lastReply: RequestRow | undefined, sentence: string): number {
  const since = errors.filter(({ row }) => lastReply === undefined || row > lastReply.row);
  return since.filter((error) => sentenceOf(error) === sentence).length;
}

const PLACE = /messages\.(\d+)(?:\.content\.(\d+))?(?:\.tool_result\.content\.(\d+))?/;

/**
 * `messages.N.content.M` counts the messages of the refused request: those before the error. Models that get no messages of the
 * system count without them, so a place that does not exist is looked for in that way. (docs/format.md, "Refused requests")
 */
function guiltyBlock({ messages }: ComposedRequest, sentence: string): Origin | null {
  const [, message, block, inner] = PLACE.exec(sentence) ?? [];
  if (message === undefined) return null;
  const at = Number(message);
  const withoutSystem = messages.filter(({ role }) => role !== 'system');
  const found = messages[at]?.role === 'system' ? withoutSystem[at] : (messages[at] ?? withoutSystem[at]);
  if (found === undefined) return null;
  const place = block === undefined ? placeOfMessage(found) : (found.blocks[Number(block)]?.origin ?? null);
  if (place === null || inner === undefined) return place;
  return { ...place, path: [...place.path, 'content', Number(inner)] };
}

function placeOfMessage({ rows }: RequestMessage): Origin | null {
  const [row] = rows;
  return row === undefined ? null : placeOf(row);
}

function placeOf({ row, line }: RequestRow): Origin {
  return { row, line, path: [] };
}
