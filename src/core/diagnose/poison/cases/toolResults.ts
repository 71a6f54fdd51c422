import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import { callId, isMedia, resultId } from '../../../providers/claude/request/healRequest';
import type { Fault, Origin } from '../../../providers/claude/request/requestRules';
import { objectField } from '../../../util/json';
import {
  blockAt,
  blocksIn,
  type ContentEdit,
  type FaultCase,
  type InRowEdit,
  type KeepContent,
  remove,
  replace,
  type Rewritten,
  textInPlace,
  valueIn,
} from '../faultCase';
import { placeText } from './media';

/** `tool-pairing`: something is before the result of a call in one row. The results of that row move to its beginning. */
export const resultBehindText: FaultCase = {
  what: 'Something comes before the result of a tool call in the same message',
  healing: null,
  repair: { action: 'auto', edits: resultsFirst },
};

function resultsFirst({ origin }: Fault, request: JudgedRequest): readonly ContentEdit[] {
  const here = blocksIn(request).filter((block) => block.origin.row === origin.row);
  const results = here.filter(({ value }) => value['type'] === 'tool_result').map((block) => placeOf(block.origin));
  const sources = request.stored.flatMap(({ rows }) => rows);
  const list = objectField(sources.find(({ row }) => row === origin.row)?.object ?? {}, 'message')?.['content'];
  if (!Array.isArray(list)) return [];
  // Blocks that the client leaves out are in the list of the row, too.
  const others = [...list.keys()].filter((at) => !results.includes(at));
  const why = 'The API expects the results of tool calls before anything else in their message.';
  return [{ kind: 'order', row: origin.row, path: origin.path.slice(0, -1), order: [...results, ...others], why }];
}

function placeOf({ path }: Origin): number {
  return Number(path.at(-1));
}

/** `tool-result`: a result that reports an error has no content. */
export const errorEmpty: FaultCase = {
  what: 'The result of a failed tool call is empty',
  healing: null,
  repair: {
    action: 'ask',
    edits({ origin }, request, keep) {
      const why = 'The API does not accept an error without a text.';
      const content = { ...origin, path: [...origin.path, 'content'] };
      const leftOut = entriesOf(valueIn(request, content), content);
      const [others, media] = [
        leftOut.filter(({ value }) => !isMedia(value)),
        leftOut.filter(({ value }) => isMedia(value)),
      ];
      // Media stay where they are, and are left out as before, if something else becomes the text.
      if (others.length > 0) return others.map((each) => sayEntry(each, keep, LEFT_OUT));
      if (media.length > 0) return media.map((each) => placeText(each.origin, request, keep, LEFT_OUT));
      if (valueIn(request, content) !== undefined) return [replace(content, '[no output]', why)];
      const { row, path } = origin;
      return [{ kind: 'add', row, path, key: 'content', to: '[no output]', why }];
    },
  },
};

const LEFT_OUT = 'Claude leaves this out of an error, and the API does not accept an error without a text.';

interface Entry {
  readonly origin: Origin;
  readonly value: unknown;
}

/** What is in the content of a result. */
function entriesOf(content: unknown, { row, line, path }: Origin): readonly Entry[] {
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  return list.map((value, at) => ({ origin: { row, line, path: [...path, at] }, value }));
}

const NO_OUTPUT = { type: 'text', text: '[no output]' };

/** A text in the place of an entry, which says nothing if that does. */
function sayEntry({ origin, value }: Entry, keep: KeepContent, why: string): InRowEdit {
  return isNothing(value) ? replace(origin, NO_OUTPUT, why) : textInPlace(origin, value, keep, why);
}

