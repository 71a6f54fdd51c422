import assert from 'node:assert/strict';
import { wasmScanners } from '../support/scannerModule';
import { fuzz } from './fuzz';
import { printDifference } from './printDifference';

/** Each seed is a test of its own, so that a failure names its seed. */
const SEEDS = [1, 2, 3, 4];
const FILES_A_SEED = 750;

describe('The fast scanner', () => {
  const createScanner = wasmScanners();

  for (const seed of SEEDS) {
    it(`gives the same index as the reference for ${FILES_A_SEED} transcripts of seed ${seed}`, () => {
      let differences = 0;
      let files = 0;
      for (const event of fuzz(createScanner, { seed, from: 0, to: FILES_A_SEED, step: 1 })) {
        if (event.kind === 'files') files += event.counts.files;
        else {
          differences++;
          printDifference(event.difference);
        }
      }
      assert.deepEqual({ files, differences }, { files: FILES_A_SEED, differences: 0 });
    });
  }
});
