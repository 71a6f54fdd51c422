import assert from 'node:assert/strict';
import { type ScannerFactory } from '../rooms/transcript';
import { wasmScanners } from '../support/scannerModule';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { compareTail } from './tails';
import { plainScanner } from '../support/plainScanner';

const SEED = 7;
const FILES = 80;
const SCANNERS: readonly [string, ScannerFactory][] = [
  ['fast', wasmScanners()],
  ['plain', plainScanner],
];

describe('TranscriptTail', () => {
  for (const [name, createScanner] of SCANNERS) {
    it(`equals a scan of the complete lines while ${FILES} transcripts grow, with the ${name} scanner`, () =>
      withTemporaryFolder((folder) => {
        for (let file = 0; file < FILES; file++) {
          const { difference } = compareTail(folder, createScanner, SEED, file);
          assert.equal(difference, null, `file ${file} of seed ${SEED}`);
        }
        return Promise.resolve();
      }));
  }
});
