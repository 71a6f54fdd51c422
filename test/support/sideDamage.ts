import {
  absentUuid,
  type ChainRow,
  chainRows,
  type DamageOperation,
  type DamageResult,
  pickFrom,
  replaced,
  withBreak,
  type WeightedOperation,
} from './damageOperations';
import type { Random } from './random';
import { type LooseFields, removeField, type RowText, setField } from './rowText';

const SESSION = '44444444-4444-4444-8444-444444444444';

/**
 * Damage to what stands beside the conversation: results of parallel calls, rows of one message, branches, notes,
 * compactions and pointers. The client's reader for large files decides which of it the loader gets.
 */
export const SIDE_OPERATIONS: readonly WeightedOperation[] = [
  { name: 're-parent-side', weight: 6, apply: reParentSide },
  { name: 'move-side', weight: 3, apply: moveSide },
  { name: 'message-id', weight: 3, apply: messageId },
  { name: 'note', weight: 2, apply: makeNote },
  { name: 'side-flag', weight: 2, apply: sideFlag },
  { name: 'same-uuid', weight: 2, apply: sameUuid },
  { name: 'tear-side', weight: 1, apply: tearSide },
  { name: 'empty-message', weight: 1, apply: emptyMessage },
  { name: 'other-type', weight: 1, apply: otherType },
  { name: 'other-order', weight: 1, apply: otherOrder },
  { name: 'drop-side', weight: 2, apply: dropSide },
  { name: 'add-branch', weight: 5, apply: addBranch },
  { name: 'add-boundary', weight: 3, apply: addBoundary },
  { name: 'add-pointer', weight: 3, apply: addPointer },
];

/** Rows that are not on the way from the last row to the root, and those that anything may hang beside. */
function sideRows(rows: readonly RowText[]): ChainRow[] {
  const all = chainRows(rows);
  const byUuid = new Map(all.map((row) => [row.uuid as unknown, row]));
  const onPath = new Set<string>();
  let at = all.findLast(({ fields }) => fields.isSidechain !== true);
  while (at !== undefined && !onPath.has(at.uuid)) {
    onPath.add(at.uuid);
    at = byUuid.get(at.fields.parentUuid);
  }
  const children = new Map<unknown, number>();
  for (const { fields } of all) children.set(fields.parentUuid, (children.get(fields.parentUuid) ?? 0) + 1);
  return all.filter(({ fields, uuid }) => {
    const isNote = fields.type === 'attachment' || fields.type === 'progress';
    const isOfCall = blockIds(fields, 'tool_use').length + blockIds(fields, 'tool_result').length > 0;
    return !onPath.has(uuid) || isNote || isOfCall || (children.get(fields.parentUuid) ?? 0) > 1;
  });
}

function blockIds({ message }: LooseFields, type: 'tool_use' | 'tool_result'): string[] {
  if (!Array.isArray(message?.content)) return [];
  return message.content.flatMap((block: { type?: unknown; id?: unknown; tool_use_id?: unknown } | null) =>
    block?.type === type ? [String(block.id ?? block.tool_use_id)] : [],
  );
}

function ofSide(change: (row: ChainRow, random: Random, rows: readonly RowText[]) => DamageResult): DamageOperation {
  return (rows, random) => {
    const row = pickFrom(sideRows(rows), random);
    return row === null ? null : change(row, random, rows);
  };
}

function reParentSide(rows: readonly RowText[], random: Random): DamageResult {
  const [row, all] = [pickFrom(sideRows(rows), random), chainRows(rows)];
  if (row === null) return null;
  const to = random.pick(['absent', 'null', 'any', 'any', 'later', 'earlier', 'side', 'side'] as const);
  const candidates = {
    absent: [],
    null: [],
    any: all,
    later: all.filter(({ at }) => at > row.at),
    earlier: all.filter(({ at }) => at < row.at),
    side: sideRows(rows),
  }[to];
  const parent = to === 'null' ? null : to === 'absent' ? absentUuid(random) : pickFrom(candidates, random)?.uuid;
  if (parent === undefined) return null;
  return { rows: replaced(rows, row.at, setField(row.row, 'parentUuid', parent)), what: `line ${row.at + 1} to ${to}` };
}

function moveSide(rows: readonly RowText[], random: Random): DamageResult {
  const row = pickFrom(sideRows(rows), random);
  if (row === null) return null;
  const rest = replaced(rows, row.at);
  const near = Math.min(rest.length, row.at + 1 + random.below(4));
  const to = random.chance(0.5) ? near : random.below(rest.length + 1);
  return { rows: inserted(rest, to, row.row), what: `line ${row.at + 1} before line ${to + 1} of the others` };
}

