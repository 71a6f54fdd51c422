// The order of the rooms, checked by `npm run lint`: a room may import only rooms of the lines above its own, type imports
// included, and imports form no cycles. docs/architecture.md shows the same order.
// @ts-check

/** Paths below src, as regular expressions. Rooms in the same line may not import each other. */
const FLOORS = [
  ['protocol', 'core/util'],
  ['core/providers/claude/format'],
  ['core/transcript', 'core/storage'],
  ['core/providers/claude/loader', 'core/providers/provider[.]ts'],
  ['core/providers/claude/request'],
  ['core/diagnose', 'core/providers/claude/files', 'core/providers/claude/live'],
  ['core/providers/claude/[^/]+[.]ts', 'core/sessions', 'core/conversation', 'core/usage'],
  ['core/history', 'core/preflight', 'core/engine[.]ts'],
  ['worker', 'cli'],
];

/** These reach core only through the worker, so they may import its types and channels and nothing else. */
const FACES = ['extension', 'webview'];

/** @param {string[]} rooms */
const inRooms = (rooms) => `^src/(${rooms.join('|')})`;

const rooms = FLOORS.flatMap((floor, at) => floor.map((room) => ({ room, below: FLOORS.slice(0, at).flat() })));
const faces = FACES.map((room) => ({ room, below: ['protocol'] }));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Files that import each other, even only types, can only be understood together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'has-a-room',
      comment: 'A folder of src that is missing from the lists above would not be checked.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: inRooms([...FLOORS.flat(), ...FACES]) },
    },
    ...[...rooms, ...faces].map(({ room, below }) => ({
      name: `below-${room.replaceAll(/[^a-z]+/gi, '-')}`,
      comment: `src/${room} may import ${below.map((name) => `src/${name}`).join(', ') || 'no other room'}.`,
      severity: /** @type {const} */ ('error'),
      from: { path: inRooms([room]) },
      to: { path: '^src/', pathNot: inRooms([room, ...below]) },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/core/transcript/wasm/assembly/' },
  },
};
