import assert from 'node:assert/strict';
import { FaultyFs, type FsCall } from '../../storage/faultyFs';
import { ForeignFs, type ForeignTraits, MACOS, WINDOWS, WINDOWS_REMOVABLE } from '../../storage/foreignFs';
import { makeRewindScene, type RewindScene } from '../../../faults/operations/rewindScene';
import { type FileTree, readTree } from '../../../rewind/support/fileTree';
import { HOME } from '../../../rewind/support/place';
import { sessionRefOf } from '../../../rooms/format';
import { ageLock, litterIn, requestOf, rewindsWith, withPlace } from './rewindFixture';

const SYSTEMS: readonly (readonly [string, ForeignTraits])[] = [
  ['Windows', WINDOWS],
  ['a disk of Windows without links and inode numbers', WINDOWS_REMOVABLE],
  ['macOS', MACOS],
];
const HELD = ['EPERM', 'EBUSY'] as const;
const moves = ({ name }: FsCall): boolean => /^(rename|link|unlink|rmdir)$/.test(name);

/** Names and bytes; these systems have other modes. */
function contents(tree: FileTree): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...tree].flatMap(([path, file]) => (file === null ? [] : [[path, file.bytes.toString()]])),
  );
}

function assertTree({ place }: RewindScene, tree: FileTree, at = ''): void {
  assert.deepEqual(contents(readTree(place.root, [HOME])), contents(tree), at);
}

function withScene(use: (scene: RewindScene) => Promise<void>): Promise<void> {
  return withPlace(async (place) => use(await makeRewindScene(place)));
}

async function rewind({ place, promptUuid }: RewindScene, fs: FaultyFs) {
  return rewindsWith(place, fs).rewind(requestOf(place, promptUuid));
}

for (const [system, traits] of SYSTEMS) {
  describe(`On ${system}, files`, function () {
    this.timeout(60_000);
    const disk = (): FaultyFs => new FaultyFs(new ForeignFs(traits));

    it('are rewound, and the rewind is undone', () =>
      withScene(async (scene) => {
        scene.reset();
        const outcome = await rewind(scene, disk());
        assert.equal(outcome.reason, null, outcome.result.error ?? '');
        assertTree(scene, scene.after);
        const undone = await rewindsWith(scene.place, disk()).undoRewind(sessionRefOf(scene.place.filePath));
        assert.equal(undone.reason, null, undone.result.error ?? '');
        assertTree(scene, scene.before);
        assert.deepEqual(litterIn(scene.place.root), []);
      }));

    for (const code of HELD) {
      it(`are rewound completely or not at all if another process holds one (${code})`, () =>
        withScene(async (scene) => {
          scene.reset();
          const fs = disk();
          await rewind(scene, fs);
          const calls = fs.calls.filter(moves);
          assert.ok(calls.length > 6);
          for (const { index, name } of calls) {
            scene.reset();
            const failing = disk();
            failing.faultOf = (call) => (call.index === index ? { kind: 'fails', code } : null);
            const outcome = await rewind(scene, failing);
            const at = `${name} ${index}: ${outcome.reason ?? 'done'}`;
            assert.equal(failing.hit.length, 1, at);
            assertTree(scene, outcome.reason === null ? scene.after : scene.before, at);
            assert.deepEqual(litterIn(scene.place.root), [], at);
          }
        }));

      it(`are put back by the next command if the disk holds on to all of them (${code}) from some call on`, () =>
        withScene(async (scene) => {
          scene.reset();
          const fs = disk();
          await rewind(scene, fs);
          for (const { index, name } of fs.calls.filter(moves)) {
            scene.reset();
            const failing = disk();
            failing.faultOf = (call) => (moves(call) && call.index >= index ? { kind: 'fails', code } : null);
            const outcome = await rewind(scene, failing);
            ageLock(scene.place);
            await rewindsWith(scene.place, disk()).undoRewind(sessionRefOf(scene.place.filePath));
            assertTree(scene, scene.before, `${name} ${index}: ${outcome.reason ?? 'done'}`);
            assert.deepEqual(litterIn(scene.place.root), []);
          }
        }));
    }
  });
}
