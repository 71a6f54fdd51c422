import { chmodSync, cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FileTree, readTree, writeTree } from '../../rewind/support/fileTree';
import { HOME, type Place } from '../../rewind/support/place';
import type { Random } from '../../support/random';
import { prompt, reply, uuidOf } from '../../support/transcriptBuilder';
import { FaultyFs } from '../../unit/storage/faultyFs';
import {
  ageLock,
  backup,
  forgetRewinds,
  requestOf,
  rewindsWith,
  writeSession,
} from '../../unit/history/rewind/rewindFixture';

/** A project that is rewound again and again. */
export interface RewindScene {
  readonly place: Place;
  readonly promptUuid: string;
  /** The project before the rewind, and after it. */
  readonly before: FileTree;
  readonly after: FileTree;
  /** Puts the project and our own records into their initial state. */
  reset(): void;
  /** As `reset`, followed by the rewind. */
  resetToRewound(): void;
}

interface SceneFile {
  readonly path: string;
  /** Null: there is none. */
  readonly now: { readonly content: string; readonly mode: number } | null;
  /** As a rewind makes it, null for none; absent if no checkpoint knows the file. */
  readonly then?: { readonly content: string; readonly mode: number } | null;
}

/** Every kind of change that a rewind makes, once each, and a file that it leaves alone. */
const EVERY_CHANGE: readonly SceneFile[] = [
  {
    path: 'restored.txt',
    now: { content: 'as it is\n', mode: 0o600 },
    then: { content: 'as it was\n', mode: 0o640 },
  },
  { path: 'made.txt', now: { content: 'made by Claude\n', mode: 0o644 }, then: null },
  { path: 'gone/deep/er.txt', now: null, then: { content: 'gone since\n', mode: 0o644 } },
  { path: 'folder/untracked.txt', now: { content: 'nobody asked\n', mode: 0o444 } },
];

const FILE_SECONDS = 1_790_000_000.25;
const MAX_FILES = 7;
const MODES = [0o644, 0o600, 0o755, 0o444] as const;
const FOLDERS = ['', 'src/', 'src/inner/', 'other/'] as const;

/** Some files in some folders, small ones and large ones, at least one of which changes. */
export function randomFiles(random: Random): readonly SceneFile[] {
  const state = (name: string): SceneFile['now'] => {
    const length = random.chance(0.05) ? 1_500_000 : random.below(3000);
    return { content: `${name} ${'x'.repeat(length)}\n`, mode: random.pick(MODES) };
  };
  const files = Array.from({ length: 1 + random.below(MAX_FILES) }, (_, at): SceneFile => {
    const path = `${random.pick(FOLDERS)}file ${at}.txt`;
    const now = random.chance(0.2) ? null : state(`now ${at}`);
    if (now !== null && random.chance(0.2)) return { path, now };
    if (now !== null && random.chance(0.1)) return { path, now, then: now };
    return { path, now, then: now !== null && random.chance(0.2) ? null : state(`then ${at}`) };
  });
  return [...files, { path: 'surely.txt', now: state('surely now'), then: state('surely then') }];
}

export async function makeRewindScene(place: Place, files = EVERY_CHANGE): Promise<RewindScene> {
  const promptUuid = uuidOf('first');
  const tracked = files.flatMap(({ path, then }) =>
    then === undefined ? [] : [[path, backup(place, path, 1, then?.content ?? null, then?.mode)] as const],
  );
  writeSession(place, [
    {
      type: 'file-history-snapshot',
      messageId: promptUuid,
      snapshot: {
        messageId: promptUuid,
        trackedFileBackups: Object.fromEntries(tracked),
        timestamp: '2026-06-01T10:00:00.000Z',
      },
      isSnapshotUpdate: false,
    },
    prompt('first', null),
    reply('reply', 'first'),
  ]);
  for (const { path, now } of files) {
    if (now === null) continue;
    const at = join(place.cwd, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, now.content);
    chmodSync(at, now.mode);
    utimesSync(at, FILE_SECONDS, FILE_SECONDS);
  }
  const before = readTree(place.root, [HOME]);
  const { reason } = await rewindsWith(place, new FaultyFs()).rewind(requestOf(place, promptUuid));
  if (reason !== null) throw new Error(`The scene cannot be rewound: ${reason}`);
  const after = readTree(place.root, [HOME]);
  const kept = join(place.root, HOME, 'kept');
  cpSync(join(place.configDir, 'rethread'), kept, { recursive: true });
  const reset = (): void => {
    ageLock(place);
    forgetRewinds(place);
    writeTree(place.root, before, [HOME]);
  };
  reset();
  return {
    place,
    promptUuid,
    before,
    after,
    reset,
    resetToRewound() {
      reset();
      writeTree(place.root, after, [HOME]);
      cpSync(kept, join(place.configDir, 'rethread'), { recursive: true });
    },
  };
}