function messageId(rows: readonly RowText[], random: Random): DamageResult {
  const answers = chainRows(rows).filter(({ fields }) => fields.type === 'assistant');
  const [row, other] = [pickFrom(answers, random), pickFrom(answers, random)];
  if (row === null || other === null) return null;
  const id = random.pick<unknown>([other.fields.message?.id, other.fields.message?.id, undefined, null]);
  const message = { ...row.fields.message, id };
  return { rows: replaced(rows, row.at, setField(row.row, 'message', message)), what: `line ${row.at + 1}` };
}

function makeNote(rows: readonly RowText[], random: Random): DamageResult {
  const row = pickFrom(
    chainRows(rows).filter(({ fields }) => fields.type === 'user'),
    random,
  );
  if (row === null) return null;
  const flag = random.pick<unknown>([true, true, true, 'true', 1]);
  return {
    rows: replaced(rows, row.at, setField(row.row, 'isMeta', flag)),
    what: `line ${row.at + 1} ${String(flag)}`,
  };
}

function sideFlag(rows: readonly RowText[], random: Random): DamageResult {
  const row = pickFrom(sideRows(rows), random);
  if (row === null) return null;
  const flag = random.pick<unknown>([true, true, false, 1]);
  const text = setField(row.row, 'isSidechain', flag);
  return { rows: replaced(rows, row.at, text), what: `line ${row.at + 1} ${String(flag)}` };
}

function sameUuid(rows: readonly RowText[], random: Random): DamageResult {
  const [row, other] = [pickFrom(sideRows(rows), random), pickFrom(chainRows(rows), random)];
  if (row === null || other === null) return null;
  return {
    rows: replaced(rows, row.at, setField(row.row, 'uuid', other.uuid)),
    what: `line ${row.at + 1} takes that of line ${other.at + 1}`,
  };
}

function tearSide(rows: readonly RowText[], random: Random): DamageResult {
  return ofSide(({ at, row }) => {
    const kept = Math.max(1, Math.floor(row.length * random.pick([0.3, 0.6, 0.9, 0.99])));
    return { rows: replaced(rows, at, `${row.slice(0, kept)}\n`), what: `line ${at + 1} after ${kept} bytes` };
  })(rows, random);
}

function emptyMessage(rows: readonly RowText[], random: Random): DamageResult {
  return ofSide(({ at, row, fields }) => {
    if (fields.message === undefined) return null;
    const value = random.pick<unknown>([undefined, null, 'x', { ...fields.message, content: 5 }, { content: [] }]);
    const text = value === undefined ? removeField(row, 'message') : setField(row, 'message', value);
    return { rows: replaced(rows, at, text), what: `line ${at + 1} to ${JSON.stringify(value)}` };
  })(rows, random);
}

function otherType(rows: readonly RowText[], random: Random): DamageResult {
  return ofSide(({ at, row }) => {
    const type = random.pick(['progress', 'attachment', 'system', 'x', 'user'] as const);
    return { rows: replaced(rows, at, setField(row, 'type', type)), what: `line ${at + 1} to ${type}` };
  })(rows, random);
}

/** The parent as the last key. */
function otherOrder(rows: readonly RowText[], random: Random): DamageResult {
  return ofSide(({ at, row, fields }) => {
    const { parentUuid } = fields;
    const moved = removeField(row, 'parentUuid').replace(/\}\s*$/, `,"parentUuid":${JSON.stringify(parentUuid)}}\n`);
    return parentUuid === undefined ? null : { rows: replaced(rows, at, moved), what: `line ${at + 1}` };
  })(rows, random);
}

function dropSide(rows: readonly RowText[], random: Random): DamageResult {
  return ofSide(({ at }) => ({ rows: replaced(rows, at), what: `line ${at + 1}` }))(rows, random);
}

type Body = Readonly<Record<string, unknown>>;

/** The kinds of rows that a branch may hold, by what the reader makes of them. `text` is found nowhere else. */
const BODIES: Readonly<Record<string, (text: string, message: unknown, call: string) => Body>> = {
  prompt: (text) => ({ type: 'user', message: { role: 'user', content: text } }),
  reply: (text) => answer(`msg_${text}`, [{ type: 'text', text }]),
  sameMessage: (text, message) => answer(message, [{ type: 'text', text }]),
  result: (text, _, call) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: text }] },
  }),
  attachment: () => ({ type: 'attachment', attachment: { type: 'x' } }),
  progress: () => ({ type: 'progress', data: { type: 'bash_progress' }, toolUseID: 'p' }),
  system: (text) => ({ type: 'system', subtype: 'informational', content: text }),
  note: (text) => ({ type: 'user', isMeta: true, message: { role: 'user', content: text } }),
  virtualCall: (text) => ({
    isVirtual: true,
    ...answer(`msg_${text}`, [{ type: 'tool_use', id: `toolu_${text}`, name: 'Bash', input: {} }]),
  }),
  fileSnapshot: () => ({ type: 'system', subtype: 'file_snapshot', content: '' }),
};

function answer(id: unknown, content: readonly object[]): Body {
  return { type: 'assistant', message: { id, role: 'assistant', model: 'claude-test', content } };
}

