import type { Random } from './random';
import { readRow, removeField, setField, type LooseFields, type RowText } from './rowText';

/** What an operation did, in words that name 1-based lines as they were before it; null when it does not apply. */
export type DamageResult = { readonly rows: RowText[]; readonly what: string } | null;

export type DamageOperation = (rows: readonly RowText[], random: Random) => DamageResult;

const ZERO_UUID = '00000000-0000-0000-0000-000000000000';
const CHAIN_TYPES = new Set<unknown>(['user', 'assistant', 'attachment', 'system', 'progress']);
/** Around the client's limit of 5 seconds for bridging a missing parent, and well beyond it. */
const CLOCK_JUMPS_MS = [200, 1_500, 4_900, 5_000, 5_100, 20_000, 120_000, 86_400_000] as const;
const NUL_RUNS = [1, 2, 7, 64, 512, 4096] as const;

/** A heavier weight comes up more often. */
export interface WeightedOperation {
  readonly name: string;
  readonly weight: number;
  readonly apply: DamageOperation;
}

/** The ways in which `damage` breaks a transcript. */
export const DAMAGE_OPERATIONS: readonly WeightedOperation[] = [
  { name: 'drop-row', weight: 5, apply: dropRow },
  { name: 'double-row', weight: 2, apply: doubleRow },
  { name: 'swap-rows', weight: 2, apply: swapRows },
  { name: 're-parent', weight: 6, apply: reParent },
  { name: 'null-parent', weight: 2, apply: nullParent },
  { name: 'truncate-row', weight: 2, apply: truncateRow },
  { name: 'glue-rows', weight: 2, apply: glueRows },
  { name: 'nul-prefix', weight: 2, apply: nulPrefix },
  { name: 'nul-tail', weight: 1, apply: nulTail },
  { name: 'flip-sidechain', weight: 2, apply: flipSidechain },
  { name: 'leaf-pointer', weight: 4, apply: leafPointer },
  { name: 'clock-jump', weight: 3, apply: clockJump },
  { name: 'missing-tail', weight: 2, apply: missingTail },
  { name: 'missing-head', weight: 2, apply: missingHead },
  { name: 'drop-last-prompts', weight: 2, apply: dropLastPrompts },
  { name: 'bom', weight: 1, apply: byteOrderMark },
  { name: 'upper-case', weight: 1, apply: upperCase },
  { name: 'duplicate-uuid', weight: 2, apply: duplicateUuid },
  { name: 'drop-results', weight: 2, apply: dropResults },
  { name: 'odd-field', weight: 2, apply: oddField },
  { name: 'compact-metadata', weight: 2, apply: compactMetadata },
];

export interface ChainRow {
  readonly at: number;
  readonly row: RowText;
  readonly fields: LooseFields;
  readonly uuid: string;
}

export function chainRows(rows: readonly RowText[]): ChainRow[] {
  return rows.flatMap((row, at) => {
    const fields = readRow(row);
    if (fields === null || !CHAIN_TYPES.has(fields.type) || typeof fields.uuid !== 'string') return [];
    return [{ at, row, fields, uuid: fields.uuid }];
  });
}

export function pickFrom<T>(list: readonly T[], random: Random): T | null {
  const [first, ...rest] = list;
  return first === undefined ? null : random.pick([first, ...rest]);
}

function pickChainRow(rows: readonly RowText[], random: Random): ChainRow | null {
  return pickFrom(chainRows(rows), random);
}

/** Usually a chain row, as a lost metadata row seldom matters. */
function pickLine(rows: readonly RowText[], random: Random): number | null {
  if (rows.length === 0) return null;
  const row = random.chance(0.85) ? pickChainRow(rows, random) : null;
  return row?.at ?? random.below(rows.length);
}

/** A uuid that no transcript has; drawn, so that two absent parents differ. */
export function absentUuid(random: Random): string {
  const hex = Array.from({ length: 12 }, () => random.below(16).toString(16)).join('');
  return `abcdef01-2345-4678-9abc-${hex}`;
}

export function replaced(rows: readonly RowText[], at: number, ...by: RowText[]): RowText[] {
  return [...rows.slice(0, at), ...by, ...rows.slice(at + 1)];
}

export function withBreak(row: RowText): RowText {
  return row.endsWith('\n') ? row : `${row}\n`;
}

