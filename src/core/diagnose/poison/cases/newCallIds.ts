import { stringField } from '../../../util/json';
import type { SentBlock } from '../../../providers/claude/request/composeRequest';
import { callId } from '../../../providers/claude/request/healRequest';
import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import type { Fault, Origin } from '../../../providers/claude/request/requestRules';
import { blockAt } from '../faultCase';

/** The new ids of each request by what they replace: every fault asks for one. */
const idsOfRequest = new WeakMap<JudgedRequest, ReadonlyMap<string, string>>();

/**
 * The id that a repair gives to the call of a fault; null if the fault is about no id. All of them are chosen together: two illegal ids
 * that differ only in illegal characters must not become the same.
 */
export function newCallId(fault: Fault, request: JudgedRequest): string | null {
  const key = keyOf(fault, request);
  const ids = idsOfRequest.get(request) ?? chooseIds(request);
  idsOfRequest.set(request, ids);
  return key === null ? null : (ids.get(key) ?? null);
}

function chooseIds(request: JudgedRequest): ReadonlyMap<string, string> {
  const blocks = request.stored.flatMap((message) => message.blocks);
  const used = new Set(
    blocks.flatMap(({ value }) => [stringField(value, 'id') ?? [], stringField(value, 'tool_use_id') ?? []].flat()),
  );
  const ids = new Map<string, string>();
  for (const fault of request.faults) {
    const key = keyOf(fault, request);
    const wanted = wantedId(fault, request);
    if (key === null || wanted === null || ids.has(key)) continue;
    const id = freshId(wanted, used);
    used.add(id);
    ids.set(key, id);
  }
  return ids;
}

/** The same for all faults that the same id mends. */
function keyOf({ rule, origin }: Fault, request: JudgedRequest): string | null {
  if (rule === 'call-id-twice') return `${rule} ${origin.row} ${origin.path.join('.')}`;
  if (rule !== 'tool-id' && rule !== 'server-id') return null;
  const id = idAt(request, origin);
  return id === null ? null : `${rule} ${JSON.stringify(id)}`;
}

function wantedId({ rule, origin }: Fault, request: JudgedRequest): string | null {
  if (rule === 'call-id-twice') return idOfLater(origin, request);
  const given = idAt(request, origin);
  if (given === null) return null;
  const id = String(given);
  if (rule === 'tool-id') return id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'toolu_unknown';
  return `srvtoolu_${id.replace(/^srvtoolu_/, '').replace(/[^a-zA-Z0-9_]/g, '_') || 'unknown'}`;
}

function idAt(request: JudgedRequest, origin: Origin): string | number | null {
  const id = blockAt(request, origin)?.value['id'];
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The id of a call that has the id of an earlier one, with its number among them. */
function idOfLater(origin: Origin, { stored }: JudgedRequest): string | null {
  const calls = stored.flatMap(({ role, blocks }) => (role === 'assistant' ? blocks : []));
  const call = calls.find((block) => isAt(block, origin));
  const id = call === undefined ? null : callId(call);
  if (call === undefined || id === null) return null;
  return numbered(id, calls.filter((block) => callId(block) === id).indexOf(call) + 1);
}

export function isAt({ origin: { row, path } }: SentBlock, { row: otherRow, path: otherPath }: Origin): boolean {
  return row === otherRow && path.join() === otherPath.join();
}

/** The id, with a number if it is used. */
function freshId(id: string, used: ReadonlySet<string>): string {
  if (!isTaken(id, used)) return id;
  for (let number = 2; ; number++) if (!isTaken(numbered(id, number), used)) return numbered(id, number);
}

/**
 * The client takes an id that ends with `_2` for another name of the id before that, and leaves out a result. (docs/format.md, "Refused
 * requests")
 */
function isTaken(id: string, used: ReadonlySet<string>): boolean {
  if (used.has(id) || used.has(id.replace(NUMBER_AT_END, ''))) return true;
  return [...used].some((each) => NUMBER_AT_END.test(each) && each.replace(NUMBER_AT_END, '') === id);
}

const NUMBER_AT_END = /_\d+$/;

/** Unlike one that ends with `_2`, the client takes it for an id of its own. */
function numbered(id: string, number: number): string {
  return `${id}_b${number}`;
}