function addBranch(rows: readonly RowText[], random: Random): DamageResult {
  const all = chainRows(rows);
  const from = pickFrom(all, random);
  if (from === null) return null;
  const messages = all.flatMap(({ fields }) => (fields.type === 'assistant' ? [fields.message?.id] : []));
  const calls = all.flatMap(({ fields }) => blockIds(fields, 'tool_use'));
  const made: RowText[] = [];
  const kinds: string[] = [];
  let parent = from.uuid;
  for (let left = 1 + random.below(3); left > 0; left--) {
    const kind = pickFrom(Object.keys(BODIES), random) ?? '';
    const uuid = absentUuid(random);
    const body = BODIES[kind]?.(`${kind} ${uuid}`, pickFrom(messages, random), pickFrom(calls, random) ?? 'none');
    made.push(rowText({ parentUuid: parent, isSidechain: random.chance(0.1), ...body, uuid, timestamp: timeOf(from) }));
    kinds.push(kind);
    if (random.chance(0.75)) parent = uuid;
  }
  const behind = from.at + 1 + random.below(rows.length - from.at);
  const to = random.chance(0.75) ? behind : random.below(rows.length + 1);
  return {
    rows: inserted(rows, to, ...made),
    what: `${kinds.join(', ')} from line ${from.at + 1} before line ${to + 1}`,
  };
}

/** A compaction of any form with its summary, from which the next row of the conversation mostly goes on. */
function addBoundary(rows: readonly RowText[], random: Random): DamageResult {
  const all = chainRows(rows);
  const to = random.below(rows.length + 1);
  const before = all.filter(({ at }) => at < to);
  const next = all.find(({ at, fields }) => at >= to && fields.isSidechain !== true);
  const near = next ?? all.at(-1);
  if (near === undefined) return null;
  const [uuid, summary] = [absentUuid(random), absentUuid(random)];
  const kept = before.slice(-(1 + random.below(4))).map((row) => row.uuid);
  if (random.chance(0.3)) kept.push(...before.slice(0, 1).map((row) => row.uuid));
  const anchors = [uuid, uuid, summary, pickFrom(before, random)?.uuid ?? uuid, absentUuid(random)] as const;
  const anchorUuid = random.pick(anchors);
  const forms = {
    plain: { trigger: 'auto' },
    list: { preservedMessages: { anchorUuid, uuids: kept } },
    lostInList: { preservedMessages: { anchorUuid, uuids: [...kept, absentUuid(random)] } },
    segment: { preservedSegment: { anchorUuid, headUuid: kept[0], tailUuid: kept.at(-1) } },
    emptyList: { preservedMessages: { anchorUuid, uuids: [] } },
  } as const;
  const form = random.pick(['plain', 'list', 'list', 'list', 'lostInList', 'segment', 'emptyList'] as const);
  const shared = { isSidechain: false, timestamp: timeOf(near) };
  const made = [
    { type: 'system', subtype: 'compact_boundary', content: 'Compacted', compactMetadata: forms[form], uuid },
    { type: 'user', isCompactSummary: true, message: { role: 'user', content: `summary ${uuid}` }, uuid: summary },
  ].map((body, at) => rowText({ parentUuid: at === 0 ? null : uuid, ...body, ...shared }));
  const goesOn = next !== undefined && random.chance(0.7);
  const linked = goesOn ? replaced(rows, next.at, setField(next.row, 'parentUuid', summary)) : rows;
  return { rows: inserted(linked, to, ...made), what: `${form} before line ${to + 1}` };
}

function addPointer(rows: readonly RowText[], random: Random): DamageResult {
  const target = pickFrom(chainRows(rows), random);
  if (target === null) return null;
  const to = random.below(rows.length + 1);
  const form = random.pick(['usual', 'usual', 'other order', 'long', 'space', 'explicit'] as const);
  const named = { lastPrompt: form === 'long' ? 'x'.repeat(1100) : 'x', leafUuid: target.uuid };
  const type = { type: 'last-prompt' };
  const fields = form === 'other order' ? { sessionId: 's', ...type, ...named } : { ...type, ...named };
  const text = rowText(form === 'explicit' ? { ...fields, explicit: true } : fields);
  return {
    rows: inserted(rows, to, form === 'space' ? ` ${text}` : text),
    what: `${form} before line ${to + 1} to line ${target.at + 1}`,
  };
}

function inserted(rows: readonly RowText[], to: number, ...made: readonly RowText[]): RowText[] {
  const head = rows.slice(0, to).map((row, at) => (at === to - 1 ? withBreak(row) : row));
  return [...head, ...made.map(withBreak), ...rows.slice(to)];
}

function rowText(fields: Body): RowText {
  return `${JSON.stringify('uuid' in fields ? { ...fields, sessionId: SESSION } : fields)}\n`;
}

function timeOf({ fields }: ChainRow): unknown {
  return fields.timestamp;
}
