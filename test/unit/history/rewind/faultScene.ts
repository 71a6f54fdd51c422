import { chmodSync, cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FileTree, readTree, writeTree } from '../../../rewind/support/fileTree';
import { HOME, type Place } from '../../../rewind/support/place';
import { prompt, reply, uuidOf } from '../../../support/transcriptBuilder';
import { FaultyFs } from '../../storage/faultyFs';
import { ageLock, backup, forgetRewinds, requestOf, rewindsWith, writeSession } from './rewindFixture';

/** Every kind of file change that a rewind makes, once each. */
export interface FaultScene {
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

const FILE_SECONDS = 1_790_000_000.25;

export async function makeFaultScene(place: Place): Promise<FaultScene> {
  const promptUuid = uuidOf('first');
  const tracked = {
    'restored.txt': backup(place, 'restored.txt', 1, 'as it was\n', 0o640),
    'made.txt': backup(place, 'made.txt', 1, null),
    'gone/deep/er.txt': backup(place, 'gone/deep/er.txt', 1, 'gone since\n'),
  };
  writeSession(place, [
    {
      type: 'file-history-snapshot',
      messageId: promptUuid,
      snapshot: { messageId: promptUuid, trackedFileBackups: tracked, timestamp: '2026-06-01T10:00:00.000Z' },
      isSnapshotUpdate: false,
    },
    prompt('first', null),
    reply('reply', 'first'),
  ]);
  const write = (path: string, content: string | Buffer, mode: number): void => {
    const at = join(place.cwd, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, content);
    chmodSync(at, mode);
    utimesSync(at, FILE_SECONDS, FILE_SECONDS);
  };
  write('restored.txt', 'as it is\n', 0o600);
  write('made.txt', 'made by Claude\n', 0o644);
  write('folder/untracked.txt', 'nobody asked\n', 0o444);
  const before = readTree(place.root, [HOME]);
  const rewind = async (): Promise<void> => {
    const { reason } = await rewindsWith(place, new FaultyFs()).rewind(requestOf(place, promptUuid));
    if (reason !== null) throw new Error(`The scene cannot be rewound: ${reason}`);
  };
  await rewind();
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
