import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES, listRecordings } from '../support/fixtures';
import { compareHistory } from './support/compareHistory';
import { placeRecording } from './support/placeRecording';
import { rewindSize } from './support/rewindSize';
import { promptsOf, treesFor } from './support/treesFor';
import { useRewindBench } from './support/useRewindBench';

const { isFull } = rewindSize();

/** Recordings with checkpoints. A session with only a subagent's rows cannot be resumed. */
function withCheckpoints(): string[] {
  return listRecordings().filter((recording) => {
    const text = readFileSync(join(FIXTURES, recording), 'utf8');
    return text.includes('"file-history-') && text.includes('"isSidechain":false');
  });
}

describe('Recorded sessions', () => {
  const bench = useRewindBench();

  for (const recording of withCheckpoints()) {
    it(`are rewound as the client rewinds them: ${recording}`, async () => {
      const place = placeRecording(recording, await bench().folder());
      const trees = treesFor(place);
      const chosen = isFull ? trees : trees.slice(-1);
      const compared = await compareHistory(bench(), place, promptsOf(place), chosen, isFull ? 20 : 1);
      assert.ok(compared.rewinds > 0);
      assert.deepEqual(compared.differences, []);
    });
  }
});
