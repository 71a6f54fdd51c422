import { array, object, quote, type JsonNode } from './jsonTree';
import { maybe, oneOf, type Scene } from './scene';
import { orOdd, valueToken } from './valueTokens';

/** The `usage` of an assistant message, in the form of each version, and in forms of none. */
export function usageNode(scene: Scene): JsonNode {
  const {
    random,
    odds: { usage: odds },
  } = scene;
  if (random.chance(odds / 2)) return valueToken(scene);
  const tokens = (name: string): [string, JsonNode][] => {
    if (random.chance(0.1)) return [];
    return [
      [
        name,
        random.chance(odds) ? oneOf(random, ODD_COUNTS) : String(random.below(random.chance(0.2) ? 300_000 : 100_000)),
      ],
    ];
  };
  const parts: [string, JsonNode][] = [
    ...tokens('input_tokens'),
    ...tokens('cache_creation_input_tokens'),
    ...tokens('cache_read_input_tokens'),
    ...tokens('output_tokens'),
  ];
  if (random.chance(0.5)) {
    const nested = object(
      ...tokens('ephemeral_5m_input_tokens'),
      ...tokens('ephemeral_1h_input_tokens'),
      ...(random.chance(odds) ? tokens(oneOf(random, COUNT_NAMES)) : []),
    );
    parts.splice(random.below(parts.length + 1), 0, [
      'cache_creation',
      random.chance(odds) ? valueToken(scene) : nested,
    ]);
  }
  if (random.chance(0.2))
    parts.push([
      'server_tool_use',
      object(...tokens('web_search_requests'), ...tokens('web_fetch_requests'), ...tokens('input_tokens')),
    ]);
  if (random.chance(0.2)) {
    const request = (): JsonNode =>
      object(
        ...maybe(scene, 0.5, 'type', quote(random.pick(['message', 'compaction', 'advisor_message']))),
        ...tokens('input_tokens'),
        ...tokens('output_tokens'),
      );
    const requests = Array.from({ length: random.below(4) }, () =>
      random.chance(odds) ? valueToken(scene) : request(),
    );
    parts.push(['iterations', random.chance(odds) ? valueToken(scene) : array(...requests)]);
  }
  if (random.chance(0.5)) parts.push(['service_tier', orOdd(scene, quote('standard'))]);
  // A duplicate name: the last one counts, whatever its value.
  while (random.chance(odds / 2)) {
    const name = parts.length > 0 ? oneOf(random, parts)[0] : oneOf(random, COUNT_NAMES);
    const value = random.chance(0.5) ? oneOf(random, ODD_COUNTS) : object(...tokens(oneOf(random, COUNT_NAMES)));
    parts.splice(random.below(parts.length + 1), 0, [name, value]);
  }
  return object(...parts);
}

const COUNT_NAMES = [
  'input_tokens',
  'output_tokens',
  'ephemeral_5m_input_tokens',
  'ephemeral_1h_input_tokens',
  'web_search_requests',
  'web_fetch_requests',
  'cache_creation',
  'server_tool_use',
  'iterations',
];
const ODD_COUNTS = [
  ...[
    '-1',
    '-0',
    '0.0',
    '1.5',
    '1e3',
    '1E+2',
    '12e-1',
    '1e400',
    '1e-400',
    '4294967295',
    '4294967296',
    '4294967297',
    '9999999999',
    '9007199254740993',
  ],
  ...[
    '99999999999999999999',
    '"12"',
    '""',
    '"1e3"',
    '" 7 "',
    'null',
    'true',
    'false',
    '[]',
    '[5]',
    '{}',
    '0.1',
    '2147483648',
  ],
  ...['01', '1.', '-', '+1', '1e', 'NaN'],
];