function dropRow(rows: readonly RowText[], random: Random): DamageResult {
  const at = pickLine(rows, random);
  if (at === null) return null;
  const count = random.chance(0.25) ? 1 + random.below(4) : 1;
  return { rows: [...rows.slice(0, at), ...rows.slice(at + count)], what: `${count} from line ${at + 1}` };
}

function doubleRow(rows: readonly RowText[], random: Random): DamageResult {
  const at = pickLine(rows, random);
  if (at === null) return null;
  const to = random.chance(0.5) ? at + 1 : random.below(rows.length + 1);
  const copy = withBreak(rows[at] ?? '');
  const head = rows.slice(0, to).map((row, index) => (index === to - 1 ? withBreak(row) : row));
  return { rows: [...head, copy, ...rows.slice(to)], what: `line ${at + 1} again before line ${to + 1}` };
}

function swapRows(rows: readonly RowText[], random: Random): DamageResult {
  const first = pickLine(rows, random);
  if (first === null || rows.length < 2) return null;
  const second = random.chance(0.6) ? (first + 1) % rows.length : random.below(rows.length);
  const swapped = [...rows];
  swapped[first] = withBreak(rows[second] ?? '');
  swapped[second] = withBreak(rows[first] ?? '');
  return { rows: swapped, what: `lines ${first + 1} and ${second + 1}` };
}

function reParent(rows: readonly RowText[], random: Random): DamageResult {
  const chain = chainRows(rows);
  const child = pickFrom(chain, random);
  if (child === null) return null;
  const to = random.pick(['absent', 'absent', 'absent', 'any', 'any', 'self', 'later'] as const);
  const others = to === 'later' ? chain.filter(({ at }) => at > child.at) : chain;
  const parent = to === 'absent' ? absentUuid(random) : to === 'self' ? child.uuid : pickFrom(others, random)?.uuid;
  if (parent === undefined) return null;
  const line = others.find(({ uuid }) => uuid === parent)?.at;
  const where = line === undefined ? '' : ` (line ${line + 1})`;
  return {
    rows: replaced(rows, child.at, setField(child.row, 'parentUuid', parent)),
    what: `line ${child.at + 1} to ${to}${where}`,
  };
}

function nullParent(rows: readonly RowText[], random: Random): DamageResult {
  const child = pickChainRow(rows, random);
  if (child === null) return null;
  return {
    rows: replaced(rows, child.at, setField(child.row, 'parentUuid', null)),
    what: `line ${child.at + 1}`,
  };
}

function truncateRow(rows: readonly RowText[], random: Random): DamageResult {
  const at = pickLine(rows, random);
  const row = at === null ? undefined : rows[at];
  if (at === null || row === undefined) return null;
  const kept = row.slice(0, 1 + random.below(row.length));
  const keepsBreak = random.chance(0.6);
  return {
    rows: resplit(replaced(rows, at, keepsBreak ? withBreak(kept) : kept)),
    what: `line ${at + 1} after ${kept.length} bytes, ${keepsBreak ? 'line break kept' : 'no line break'}`,
  };
}

function glueRows(rows: readonly RowText[], random: Random): DamageResult {
  const at = pickLine(rows, random);
  const row = at === null ? undefined : rows[at];
  if (at === null || row === undefined || at === rows.length - 1) return null;
  return { rows: resplit(replaced(rows, at, row.replace(/\n$/, ''))), what: `lines ${at + 1} and ${at + 2}` };
}

