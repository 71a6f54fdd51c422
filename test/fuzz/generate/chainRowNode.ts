import { contentNode } from './contentNode';
import { messageIdToken, uuidToken } from './idTokens';
import { object, type JsonNode, type ObjectNode } from './jsonTree';
import { type Fields, maybe, oneOf, type Scene } from './scene';
import { timeToken } from './timeTokens';
import { usageNode } from './usageNode';
import { booleanToken, orOdd, valueToken } from './valueTokens';

/** Unknown types, including some that resemble known ones. */
export const ODD_TYPES = [
  ...[
    'novelty',
    'usar',
    'User',
    'users',
    'use',
    'assistent',
    'assistanT',
    'attachmens',
    'sysTem',
    'systen',
    'progresS',
    '',
  ],
  ...[
    'last-prompT',
    'summarY',
    'artifact',
    'artifact-',
    '__proto__',
    'constructor',
    'toString',
    'user ',
    ' user',
    'user\\n',
  ],
  ...[
    '\\u0075ser',
    'us\\u0065r',
    'assistan\\u0074',
    '\\u0061ttachment',
    's\\u0079stem',
    'last\\u002dprompt',
    'us\xc3\xa9r',
    'us\xffr',
  ],
  ...['user\\u0000', 'custom-titl\\u0065', 'ai-titel', 'mod\\u0065', 'artifact\\u002dy', 'x'.repeat(70)],
];

/** A row with a place in the tree, and fields of its own. */
export function chainRow(scene: Scene, type: string, own: Fields): ObjectNode {
  const { random, odds } = scene;
  const isOdd = random.chance(odds.types);
  return object(
    ...maybe(scene, 0.97, 'parentUuid', random.chance(0.15) ? 'null' : uuidToken(scene)),
    ...maybe(scene, 0.9, 'isSidechain', booleanToken(scene)),
    ...maybe(
      scene,
      0.8,
      'cwd',
      orOdd(
        scene,
        random.pick([
          '"/home/user/project"',
          '"/home/user/proje"',
          '"/home/user/projx"',
          '"C:\\\\Users\\\\user"',
          '"/\xc3\xa9"',
        ]),
      ),
    ),
    ...maybe(scene, 0.8, 'sessionId', '"44444444-4444-4444-8444-444444444444"'),
    ...maybe(scene, 0.8, 'version', orOdd(scene, random.pick(['"2.1.330"', '"2.1.3301"', '"2.1.3302"', '"2.0.60"']))),
    ...maybe(scene, 0.5, 'gitBranch', orOdd(scene, random.pick(['"main"', '"maim"', '""', '"feature/\\u0041"']))),
    ...maybe(scene, 0.03, 'agentId', '"abc1234"'),
    ['type', isOdd ? `"${oneOf(random, ODD_TYPES)}"` : random.chance(odds.types / 5) ? valueToken(scene) : `"${type}"`],
    ...own,
    ...maybe(scene, 0.08, 'isMeta', booleanToken(scene)),
    ...maybe(scene, 0.05, 'isVirtual', booleanToken(scene)),
    ...maybe(scene, 0.03, 'isCompactSummary', 'true'),
    ...maybe(
      scene,
      0.05,
      'forkedFrom',
      random.chance(0.3)
        ? valueToken(scene)
        : object(...maybe(scene, 0.8, 'sessionId', uuidToken(scene)), ['messageUuid', uuidToken(scene)]),
    ),
    ...maybe(scene, 0.97, 'uuid', uuidToken(scene)),
    ...maybe(scene, 0.97, 'timestamp', timeToken(scene)),
  );
}

export const MODELS = [
  '"claude-opus-4-6"',
  '"claude-opus-4-6"',
  '"claude-sonnet-4-5"',
  '"claude-opus-4-6[1m]"',
  '"claude-opus-4-1"',
  '"<synthetic>"',
  '"<synthetic>"',
  '"<synthetiC>"',
  '"claude-\\u0074est"',
] as const;
/** Empty names, and names at the border of what counts as one. */
export const ODD_MODELS = [
  '"<synthetic> "',
  '"\\u003csynthetic>"',
  '""',
  '"  "',
  '"\u00a0"',
  '" claude"',
  `"${'m'.repeat(200)}"`,
  `"${'m'.repeat(201)}"`,
  `"${'ü'.repeat(150)}"`,
] as const;

/** The `message` of a row. */
export function message(scene: Scene, kind: 'prompt' | 'results' | 'reply'): JsonNode {
  const { random, odds } = scene;
  if (random.chance(odds.values / 3)) return valueToken(scene);
  if (kind !== 'reply') {
    return object(
      ['role', '"user"'],
      ['content', contentNode(scene, kind)],
      ...maybe(scene, 0.02, 'usage', usageNode(scene)),
    );
  }
  return object(
    ...maybe(scene, 0.95, 'model', orOdd(scene, random.pick(random.chance(0.9) ? MODELS : ODD_MODELS))),
    ...maybe(scene, 0.95, 'id', messageIdToken(scene)),
    ['type', '"message"'],
    ['role', '"assistant"'],
    ['content', contentNode(scene, kind)],
    ['stop_reason', 'null'],
    ...maybe(scene, 0.95, 'usage', usageNode(scene)),
  );
}
