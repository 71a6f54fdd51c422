import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import type { SentBlock } from '../../../providers/claude/request/composeRequest';
import { isServerCall, isServerResult } from '../../../providers/claude/request/healRequest';
import type { Fault } from '../../../providers/claude/request/requestRules';
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
  what: "A result of one of the API's own tools belongs to no call",
  healing: null,
  repair: {
    action: 'ask',
    edits: ({ origin }, request, keep) => [
      textInPlace(
        origin,
        valueIn(request, origin),
        keep,
        'The API does not accept the result without its call: a text takes its place.',
      ),
    ],
  },
};

/** `server-tool`: something is between a call of the API's own tools and its result, which belong into one message. */
export const serverCallAlone: FaultCase = {
  what: "A call of one of the API's own tools has no result in its message",
  healing: 'Claude leaves it out, and a result elsewhere as well.',
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
  const why = 'The API expects the call and its result in one message: what is between them moves behind the result.';
  return [{ kind: 'move', row: first.row, through: last.row, behind: result.origin.row, why }];
}