/** Rows without a line break belong to the line that follows. */
function resplit(rows: readonly RowText[]): RowText[] {
  return rows.join('').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function nulPrefix(rows: readonly RowText[], random: Random): DamageResult {
  const at = pickLine(rows, random);
  const row = at === null ? undefined : rows[at];
  if (at === null || row === undefined) return null;
  const count = random.pick(NUL_RUNS);
  return { rows: replaced(rows, at, '\0'.repeat(count) + row), what: `${count} NULs before line ${at + 1}` };
}

function nulTail(rows: readonly RowText[], random: Random): DamageResult {
  const count = random.pick(NUL_RUNS);
  return { rows: resplit([...rows, '\0'.repeat(count)]), what: `${count} NULs` };
}

function flipSidechain(rows: readonly RowText[], random: Random): DamageResult {
  const picked = pickChainRow(rows, random);
  if (picked === null) return null;
  const flag = picked.fields.isSidechain !== true;
  return {
    rows: replaced(rows, picked.at, setField(picked.row, 'isSidechain', flag)),
    what: `line ${picked.at + 1} to ${flag}`,
  };
}

function leafPointer(rows: readonly RowText[], random: Random): DamageResult {
  const target = pickChainRow(rows, random);
  if (target === null) return null;
  const to = random.pick(['row', 'row', 'row', 'absent', 'zeros', 'null'] as const);
  const leafUuid = { row: target.uuid, absent: absentUuid(random), zeros: ZERO_UUID, null: null }[to];
  const isExplicit = to === 'zeros' || to === 'null' || random.chance(0.15);
  const pointers = rows.flatMap((row, at) => (readRow(row)?.type === 'last-prompt' ? [at] : []));
  const changed = random.chance(0.5) ? pickFrom(pointers, random) : null;
  const what = `${to === 'row' ? `line ${target.at + 1}` : to}${isExplicit ? ' explicit' : ''}`;
  if (changed !== null) {
    const pointed = setField(rows[changed] ?? '', 'leafUuid', leafUuid);
    const row = isExplicit ? setField(pointed, 'explicit', true) : pointed;
    return { rows: replaced(rows, changed, row), what: `line ${changed + 1} to ${what}` };
  }
  const at = random.chance(0.4) ? rows.length : random.below(rows.length + 1);
  const fields = { type: 'last-prompt', lastPrompt: 'x', leafUuid, ...(isExplicit ? { explicit: true } : {}) };
  const head = rows.slice(0, at).map((row, index) => (index === at - 1 ? withBreak(row) : row));
  return {
    rows: [...head, `${JSON.stringify(fields)}\n`, ...rows.slice(at)],
    what: `one more before line ${at + 1} to ${what}`,
  };
}

function clockJump(rows: readonly RowText[], random: Random): DamageResult {
  const from = pickChainRow(rows, random);
  if (from === null) return null;
  const jump = random.pick(CLOCK_JUMPS_MS) * (random.chance(0.5) ? 1 : -1);
  const onlyOne = random.chance(0.5);
  const shifted = rows.map((row, at) => (at === from.at || (at > from.at && !onlyOne) ? shiftClock(row, jump) : row));
  return { rows: shifted, what: `line ${from.at + 1}${onlyOne ? '' : ' and all after'} by ${jump} ms` };
}

function shiftClock(row: RowText, byMs: number): RowText {
  const timestamp = readRow(row)?.timestamp;
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? row : setField(row, 'timestamp', new Date(time + byMs).toISOString());
}

function missingTail(rows: readonly RowText[], random: Random): DamageResult {
  if (rows.length < 2) return null;
  if (random.chance(0.5)) {
    const count = 1 + random.below(Math.ceil(rows.length / 2));
    return { rows: rows.slice(0, -count), what: `the last ${count} lines` };
  }
  const text = rows.join('');
  const count = 1 + random.below(Math.ceil(text.length / 3));
  return { rows: resplit([text.slice(0, -count)]), what: `the last ${count} bytes` };
}

function missingHead(rows: readonly RowText[], random: Random): DamageResult {
  if (rows.length < 2) return null;
  if (random.chance(0.6)) {
    const count = 1 + random.below(Math.ceil(rows.length / 2));
    return { rows: rows.slice(count), what: `the first ${count} lines` };
  }
  const text = rows.join('');
  const count = 1 + random.below(Math.ceil(text.length / 3));
  return { rows: resplit([text.slice(count)]), what: `the first ${count} bytes` };
}

function dropLastPrompts(rows: readonly RowText[]): DamageResult {
  const kept = rows.filter((row) => readRow(row)?.type !== 'last-prompt');
  return kept.length === rows.length ? null : { rows: kept, what: `${rows.length - kept.length} rows` };
}

function byteOrderMark(rows: readonly RowText[], random: Random): DamageResult {
  const at = random.chance(0.5) ? 0 : pickLine(rows, random);
  const row = at === null ? undefined : rows[at];
  if (at === null || row === undefined) return null;
  return { rows: replaced(rows, at, `\xef\xbb\xbf${row}`), what: `before line ${at + 1}` };
}

function upperCase(rows: readonly RowText[], random: Random): DamageResult {
  const picked = pickChainRow(rows, random);
  const field = random.pick(['uuid', 'parentUuid'] as const);
  const value = picked?.fields[field];
  if (picked === null || typeof value !== 'string') return null;
  return {
    rows: replaced(rows, picked.at, setField(picked.row, field, value.toUpperCase())),
    what: `${field} of line ${picked.at + 1}`,
  };
}

function duplicateUuid(rows: readonly RowText[], random: Random): DamageResult {
  const chain = chainRows(rows);
  const original = pickFrom(chain, random);
  const other = pickFrom(chain, random);
  if (original === null || other === null || original.at === other.at) return null;
  return {
    rows: replaced(rows, other.at, setField(other.row, 'uuid', original.uuid)),
    what: `line ${other.at + 1} takes that of line ${original.at + 1}`,
  };
}

/** All results of the calls that one assistant message made in parallel. */
function dropResults(rows: readonly RowText[], random: Random): DamageResult {
  const calls = new Map<unknown, string[]>();
  for (const { fields } of chainRows(rows)) {
    const ids = callIds(fields, 'tool_use', 'id');
    if (ids.length > 0) calls.set(fields.message?.id, [...(calls.get(fields.message?.id) ?? []), ...ids]);
  }
  const groups = [...calls.values()];
  const parallel = groups.filter((ids) => ids.length > 1);
  const ids = pickFrom(parallel.length > 0 ? parallel : groups, random);
  if (ids === null) return null;
  const dropped = chainRows(rows).filter(({ fields }) =>
    callIds(fields, 'tool_result', 'tool_use_id').some((id) => ids.includes(id)),
  );
  const lines = dropped.map(({ at }) => at);
  if (lines.length === 0) return null;
  return {
    rows: rows.filter((_, at) => !lines.includes(at)),
    what: `lines ${lines.map((at) => at + 1).join(', ')}`,
  };
}

function callIds(fields: LooseFields, type: string, name: 'id' | 'tool_use_id'): string[] {
  const content = fields.message?.content;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { type?: unknown; id?: unknown; tool_use_id?: unknown } | null) => {
    const id = block?.type === type ? block[name] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

/** Fields that are missing or have values that no client writes. */
function oddField(rows: readonly RowText[], random: Random): DamageResult {
  const picked = pickChainRow(rows, random);
  if (picked === null) return null;
  const field = random.pick(['uuid', 'parentUuid', 'timestamp', 'message', 'isSidechain', 'type'] as const);
  if (field === 'message' && picked.fields.message === undefined) return null;
  const value = random.pick([undefined, null, 42, '', 'x'] as const);
  const row = value === undefined ? removeField(picked.row, field) : setField(picked.row, field, value);
  return {
    rows: replaced(rows, picked.at, row),
    what: `${field} of line ${picked.at + 1} ${value === undefined ? 'removed' : `to ${JSON.stringify(value)}`}`,
  };
}

/** A compaction that names other rows than it kept, or none. */
function compactMetadata(rows: readonly RowText[], random: Random): DamageResult {
  const chain = chainRows(rows);
  const boundary = pickFrom(
    chain.filter(({ fields }) => typeof fields.compactMetadata === 'object' && fields.compactMetadata !== null),
    random,
  );
  const stranger = pickFrom(chain, random);
  if (boundary === null || stranger === null) return null;
  // SAFETY: an object, by the filter above; its fields are optional.
  const metadata = boundary.fields.compactMetadata as { preservedMessages?: { anchorUuid?: unknown; uuids?: unknown } };
  const kept = metadata.preservedMessages;
  const uuids: unknown[] = Array.isArray(kept?.uuids) ? kept.uuids : [];
  const change = random.pick(['no metadata', 'one uuid less', 'another anchor', 'one uuid more'] as const);
  const at = random.below(uuids.length + 1);
  const preservedMessages = {
    'no metadata': undefined,
    'one uuid less': { ...kept, uuids: uuids.filter((_, index) => index !== at) },
    'another anchor': { ...kept, anchorUuid: stranger.uuid },
    'one uuid more': { ...kept, uuids: [...uuids.slice(0, at), stranger.uuid, ...uuids.slice(at)] },
  }[change];
  return {
    rows: replaced(rows, boundary.at, setField(boundary.row, 'compactMetadata', { ...metadata, preservedMessages })),
    what: `${change} at line ${boundary.at + 1} (line ${stranger.at + 1})`,
  };
}
