import { isJsonObject, type JsonObject } from '../../../util/json';
import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import { callId, resultId } from '../../../providers/claude/request/healRequest';
import type { Fault } from '../../../providers/claude/request/requestRules';
import { blockAt, blocksIn, type ContentEdit, type FaultCase, replace, valueIn } from '../faultCase';
import { isAt, newCallId } from './newCallIds';

/** `tool-input`: the input of a call is not an object. It is kept as the only value of one. */
export const toolInput: FaultCase = {
  what: 'The input of a tool call is not an object',
  healing: null,
  repair: {
    action: 'ask',
    edits({ origin }, request) {
      const input = valueIn(request, origin);
      const why = 'The API accepts only an object as the input of a tool call.';
      if (input === undefined) {
        const { row, path } = origin;
        return [{ kind: 'add', row, path: path.slice(0, -1), key: 'input', to: {}, why }];
      }
      if (input === null) return [replace(origin, {}, why)];
      const { row, path } = origin;
      return [{ kind: 'wrap', row, path, before: '{"value":', behind: '}', why }];
    },
  },
};

/** `tool-names`: the id of a call is a number, or has a character that the API does not accept. The id is replaced in the call and in its result. */
export const toolId: FaultCase = {
  what: 'The id of a tool call is not text, or has characters that the API does not accept',
  healing: null,
  repair: { action: 'ask', edits: renameCall },
};

function renameCall(fault: Fault, request: JudgedRequest): readonly ContentEdit[] {
  const isNumber = typeof blockAt(request, fault.origin)?.value['id'] === 'number';
  const why = isNumber
    ? 'The API accepts only text as the id of a tool call.'
    : 'The API accepts only letters, digits, _ and - in the id of a tool call.';
  return idEdits(fault, request, ({ type }) => type === 'tool_use' || type === 'tool_result', why);
}

/** Replaces the id of a call, and the id by which its results name it. `isOfKind`: whether a block is such a call or result. */
export function idEdits(
  fault: Fault,
  request: JudgedRequest,
  isOfKind: (value: JsonObject) => boolean,
  why: string,
): readonly ContentEdit[] {
  const id = blockAt(request, fault.origin)?.value['id'];
  const to = newCallId(fault, request);
  if ((typeof id !== 'string' && typeof id !== 'number') || to === null) return [];
  // A number is not seen to pair a call with its results, so these are looked for in what is stored.
  const messages = typeof id === 'number' ? request.stored : request.messages;
  return blocksIn({ messages }).flatMap(({ origin, value }): ContentEdit[] => {
    const key = value['id'] === id ? 'id' : value['tool_use_id'] === id ? 'tool_use_id' : null;
    return key === null || !isOfKind(value) ? [] : [replace({ ...origin, path: [...origin.path, key] }, to, why)];
  });
}

const MAX_NAME_UNITS = 128;

/** `tool-names`: the name of the tool is empty, too long, or has a character that the API does not accept. */
export const toolName: FaultCase = {
  what: 'The name of a tool is empty, too long, or has characters that the API does not accept',
  healing: null,
  repair: {
    action: 'ask',
    edits({ origin }, request) {
      const name = valueIn(request, origin);
      const why = 'The API accepts up to 128 letters, digits, _ and - in the name of a tool.';
      const to = typeof name === 'string' ? name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_UNITS) : '';
      if (name === undefined && isJsonObject(blockAt(request, origin)?.value)) {
        const { row, path } = origin;
        return [{ kind: 'add', row, path: path.slice(0, -1), key: 'name', to: 'unknown', why }];
      }
      return [replace(origin, to === '' ? 'unknown' : to, why)];
    },
  },
};

/** `tool-pairing`: two calls have the same id. With an id of its own, the later one and its result are sent, too. */
export const callIdTwice: FaultCase = {
  what: 'Two tool calls have the same id',
  healing: 'Claude leaves out the later call and its result.',
  repair: {
    action: 'ask',
    offer:
      '`rethread repair --class tool-pairing` gives the later call and its result an id of their own, so that both are sent.',
    edits: renameLater,
  },
};

/** A later call without a result of its own is the same call, written twice: leaving it out loses nothing. */
function renameLater(fault: Fault, request: JudgedRequest): readonly ContentEdit[] {
  const { origin } = fault;
  const talk = request.stored.filter(({ role }) => role !== 'system');
  const at = talk.findIndex(({ blocks }) => blocks.some((block) => isAt(block, origin)));
  const call = talk[at]?.blocks.find((block) => isAt(block, origin));
  const id = call === undefined ? null : callId(call);
  if (call === undefined || id === null) return [];
  const here = talk[at]?.blocks.filter((block) => callId(block) === id) ?? [];
  const results = talk[at + 1]?.blocks.filter((block) => resultId(block).includes(id)) ?? [];
  const result = results[here.indexOf(call)];
  const to = newCallId(fault, request);
  if (result === undefined || to === null) return [];
  const why = 'Two calls have this id: with an id of its own, the later one and its result are sent, too.';
  return [
    replace({ ...call.origin, path: [...call.origin.path, 'id'] }, to, why),
    replace({ ...result.origin, path: [...result.origin.path, 'tool_use_id'] }, to, why),
  ];
}
