import { escapeOne } from './escapeOne';
import { oddId } from './idTokens';
import {
  array,
  isObjectNode,
  object,
  print,
  quote,
  toBytes,
  type JsonNode,
  type Member,
  type ObjectNode,
} from './jsonTree';
import { rowNode } from './rowNode';
import { BAD_KEYS, NAMES, STRANGE_KEYS, nearKey } from './keyTokens';
import { oneOf, type Scene } from './scene';
import { noValueToken, valueToken } from './valueTokens';

/** Changes a random place in the tree of a row. */
export type TreeChange = (row: ObjectNode, scene: Scene) => void;

/** A row stays a row, but its fields are disguised. */
export const LEGAL_CHANGES: readonly TreeChange[] = [
  // A relevant field in the wrong place, or twice in the right one.
  (row, scene) => {
    const { members } = someObject(row, scene);
    const value = scene.random.chance(0.5) ? fieldValue(scene) : valueToken(scene);
    insert(members, { key: `"${oneOf(scene.random, NAMES)}"`, value }, scene);
  },
  // An escaped letter in a value.
  (row, scene) => {
    changeValue(row, scene, (value) => (typeof value === 'string' ? escapeOne(value, scene.random) : value));
  },
  // The same key twice.
  (row, scene) => {
    const { members } = someObject(row, scene);
    const member = members[scene.random.below(members.length + 1)];
    const value = scene.random.pick([fieldValue(scene), valueToken(scene), 'null', member?.value ?? '0']);
    if (member !== undefined) insert(members, { key: member.key, value }, scene);
  },
  // A whole row inside a row: as an object, or as text.
  (row, scene) => {
    const inner = rowNode(scene);
    const value = scene.random.chance(0.5) ? inner : quote(print(inner));
    insert(
      someObject(row, scene).members,
      { key: `"${scene.random.pick(['data', 'toolUseResult', 'message', 'x'])}"`, value },
      scene,
    );
  },
  // An escaped letter in a key.
  (row, scene) => {
    const { random } = scene;
    changeKey(row, scene, (key) => escapeOne(key, random));
  },
  // A key that resembles another one.
  (row, scene) => {
    const { random } = scene;
    changeKey(row, scene, (key) => nearKey(key, random));
  },
  (row, scene) => {
    const { random } = scene;
    changeKey(row, scene, () => oneOf(random, STRANGE_KEYS));
  },
  (row, scene) => {
    changeValue(row, scene, () => valueToken(scene));
  },
  (row, scene) => {
    changeValue(row, scene, (value) =>
      scene.random.chance(0.5) ? array(value) : object(['type', '"text"'], ['x', value]),
    );
  },
  (row, scene) => {
    changeValue(row, scene, () => oddId(oneOf(scene.random, scene.uuids), scene.random));
  },
  // The order of the fields.
  (row, scene) => {
    const { members } = someObject(row, scene);
    members.splice(0, members.length, ...members.slice(scene.random.below(members.length + 1)), ...members.reverse());
  },
  (row, scene) => {
    const { members } = someObject(row, scene);
    const [moved] = members.splice(scene.random.below(members.length + 1), 1);
    if (moved !== undefined) insert(members, moved, scene);
  },
  (row, scene) => {
    const { members } = someObject(row, scene);
    members.splice(scene.random.below(members.length + 1), 1);
  },
  // Shifts everything after it against the blocks that a scanner reads.
  (row, scene) => {
    const filler =
      'x'.repeat(scene.random.below(70)) +
      '\\\\'.repeat(scene.random.below(12)) +
      scene.random.pick(['', '\\"', toBytes('é'), '\\n']);
    insert(
      scene.random.chance(0.7) ? row.members : someObject(row, scene).members,
      { key: '"x"', value: `"${filler}"` },
      scene,
    );
  },
  // Nested brackets.
  (row, scene) => {
    const depth = scene.random.pick([
      2, 5, 30, 62, 63, 64, 65, 127, 128, 129, 255, 256, 257, 499, 500, 501, 511, 512, 513, 1024, 5000,
    ]);
    const isObject = scene.random.chance(0.5);
    const value = isObject ? `${'{"type":'.repeat(depth)}1${'}'.repeat(depth)}` : '['.repeat(depth) + ']'.repeat(depth);
    insert(
      someObject(row, scene).members,
      { key: `"${scene.random.pick(['data', 'content', 'message', 'x'])}"`, value },
      scene,
    );
  },
];

/** The row is invalid JSON afterwards. */
export const ILLEGAL_CHANGES: readonly TreeChange[] = [
  (row, scene) => {
    changeValue(row, scene, () => noValueToken(scene));
  },
  (row, scene) => {
    insert(someObject(row, scene).members, { key: '"x"', value: noValueToken(scene) }, scene);
  },
  (row, scene) => {
    const { random } = scene;
    changeKey(row, scene, () => oneOf(random, BAD_KEYS));
  },
];

/** A value that one of the names could have. */
function fieldValue(scene: Scene): JsonNode {
  const { members } = rowNode(scene);
  return members[scene.random.below(members.length)]?.value ?? 'null';
}

/** The row, or an object somewhere in it. */
function someObject(row: ObjectNode, { random }: Scene): ObjectNode {
  let found = row;
  let node: JsonNode = row;
  while (random.chance(0.6)) {
    const children: JsonNode[] =
      typeof node === 'string' ? [] : isObjectNode(node) ? node.members.map(({ value }) => value) : node.items;
    const holders = children.filter((child) => typeof child === 'object');
    if (holders.length === 0) break;
    node = oneOf(random, holders);
    if (isObjectNode(node)) found = node;
  }
  return found;
}

function insert(members: Member[], member: Member, { random }: Scene): void {
  members.splice(random.below(members.length + 1), 0, member);
}

function changeKey(row: ObjectNode, scene: Scene, change: (key: string) => string): void {
  const { members } = someObject(row, scene);
  const member = members[scene.random.below(members.length)];
  if (member !== undefined) member.key = change(member.key);
}

function changeValue(row: ObjectNode, scene: Scene, change: (value: JsonNode) => JsonNode): void {
  const { members } = someObject(row, scene);
  const member = members[scene.random.below(members.length)];
  if (member !== undefined) member.value = change(member.value);
}
