import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import type { SentBlock } from '../../../providers/claude/request/composeRequest';
import { isServerCall, isServerResult } from '../../../providers/claude/request/healRequest';
import type { Fault } from '../../../providers/claude/request/requestRules';
import { isJsonObject } from '../../../util/json';
import { type ContentEdit, type FaultCase, textInPlace, valueIn } from '../faultCase';
import { idEdits } from './toolCalls';

/** `server-tool`: the id of a call of the API's own tools has another form than the API's. */
export const serverId: FaultCase = {
  what: "The id of a call of one of the API's own tools has a form that the API does not accept",
  healing: null,
  repair: {
    action: 'ask',
    edits: (fault, request) =>
      idEdits(
        fault,
        request,
        (value) => isServerCall(value) || isServerResult(value),
        "The ids of the API's own tools begin with srvtoolu_.",
      ),
  },
};

/** `server-tool`: a result of the API's own tools without its call. */
export const serverResultAlone: FaultCase = {
  what: "A result of one of the API's own tools has no call before it in its message",
  healing: null,
  repair: {
    action: 'ask',
    edits: (fault, request, keep) => {
      const call = callOf(fault, request);
      const joined = call === undefined ? [] : joinPair({ ...fault, origin: call.origin }, request);
      if (joined.length > 0) return joined;
      // A call behind its result in one message would be left out without it.
      const isBehind = call !== undefined && messageOf(call, request) === messageOf(fault, request);
      const why = `The API does not accept the result ${isBehind ? 'before' : 'without'} its call: a text takes its place.`;
      return [fault, ...(isBehind ? [call] : [])].map(({ origin }) =>
        textInPlace(origin, valueIn(request, origin), keep, why),
      );
    },
  },
};

type Placed = Pick<Fault, 'origin'>;

function messageOf({ origin }: Placed, { stored }: JudgedRequest): number {
  return stored.findIndex(({ blocks }) => blocks.some((block) => block.origin.row === origin.row));
}

/** The call to which a result belongs. */
function callOf({ origin }: Placed, request: JudgedRequest): SentBlock | undefined {
  const result = valueIn(request, origin);
  const id = isJsonObject(result) ? result['tool_use_id'] : undefined;
  return request.stored.flatMap(({ blocks }) => blocks).find(({ value }) => isServerCall(value) && value['id'] === id);
}

/** `server-tool`: something is between a call of the API's own tools and its result, which belong into one message. */
export const serverCallAlone: FaultCase = {
  what: "A call of one of the API's own tools has no result in its message",
  healing: 'Claude leaves it out.',
  repair: {
    action: 'ask',
    offer:
      '`rethread repair --class server-tool` moves what is between a call and its result behind the result, so that all is sent.',
    edits: joinPair,
  },
};

function joinPair({ origin }: Fault, { stored }: JudgedRequest): readonly ContentEdit[] {
  const calling = stored.findIndex(({ rows }) => rows.some(({ row }) => row === origin.row));
  const call = stored[calling]?.blocks.find((block) => block.origin.row === origin.row && isServerCall(block.value));
  const isResult = ({ value }: SentBlock): boolean =>
    isServerResult(value) && value['tool_use_id'] === call?.value['id'];
  const answering = stored.findIndex(({ blocks }, at) => at > calling && blocks.some(isResult));
  // Rows of another message stay apart, whatever their order.
  if (call === undefined || answering < 0 || stored[answering]?.id !== stored[calling]?.id) return [];
  const strays = stored.slice(calling + 1, answering).flatMap(({ rows }) => rows);
  const [first, last, result] = [strays[0], strays.at(-1), stored[answering]?.blocks.find(isResult)];
  if (first === undefined || last === undefined || result === undefined) return [];
  // If nothing follows the result, the session would go on from what moves.
  const following = stored.slice(answering).flatMap(({ role, rows }) => (role === 'system' ? [] : rows));
  if (following.at(-1)?.row === result.origin.row) return [];
  const why = 'The API expects the call and its result in one message: what is between them moves behind the result.';
  return [{ kind: 'move', row: first.row, through: last.row, behind: result.origin.row, why }];
}
