import type { Random } from '../../support/random';

/** The names that a scanner looks for. */
export const NAMES = [
  ...['uuid', 'parentUuid', 'type', 'timestamp', 'message', 'isSidechain', 'isMeta', 'id', 'content', 'text', 'usage'],
  ...[
    'model',
    'tool_use_id',
    'subtype',
    'leafUuid',
    'explicit',
    'cwd',
    'version',
    'gitBranch',
    'forkedFrom',
    'toolUseID',
  ],
  ...['sourceToolAssistantUUID', 'isApiErrorMessage', 'compactMetadata', 'summary', 'data', 'sessionId', 'requestId'],
];
/** Keys that are not relevant. */
export const STRANGE_KEYS = [
  '""',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"length"',
  '"0"',
  '" "',
  '"\\u0000"',
  '"\xff"',
];
/** Invalid keys. */
export const BAD_KEYS = [
  'uuid',
  "'uuid'",
  '1',
  'null',
  '"uuid',
  '"uu\x01id"',
  '"uu\\xid"',
  '"\\u00"',
  '',
  '{}',
  '"a" "b"',
];

/** A key that resembles the given one. */
export function nearKey(key: string, random: Random): string {
  const at = 1 + random.below(Math.max(1, key.length - 2));
  return random.pick([
    key.slice(0, at) + random.pick(['x', 'Z', '_', ' ']) + key.slice(at + 1),
    key.slice(0, at) + random.pick(['x', 's', '\xc3\xa9']) + key.slice(at),
    key.slice(0, at) + key.slice(at + 1),
    key.toUpperCase(),
  ]);
}