/** Null, or a text without content. */
function isNothing(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** `tool-result`: the client looks for the type of everything in the result of a failed call, and null has none. */
export const errorNull: FaultCase = {
  what: 'The result of a failed tool call contains null',
  healing: 'Claude Code itself fails at every further prompt because of it.',
  repair: {
    action: 'ask',
    edits({ origin }, request) {
      const content = { ...origin, path: [...origin.path, 'content'] };
      const entries = entriesOf(valueIn(request, content), content);
      const why = 'Claude Code does not survive null in the result of a failed tool call.';
      if (entries.every(({ value }) => value === null)) return [replace(content, [NO_OUTPUT], why)];
      return entries.flatMap((each) => (each.value === null ? [remove(each.origin, why)] : []));
    },
  },
};

/** `mcp-type`: a tool returned a kind of content that the API does not know. */
export const innerType: FaultCase = {
  what: 'The result of a tool call contains a kind of content that the API does not accept',
  healing: null,
  repair: {
    action: 'ask',
    edits({ origin }, request, keep) {
      const value = valueIn(request, origin);
      const why =
        'The API accepts only texts, images, documents and search results in the result of a tool call: a text takes its place.';
      const list = blockAt(request, origin)?.value['content'];
      // What says nothing needs no text, unless the result has nothing else.
      const isLeft = !isNothing(value) || (Array.isArray(list) && list.every(isNothing) && origin.path.at(-1) === 0);
      return [isLeft ? sayEntry({ origin, value }, keep, why) : remove(origin, NOTHING_SAID)];
    },
  },
};

const NOTHING_SAID = 'The API does not accept this in the result of a tool call, and it says nothing.';

/** `empty-text`: a text without content in a result. */
export const innerTextEmpty: FaultCase = {
  what: 'The result of a tool call contains an empty text',
  healing: null,
  repair: {
    action: 'ask',
    edits({ origin }, request) {
      const { row, path } = origin;
      const text = valueIn(request, { ...origin, path: [...path, 'text'] });
      if (text !== undefined && !isNothing(text)) {
        const to = (json: Buffer): Rewritten => ({ value: json.toString('utf8') });
        const why = 'The API does not accept a text that is another value: it is written as a text.';
        return [{ kind: 'rewrite', row, path: [...path, 'text'], to, why }];
      }
      const list = blockAt(request, origin)?.value['content'];
      const why = 'The API does not accept an empty text in the result of a tool call.';
      const isOnly = Array.isArray(list) && list.length === 1;
      if (!isOnly) return [remove(origin, why)];
      if (text === undefined) return [{ kind: 'add', row, path, key: 'text', to: NO_OUTPUT.text, why }];
      return [replace({ ...origin, path: [...path, 'text'] }, NO_OUTPUT.text, why)];
    },
  },
};

export const errorWithOthers: FaultCase = {
  what: 'The result of a failed tool call contains more than texts',
  healing: 'Claude leaves out what is no text.',
  repair: null,
};

export const resultObject: FaultCase = {
  what: 'The result of a tool call is an object',
  healing: 'Claude sends its text.',
  repair: null,
};

export const callAlone: FaultCase = {
  what: 'A tool call has no result',
  healing: 'Claude leaves out the call.',
  repair: null,
};

export const resultAlone: FaultCase = {
  what: 'A result belongs to no tool call',
  healing: 'Claude leaves out the result.',
  repair: null,
};

export const resultTwice: FaultCase = {
  what: 'A tool call has two results',
  healing: 'Claude sends the first one.',
  repair: null,
};

/** `tool-pairing`: other messages are between a call and its result. They move behind the result. */
export const resultMisplaced: FaultCase = {
  what: 'A result is not in the message behind its tool call',
  healing: 'Claude leaves out the result.',
  repair: {
    action: 'ask',
    offer: '`rethread repair --class tool-pairing` moves what is between them behind the result, so that all is sent.',
    edits: moveStrays,
  },
};

function moveStrays({ origin, also = [] }: Fault, { stored }: JudgedRequest): readonly ContentEdit[] {
  const holding = (row: number | undefined): number =>
    stored.findIndex(({ rows }) => rows.some((each) => each.row === row));
  const [calling, answering] = [holding(also[0]?.row), holding(origin.row)];
  if (calling < 0 || answering <= calling + 1) return [];
  const ids = new Set(stored[calling]?.blocks.flatMap((block) => callId(block) ?? []));
  const between = stored.slice(calling + 1, answering);
  // A call among them has its own result to keep.
  if (between.some(({ blocks }) => blocks.some((block) => callId(block) !== null))) return [];
  const strays = between.flatMap(({ rows }) => rows);
  const results = stored[answering]?.blocks.filter((block) => resultId(block).some((id) => ids.has(id))) ?? [];
  const [first, last, result] = [strays[0], strays.at(-1), results.at(-1)];
  if (first === undefined || last === undefined || result === undefined) return [];
  const why = 'The API expects the result in the message behind its call: what is between them moves behind it.';
  return [{ kind: 'move', row: first.row, through: last.row, behind: result.origin.row, why }];
}
