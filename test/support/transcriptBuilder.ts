import { createHash } from 'node:crypto';

/** One row of a hand-made transcript, before it gets its time. */
export type RowFields = Readonly<Record<string, unknown>>;

const START_MS = Date.UTC(2026, 5, 1, 10);
/** More than the time across which the client bridges a missing parent. */
const STEP_MS = 30_000;

const names = new Map<string, string>();

/** The uuid of the row with that name in a test; always the same one. */
export function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  names.set(uuid, name);
  return uuid;
}

/** The test's name for the row with this uuid; the uuid itself if it has none. */
export function nameOf(uuid: string | null): string | null {
  return uuid === null ? null : (names.get(uuid) ?? uuid);
}

/** The default time of the row at a position, counted from 0. */
export function timeOf(place: number, offsetMs = 0): string {
  return new Date(START_MS + place * STEP_MS + offsetMs).toISOString();
}

/** A row of the conversation tree. `parent` is a name, or null for a root; `fields` may override any field. */
export function chainRow(type: string, name: string, parent: string | null, fields: RowFields = {}): RowFields {
  return {
    parentUuid: parent === null ? null : uuidOf(parent),
    isSidechain: false,
    type,
    uuid: uuidOf(name),
    sessionId: '44444444-4444-4444-8444-444444444444',
    ...fields,
  };
}

export function prompt(name: string, parent: string | null, fields: RowFields = {}): RowFields {
  return chainRow('user', name, parent, { message: { role: 'user', content: `prompt ${name}` }, ...fields });
}

export function reply(name: string, parent: string | null, fields: RowFields = {}): RowFields {
  const content = [{ type: 'text', text: `reply ${name}` }];
  return assistant(name, parent, content, fields);
}

/** An assistant row that calls a tool. Rows with the same `message` belong to one message. */
export function call(
  name: string,
  parent: string | null,
  callId: string,
  fields: RowFields & { message?: string } = {},
): RowFields {
  const { message, ...others } = fields;
  const content = [{ type: 'tool_use', id: callId, name: 'Bash', input: {} }];
  return assistant(name, parent, content, others, message);
}

export function result(name: string, parent: string | null, callId: string, fields: RowFields = {}): RowFields {
  const content = [{ type: 'tool_result', tool_use_id: callId, content: `result ${name}` }];
  return chainRow('user', name, parent, { message: { role: 'user', content }, ...fields });
}

export function assistant(
  name: string,
  parent: string | null,
  content: unknown,
  fields: RowFields = {},
  messageId = `msg_${name}`,
): RowFields {
  const message = { id: messageId, role: 'assistant', model: 'claude-test', content };
  return chainRow('assistant', name, parent, { message, ...fields });
}

export function lastPrompt(leaf: string | null, fields: RowFields = {}): RowFields {
  return { type: 'last-prompt', lastPrompt: 'x', leafUuid: leaf === null ? null : uuidOf(leaf), ...fields };
}

export function boundary(name: string, parent: string | null, compactMetadata: unknown = {}): RowFields {
  return chainRow('system', name, parent, { subtype: 'compact_boundary', compactMetadata });
}

/** The rows as lines of JSON. Chain rows without a time get one by their position, 30 seconds apart. */
export function lines(rows: readonly RowFields[]): string[] {
  return rows.map((row, place) =>
    JSON.stringify('uuid' in row && !('timestamp' in row) ? { ...row, timestamp: timeOf(place) } : row),
  );
}

export function transcript(rows: readonly RowFields[]): Buffer {
  return Buffer.from(
    lines(rows)
      .map((line) => `${line}\n`)
      .join(''),
  );
}
