import { isJsonObject, type JsonObject, objectField, parseObject, stringField } from '../../../util/json';
import { readTitle } from './sessionMetadata';

/** The client's list of sessions is made from so many bytes at the start and at the end of each transcript. */
export const LIST_END_BYTES = 64 * 1024;

/** The start and the end of a transcript, as text. */
export interface TranscriptEnds {
  readonly head: string;
  readonly tail: string;
}

/** Why the client's list of sessions leaves a session out, or does not name it. (docs/format.md, "The client's list") */
export type ListGap =
  /** The start has rows of a subagent. */
  | { readonly kind: 'subagent-rows' }
  /** It is a session of an agent team. */
  | { readonly kind: 'team' }
  /** It was continued in another session. */
  | { readonly kind: 'continued'; readonly sessionId: string }
  /** It was started by the client's own service. */
  | { readonly kind: 'service' }
  /** It was started by a program. */
  | { readonly kind: 'program'; readonly entrypoint: string }
  /** It began with the command `/loop`. */
  | { readonly kind: 'loop' }
  /** Neither a title nor a prompt is in the start and the end. */
  | { readonly kind: 'untitled' };

/** As which client programs start Claude Code. */
const PROGRAM_ENTRYPOINTS: ReadonlySet<string> = new Set(['sdk-cli', 'sdk-ts', 'sdk-py']);
const SERVICE_KINDS: ReadonlySet<string> = new Set(['daemon', 'daemon-worker']);
const LOOP_COMMAND = '<command-name>/loop</command-name>';

/**
 * The reasons, in the client's order; empty if the session is listed by a name.
 *
 * @param holdsMessages whether there is another session with such an id, and it has messages
 */
export function findListGaps(
  { head, tail }: TranscriptEnds,
  holdsMessages: (sessionId: string) => boolean,
): readonly ListGap[] {
  const gaps: ListGap[] = [];
  if (SIDECHAIN_FORMS.some((form) => head.includes(form))) gaps.push({ kind: 'subagent-rows' });
  if ((firstValue(head, 'teamName')?.text ?? '') !== '') gaps.push({ kind: 'team' });
  const continued = findContinuation(tail);
  if (continued !== null && holdsMessages(continued)) gaps.push({ kind: 'continued', sessionId: continued });
  const firstChainRow = head.split('\n').find((line) => line.includes('"parentUuid":')) ?? head;
  if (SERVICE_KINDS.has(firstValue(firstChainRow, 'sessionKind')?.text ?? '')) gaps.push({ kind: 'service' });
  const entrypoint = firstValue(head, 'entrypoint')?.text ?? lastValue(tail, 'entrypoint');
  if (entrypoint !== null && PROGRAM_ENTRYPOINTS.has(entrypoint)) gaps.push({ kind: 'program', entrypoint });
  if (isLoop(head)) gaps.push({ kind: 'loop' });
  if (!hasName(head, tail)) gaps.push({ kind: 'untitled' });
  return gaps;
}

/** How the client looks for rows of a subagent: it compares text, so that other white space hides them from it. */
export const SIDECHAIN_FORMS = ['"isSidechain":true', '"isSidechain": true'] as const;

/** A text that is the value of a key, as the client finds it without parsing. */
export interface FoundValue {
  readonly text: string;
  /** In UTF-16 units, of what is between the quotes. */
  readonly start: number;
  readonly end: number;
}

/** The value after the first `"key":"`; null if there is none. */
export function firstValue(text: string, key: string): FoundValue | null {
  for (const form of [`"${key}":"`, `"${key}": "`]) {
    const at = text.indexOf(form);
    const start = at + form.length;
    const end = at < 0 ? -1 : text.indexOf('"', start);
    if (end >= 0) return { text: text.slice(start, end), start, end };
  }
  return null;
}

function lastValue(text: string, key: string): string | null {
  const form = `"${key}":"`;
  const at = text.lastIndexOf(form);
  return at < 0 ? null : (firstValue(text.slice(at), key)?.text ?? null);
}

/**
 * The session in which this one goes on: the newest `continued-in` row, unless Claude answered or somebody asked something after it.
 * Null if there is none.
 */
export function findContinuation(tail: string): string | null {
  for (const line of tail.split('\n').reverse()) {
    if (!/"type":"(?:continued-in|user|assistant)"/.test(line)) continue;
    const row = parseObject(line);
    if (row === null) continue;
    if (row['type'] === 'continued-in') return stringField(row, 'continuedInSessionId');
    const isAnswer = row['type'] === 'assistant' && row['isApiErrorMessage'] !== true;
    if (isAnswer && stringField(objectField(row, 'message') ?? {}, 'stop_reason') !== null) return null;
    if (promptOf(row) !== null) return null;
  }
  return null;
}

function isLoop(head: string): boolean {
  return userRows(head).some((row) => textsOf(row).some((text) => text.includes(LOOP_COMMAND)));
}

/** Whether the client finds a title or a prompt to list the session by. A `custom-title.json` beside the transcript counts, too. */
function hasName(head: string, tail: string): boolean {
  for (const line of [...tail.split('\n'), ...head.split('\n')]) {
    if (!/"type":\s?"(?:custom-title|ai-title|last-prompt)"/.test(line)) continue;
    const title = readTitle(parseObject(line) ?? {});
    if (title !== null && title.text.trim() !== '') return true;
  }
  return [head, tail].some(
    (text) => userRows(text).some((row) => promptOf(row) !== null || isCommand(row)) || hasCutPrompt(text),
  );
}

/** Of a prompt that is cut at the end of the text, the client takes what is there. */
function hasCutPrompt(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  if (!mayBePrompt(line) || parseObject(line) !== null) return false;
  const found = /"content": ?"([^"]+)/.exec(line) ?? /"text": ?"([^"]+)/.exec(line);
  return found?.[1] !== undefined && !NOT_TYPED.test(found[1]);
}

function mayBePrompt(line: string): boolean {
  return /"type":\s?"user"/.test(line) && !/"tool_result"|"is(?:Meta|CompactSummary)":\s?true/.test(line);
}

function userRows(text: string): readonly JsonObject[] {
  return text.split('\n').flatMap((line) => {
    const row = mayBePrompt(line) ? parseObject(line) : null;
    return row?.['type'] === 'user' && row['isMeta'] !== true && row['isCompactSummary'] !== true ? [row] : [];
  });
}

/** What begins like this was written by the client. */
const NOT_TYPED = /^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

function promptOf(row: JsonObject): string | null {
  if (row['type'] !== 'user' || row['isMeta'] === true || row['isCompactSummary'] === true) return null;
  return textsOf(row).find((text) => text.trim() !== '' && !NOT_TYPED.test(text)) ?? null;
}

/** A command stands for a session that has no other prompt. */
function isCommand(row: JsonObject): boolean {
  return textsOf(row).some((text) => /<(?:command-name|bash-input)>/.test(text));
}

/** Empty for a row with results. */
function textsOf(row: JsonObject): readonly string[] {
  const content = objectField(row, 'message')?.['content'];
  if (typeof content === 'string') return [content];
  const blocks = Array.isArray(content) ? (content as readonly unknown[]).filter(isJsonObject) : [];
  if (blocks.some(({ type }) => type === 'tool_result')) return [];
  return blocks.flatMap((block) => (block['type'] === 'text' ? (stringField(block, 'text') ?? []) : []));
}
