import assert from 'node:assert/strict';
import { uuidOf } from '../support/transcriptBuilder';
import { createRandom } from '../support/random';
import { compareHistory } from './support/compareHistory';
import { driveHistory } from './support/driveHistory';
import { readTree, type FileTree, type TreeFile } from './support/fileTree';
import { HOME, makePlace } from './support/place';
import { rewindSize } from './support/rewindSize';
import { useRewindBench } from './support/useRewindBench';

const { driven, isFull } = rewindSize();
const MOST_PROMPTS = 30;

describe('Histories that the real client created', () => {
  const bench = useRewindBench();

  for (const seed of driven) {
    it(`are rewound as the client rewinds them: seed ${seed}`, async () => {
      const place = makePlace(await bench().folder(), uuidOf(`driven ${seed}`));
      const random = createRandom(1_000 + seed);
      const client = bench().start(place, ['--session-id', place.sessionId]);
      const long = isFull && seed % 10 === 0;
      const prompts = await driveHistory(place, client, random, long ? MOST_PROMPTS : 3 + random.below(6));
      await client.close();
      const tree = readTree(place.root, [HOME]);
      const trees = isFull ? [tree, changedByHand(tree)] : [changedByHand(tree)];
      const compared = await compareHistory(bench(), place, prompts, trees, 0);
      assert.equal(compared.rewinds, prompts.length * trees.length);
      assert.deepEqual(compared.differences, []);
    });
  }
});

/** Somebody has since changed every other file. */
function changedByHand(tree: FileTree): FileTree {
  const mtimeNs = BigInt(Date.now()) * 1_000_000n;
  return new Map(
    [...tree].map(([path, file], at): [string, TreeFile | null] => {
      if (file === null || at % 2 === 1) return [path, file];
      return [path, { ...file, bytes: Buffer.concat([Buffer.from('by hand\n'), file.bytes]), mtimeNs }];
    }),
  );
}
