import { toolIdToken, uuidToken } from './idTokens';
import { array, object, type JsonNode, type Member } from './jsonTree';
import { oneOf, type Scene } from './scene';
import { textToken } from './textTokens';
import { valueToken } from './valueTokens';

const BLOCK_TYPES = [
  ...['text', 'thinking', 'tool_use', 'tool_result', 'image', 'redacted_thinking', 'document', 'server_tool_use'],
  ...['web_search_tool_result', 'mcp_tool_result', 'a_tool_result'],
];
/** As long as a type that counts, or nearly as long. */
const ODD_TYPES = [
  ...[
    'tool_usf',
    'Tool_use',
    'tool_uses',
    'tool_resulT',
    'tool_resul',
    'textt',
    'tex',
    'test',
    'thinkinf',
    'thinking ',
    '',
  ],
  ...[
    '\\u0074ext',
    'tool\\u005fuse',
    'thinkin\\u0067',
    'server_tool_use',
    '_tool_result',
    'web_search_tool_resulT',
    't\xebxt',
    'text\\n',
    '__proto__',
  ],
];

/** `content` of a message of a kind: its own few blocks, or blocks of any kind. */
export function contentNode(scene: Scene, kind: 'prompt' | 'results' | 'reply'): JsonNode {
  const {
    random,
    odds: { blocks: odds },
  } = scene;
  if (random.chance(odds / 2)) return valueToken(scene);
  if (random.chance(kind === 'prompt' ? 0.5 : odds / 4)) return textToken(scene);
  const types = {
    prompt: ['text', 'image'],
    results: ['tool_result'],
    reply: ['text', 'thinking', 'tool_use', 'tool_use'],
  };
  const count = random.chance(odds / 8) ? 100 + random.below(900) : random.pick([0, 1, 1, 1, 2, 3]);
  const blocks = Array.from({ length: count }, () => blockNode(scene, random.chance(odds) ? BLOCK_TYPES : types[kind]));
  return array(...blocks);
}

/** More calls and results than any real row holds. */
export function manyCalls({ random }: Scene): JsonNode {
  const count = 1900 + random.below(400);
  return array(
    ...Array.from({ length: count }, (_, at) =>
      at % 3 === 0 ? `{"type":"tool_result","tool_use_id":"t${at % 700}"}` : `{"type":"tool_use","id":"t${at}"}`,
    ),
  );
}

function blockNode(scene: Scene, types: readonly string[]): JsonNode {
  const {
    random,
    odds: { blocks: odds },
  } = scene;
  if (random.chance(odds / 3)) return random.chance(0.5) ? valueToken(scene) : array(blockNode(scene, types));
  const type = oneOf(random, types);
  const block = object(...fieldsOf(scene, type));
  const { members } = block;
  members.unshift({ key: '"type"', value: typeToken(scene, type) });
  if (type === 'tool_result' && random.chance(0.7)) move(members, 0, 1);
  if (random.chance(odds)) move(members, 0, random.below(members.length));
  if (random.chance(odds / 2)) members.push({ key: '"type"', value: typeToken(scene, oneOf(random, BLOCK_TYPES)) });
  if (random.chance(odds / 3)) members.splice(random.below(members.length), 1);
  if (random.chance(odds / 2)) {
    const { key } = oneOf(random, members);
    const value = random.pick([valueToken(scene), textToken(scene), toolIdToken(scene), 'null']);
    members.splice(random.below(members.length + 1), 0, { key, value });
  }
  return block;
}

function fieldsOf(scene: Scene, type: string): [string, JsonNode][] {
  const {
    random,
    odds: { blocks: odds },
  } = scene;
  switch (type) {
    case 'text':
      return [['text', textToken(scene)]];
    case 'thinking':
      return [
        ['thinking', textToken(scene)],
        ['signature', '"c2ln"'],
      ];
    case 'server_tool_use':
    case 'tool_use':
      return [
        ['id', toolIdToken(scene)],
        ['name', '"Bash"'],
        ['input', object(['command', textToken(scene)], ...(random.chance(odds) ? decoys(scene) : []))],
      ];
    case 'web_search_tool_result':
    case 'mcp_tool_result':
    case 'a_tool_result':
    case 'tool_result':
      return [
        ['tool_use_id', toolIdToken(scene)],
        [
          'content',
          random.chance(0.3) ? array(object(['type', '"text"'], ['text', textToken(scene)])) : textToken(scene),
        ],
        ...(random.chance(odds) ? decoys(scene) : []),
      ];
    case 'image':
      return [['source', object(['type', '"base64"'], ['data', `"${'iVBORw0KGgo/'.repeat(random.below(30))}"`])]];
    default:
      return [['data', textToken(scene)]];
  }
}

/** Fields that would count elsewhere. */
function decoys(scene: Scene): [string, JsonNode][] {
  return [
    ['type', '"tool_use"'],
    ['id', toolIdToken(scene)],
    ['tool_use_id', toolIdToken(scene)],
    ['uuid', uuidToken(scene)],
    ['text', textToken(scene)],
  ];
}

function typeToken({ random, odds: { blocks: odds } }: Scene, type: string): string {
  if (!random.chance(odds)) return `"${type}"`;
  return random.chance(0.7) ? `"${oneOf(random, ODD_TYPES)}"` : random.pick(['null', '1', '["text"]', '{}']);
}

function move(members: Member[], from: number, to: number): void {
  members.splice(to, 0, ...members.splice(from, 1));
}
