import { contentNode, manyCalls } from './contentNode';
import { messageIdToken, toolIdToken, uuidToken } from './idTokens';
import { array, object, quote, type JsonNode, type ObjectNode } from './jsonTree';
import { oneOf, type Odds, type Scene } from './scene';
import { textToken } from './textTokens';
import { timeToken } from './timeTokens';
import { usageNode } from './usageNode';
import { booleanToken, orOdd, valueToken } from './valueTokens';

type Fields = readonly (readonly [string, JsonNode])[];

const METADATA_TYPES = [
  ...['queue-operation', 'mode', 'permission-mode', 'tag', 'pr-link', 'file-history-snapshot', 'summary', 'artifact-x'],
  ...[
    'attribution-snapshot',
    'relocated',
    'agent-name',
    'atis-latch',
    'api-request',
    'host-row',
    'ai-title',
    'custom-title',
  ],
];
/** Unknown ones, and such as are easily taken for known ones. */
const ODD_TYPES = [
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

/** A row of any type. Its fields are as the client writes them, or odd by chance. */
export function rowNode(scene: Scene): ObjectNode {
  return oneOf(scene.random, ROWS)(scene);
}

/** For what stands inside of a row. */
const NO_ODDS: Odds = { ids: 0, times: 0, texts: 0, blocks: 0, usage: 0, types: 0, values: 0 };

const prompt = (scene: Scene): ObjectNode => chainRow(scene, 'user', [['message', message(scene, 'prompt')]]);
const reply = (scene: Scene): ObjectNode =>
  chainRow(scene, 'assistant', [
    ['message', message(scene, 'reply')],
    ['requestId', '"req_01"'],
    ...maybe(scene, 0.05, 'isApiErrorMessage', booleanToken(scene)),
  ]);
const results = (scene: Scene): ObjectNode =>
  chainRow(scene, 'user', [
    ['message', message(scene, 'results')],
    ...maybe(scene, 0.7, 'sourceToolAssistantUUID', uuidToken(scene)),
    [
      'toolUseResult',
      object(['stdout', textToken(scene)], ['type', '"text"'], ...maybe(scene, 0.3, 'uuid', uuidToken(scene))),
    ],
  ]);

const ROWS: readonly ((scene: Scene) => ObjectNode)[] = [
  ...[prompt, prompt, reply, reply, reply, results, results],
  (scene) => chainRow(scene, 'attachment', [['attachment', object(['type', '"date"'], ['uuid', uuidToken(scene)])]]),
  (scene) =>
    chainRow(scene, 'system', [
      ['subtype', orOdd(scene, scene.random.pick(['"turn_duration"', '"local_command"', '"stop_hook_summary"']))],
      ['content', textToken(scene)],
      ...maybe(scene, 0.7, 'toolUseID', toolIdToken(scene)),
    ]),
  (scene) =>
    chainRow(scene, 'system', [
      ['subtype', scene.random.chance(scene.odds.types) ? '"compact\\u005fboundary"' : '"compact_boundary"'],
      ['logicalParentUuid', uuidToken(scene)],
      ...maybe(scene, 0.9, 'compactMetadata', compactMetadata(scene)),
    ]),
  (scene) =>
    chainRow(scene, 'progress', [
      ['data', object(['type', orOdd(scene, scene.random.pick(['"hook_progress"', '"bash_progress"']))])],
      ['toolUseID', toolIdToken(scene)],
    ]),
  (scene) =>
    chainRow(scene, 'progress', [
      ['data', object(['type', '"agent_progress"'], ['message', reply({ ...scene, odds: NO_ODDS })])],
      ['parentToolUseID', toolIdToken(scene)],
    ]),
  (scene) =>
    object(
      ['type', orOdd(scene, '"last-prompt"')],
      ...maybe(scene, 0.7, 'lastPrompt', textToken(scene)),
      ...maybe(scene, 0.9, 'leafUuid', scene.random.chance(0.3) ? 'null' : uuidToken(scene)),
      ...maybe(scene, 0.4, 'explicit', scene.random.chance(0.2) ? valueToken(scene) : booleanToken(scene)),
      ...maybe(scene, 0.1, 'uuid', uuidToken(scene)),
    ),
  (scene) => {
    const [type, field] = scene.random.pick([
      ['custom-title', 'customTitle'],
      ['ai-title', 'aiTitle'],
      ['summary', 'summary'],
    ]);
    return object(['type', quote(type)], [field, textToken(scene)], ...maybe(scene, 0.2, 'uuid', uuidToken(scene)));
  },
  (scene) =>
    object(
      ['type', `"${oneOf(scene.random, scene.random.chance(0.6) ? METADATA_TYPES : ODD_TYPES)}"`],
      ...maybe(scene, 0.3, 'uuid', uuidToken(scene)),
      ...maybe(scene, 0.3, 'parentUuid', uuidToken(scene)),
      ...maybe(scene, 0.3, 'snapshot', object(['type', '"user"'], ['messageId', uuidToken(scene)])),
      ...maybe(scene, 0.2, 'message', message(scene, 'prompt')),
    ),
  (scene) => object(['version', valueToken(scene)], ...maybe(scene, 0.5, 'uuid', uuidToken(scene))),
];

/** A row with more calls than any has. */
export function rowOfManyCalls(scene: Scene): ObjectNode {
  return chainRow(scene, 'assistant', [
    ['message', object(['id', messageIdToken(scene)], ['content', manyCalls(scene)])],
  ]);
}

function chainRow(scene: Scene, type: string, own: Fields): ObjectNode {
  const { random, odds } = scene;
  const isOdd = random.chance(odds.types);
  return object(
    ...maybe(scene, 0.97, 'parentUuid', random.chance(0.15) ? 'null' : uuidToken(scene)),
    ...maybe(scene, 0.9, 'isSidechain', booleanToken(scene)),
    ...maybe(
      scene,
      0.8,
      'cwd',
      orOdd(scene, random.pick(['"/home/user/project"', '"C:\\\\Users\\\\user"', '"/\xc3\xa9"'])),
    ),
    ...maybe(scene, 0.8, 'sessionId', '"44444444-4444-4444-8444-444444444444"'),
    ...maybe(scene, 0.8, 'version', orOdd(scene, '"2.1.330"')),
    ...maybe(scene, 0.5, 'gitBranch', orOdd(scene, random.pick(['"main"', '""', '"feature/\\u0041"']))),
    ...maybe(scene, 0.03, 'agentId', '"abc1234"'),
    ['type', isOdd ? `"${oneOf(random, ODD_TYPES)}"` : random.chance(odds.types / 5) ? valueToken(scene) : `"${type}"`],
    ...own,
    ...maybe(scene, 0.08, 'isMeta', booleanToken(scene)),
    ...maybe(scene, 0.03, 'isCompactSummary', 'true'),
    ...maybe(
      scene,
      0.05,
      'forkedFrom',
      random.chance(0.3) ? valueToken(scene) : object(['messageUuid', uuidToken(scene)]),
    ),
    ...maybe(scene, 0.97, 'uuid', uuidToken(scene)),
    ...maybe(scene, 0.97, 'timestamp', timeToken(scene)),
  );
}

function message(scene: Scene, kind: 'prompt' | 'results' | 'reply'): JsonNode {
  const { random, odds } = scene;
  if (random.chance(odds.values / 3)) return valueToken(scene);
  if (kind !== 'reply') return object(['role', '"user"'], ['content', contentNode(scene, kind)]);
  return object(
    ...maybe(
      scene,
      0.95,
      'model',
      orOdd(scene, random.pick(['"claude-opus-4-1"', '"<synthetic>"', '"claude-\\u0074est"'])),
    ),
    ...maybe(scene, 0.95, 'id', messageIdToken(scene)),
    ['type', '"message"'],
    ['role', '"assistant"'],
    ['content', contentNode(scene, kind)],
    ['stop_reason', 'null'],
    ...maybe(scene, 0.95, 'usage', usageNode(scene)),
  );
}

function compactMetadata(scene: Scene): JsonNode {
  const { random } = scene;
  const uuids = array(...Array.from({ length: random.below(4) }, () => uuidToken(scene)));
  return object(
    ['trigger', '"auto"'],
    ...maybe(
      scene,
      0.5,
      'preservedSegment',
      object(['headUuid', uuidToken(scene)], ['anchorUuid', uuidToken(scene)], ['tailUuid', uuidToken(scene)]),
    ),
    ...maybe(
      scene,
      0.5,
      'preservedMessages',
      object(['anchorUuid', uuidToken(scene)], ['uuids', uuids], ['allUuids', uuids]),
    ),
  );
}

function maybe({ random }: Scene, probability: number, name: string, value: JsonNode): Fields {
  return random.chance(probability) ? [[name, value]] : [];
}
