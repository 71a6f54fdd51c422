import { MODELS, ODD_MODELS, ODD_TYPES, chainRow, message } from './chainRowNode';
import { manyCalls } from './contentNode';
import { escapeOne } from './escapeOne';
import { messageIdToken, toolIdToken, uuidToken } from './idTokens';
import { array, object, quote, type JsonNode, type ObjectNode } from './jsonTree';
import { maybe, oneOf, type Odds, type Scene } from './scene';
import { textToken } from './textTokens';
import { VALUES, booleanToken, orOdd, valueToken } from './valueTokens';

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
/** A row of any type. Its fields are as the client writes them, or randomly odd. */
export function rowNode(scene: Scene): ObjectNode {
  return oneOf(scene.random, ROWS)(scene);
}

/** For content inside a row. */
const NO_ODDS: Odds = { ids: 0, times: 0, texts: 0, blocks: 0, usage: 0, types: 0, values: 0 };

const prompt = (scene: Scene): ObjectNode => chainRow(scene, 'user', [['message', message(scene, 'prompt')]]);
const reply = (scene: Scene): ObjectNode =>
  chainRow(scene, 'assistant', [
    ['message', message(scene, 'reply')],
    ['requestId', '"req_01"'],
    ...maybe(scene, 0.2, 'isApiErrorMessage', booleanToken(scene)),
    ...maybe(scene, 0.1, 'errorDetails', '"400 prompt is too long: 210000 tokens > 200000 maximum"'),
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

const RENDERED = [
  '[]',
  '[ ]',
  '[{"content":"It rains."}]',
  '[0]',
  'null',
  '{}',
  '"text"',
  'true',
  '"[0]"',
  '[{"content":""}]',
  '[ { "content" : "a\\u0062" } , {"content":"b"} ]',
  '[{"content":"a"},null]',
  '[{"content":[{"type":"text","text":"a"}]}]',
  '[{"content":"a","x":1}]',
  '[{"cont\\u0065nt":"a"}]',
] as const;

const ROWS: readonly ((scene: Scene) => ObjectNode)[] = [
  ...[prompt, prompt, reply, reply, reply, results, results],
  (scene) => chainRow(scene, 'attachment', [['attachment', object(['type', '"date"'], ['uuid', uuidToken(scene)])]]),
  (scene) =>
    chainRow(scene, 'attachment', [
      ['attachment', object(['type', scene.random.pick(['"date"', '"unknown"', '"prompt\\u005fsnapshot"', '7'])])],
      ['rendered', scene.random.pick(RENDERED)],
      ...maybe(
        scene,
        0.6,
        'renderedRole',
        scene.random.pick(['"system"', '"user"', '"syst\\u0065m"', 'null', '"x"', '1']),
      ),
    ]),
  (scene) =>
    chainRow(scene, 'attachment', [
      ['attachment', modelAttachment(scene)],
      ...maybe(
        scene,
        scene.odds.values,
        'attachment',
        scene.random.chance(0.5) ? modelAttachment(scene) : valueToken(scene),
      ),
    ]),
  (scene) =>
    chainRow(scene, 'system', [
      [
        'subtype',
        nameToken(scene, ['turn_duration', 'local_command', 'stop_hook_summary', 'file_snapshot', 'file_snapshots']),
      ],
      ['content', textToken(scene)],
      ...maybe(scene, 0.7, 'toolUseID', toolIdToken(scene)),
    ]),
  (scene) =>
    chainRow(scene, 'system', [
      ['subtype', nameToken(scene, ['compact_boundary'])],
      ['logicalParentUuid', uuidToken(scene)],
      ...maybe(scene, 0.9, 'compactMetadata', compactMetadata(scene)),
    ]),
  (scene) =>
    chainRow(scene, 'progress', [
      ['data', object(['type', nameToken(scene, ['hook_progress', 'hook_progress', 'bash_progress'])])],
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

function modelAttachment(scene: Scene): JsonNode {
  const { random, odds } = scene;
  const identity = (): JsonNode =>
    object(
      ...maybe(scene, 0.9, 'modelId', orOdd(scene, oneOf(random, random.chance(0.8) ? MODELS : ODD_MODELS))),
      ...maybe(scene, 0.5, 'marketingName', textToken(scene)),
      ...maybe(scene, odds.values, 'modelId', orOdd(scene, oneOf(random, MODELS))),
    );
  return object(
    ['type', nameToken(scene, ['model'])],
    ...maybe(scene, 0.9, 'identity', random.chance(odds.values) ? valueToken(scene) : identity()),
    ...maybe(
      scene,
      odds.values,
      random.pick(['identity', 'type']),
      random.chance(0.5) ? valueToken(scene) : identity(),
    ),
    ['text', textToken(scene)],
  );
}

/** A row with more calls than any real row has. */
export function rowOfManyCalls(scene: Scene): ObjectNode {
  return chainRow(scene, 'assistant', [
    ['message', object(['id', messageIdToken(scene)], ['content', manyCalls(scene)])],
  ]);
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

/** A subtype, or the type of the row's content: unchanged, with an escape, or something else. */
function nameToken({ random, odds }: Scene, names: readonly string[]): string {
  const token = `"${oneOf(random, names)}"`;
  if (!random.chance(odds.types)) return token;
  return random.chance(0.7) ? escapeOne(token, random) : oneOf(random, VALUES);
}
