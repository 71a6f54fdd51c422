/**
 * JSON text as a tree, which can represent what no parsed value can: duplicate keys, needless escapes, and invalid
 * tokens. All text is Latin-1, one character for each byte of UTF-8, so that bytes can be cut and broken.
 */
export type JsonNode = string | ArrayNode | ObjectNode;

export interface ArrayNode {
  readonly items: JsonNode[];
}

export interface ObjectNode {
  readonly members: Member[];
}

export interface Member {
  /** With its quotes. */
  key: string;
  value: JsonNode;
}

export function object(...members: readonly (readonly [name: string, value: JsonNode])[]): ObjectNode {
  return { members: members.map(([name, value]) => ({ key: `"${name}"`, value })) };
}

export function array(...items: JsonNode[]): ArrayNode {
  return { items };
}

export function isObjectNode(node: JsonNode | undefined): node is ObjectNode {
  return typeof node === 'object' && 'members' in node;
}

export function toTree(value: unknown): JsonNode {
  if (Array.isArray(value)) return { items: value.map(toTree) };
  if (typeof value !== 'object' || value === null) return toBytes(JSON.stringify(value));
  return { members: Object.entries(value).map(([key, held]) => ({ key: quote(key), value: toTree(held) })) };
}

export function print(node: JsonNode): string {
  if (typeof node === 'string') return node;
  if (isObjectNode(node)) return `{${node.members.map(({ key, value }) => `${key}:${print(value)}`).join(',')}}`;
  return `[${node.items.map(print).join(',')}]`;
}

/** A string as a token. */
export function quote(text: string): string {
  return toBytes(JSON.stringify(text));
}

/** The UTF-8 bytes of a text, one character each. */
export function toBytes(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1');
}
