import assert from 'node:assert/strict';
import { uuidOf } from '../support/transcriptBuilder';
import { createRandom } from '../support/random';
import { compareHistory } from './support/compareHistory';
import { readTree } from './support/fileTree';
import { HOME, makePlace } from './support/place';
import { rewindSize } from './support/rewindSize';
import { useRewindBench } from './support/useRewindBench';
import { FORMS, HistoryWriter } from './support/writeHistory';

const { written, isFull } = rewindSize();
const MANY_PROMPTS = 130;
const SHOWN_OF_MANY = 12;

describe('Histories written in the forms of several clients', () => {
  const bench = useRewindBench();

  for (const seed of written) {
    const form = FORMS[seed % FORMS.length] ?? 'deltas';
    it(`are rewound as the client rewinds them: ${form}, seed ${seed}`, async () => {
      const place = makePlace(await bench().folder(), uuidOf(`written ${seed}`));
      const random = createRandom(seed);
      const prompts = new HistoryWriter(place, form, random).write(3 + random.below(isFull ? 28 : 12));
      const tree = readTree(place.root, [HOME]);
      const compared = await compareHistory(bench(), place, prompts, [tree], isFull ? 3 : 1);
      assert.ok(compared.rewinds > 0);
      assert.deepEqual(compared.differences, []);
    });
  }

  it('contain the last 100 prompts, as for the client', async function () {
    if (!isFull) this.timeout(180_000);
    const place = makePlace(await bench().folder(), uuidOf('written many'));
    const prompts = new HistoryWriter(place, 'deltas', createRandom(7), 0).write(MANY_PROMPTS);
    const tree = readTree(place.root, [HOME]);
    const from = MANY_PROMPTS - 100;
    const asked = isFull ? prompts : [...prompts.slice(from - 3, from + 3), ...prompts.slice(-SHOWN_OF_MANY / 2)];
    const compared = await compareHistory(bench(), place, asked, [tree], 0);
    assert.deepEqual(compared.differences, []);
    assert.equal(compared.rewinds, asked.length - (isFull ? from : 3));
  });
});
