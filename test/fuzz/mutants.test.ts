import assert from 'node:assert/strict';
import { type ScannerFactory } from '../rooms/transcript';
import { createTrial, tryScanner } from './compareScanners';
import { makeTranscript } from './generate/makeTranscript';
import { MUTANTS } from './mutants';
import { plainScanner } from '../support/plainScanner';

const SEED = 30;
const MAX_FILES = 3000;
const FILES_OF_REFERENCE = 200;

describe('The fuzz test', () => {
  const caught = new Set<string>();
  const createReference: ScannerFactory = plainScanner;

  before(() => {
    for (let file = 0; file < MAX_FILES && caught.size < MUTANTS.length; file++) {
      const trial = createTrial(makeTranscript(SEED, file), file, createReference);
      for (const { name, createScanner } of MUTANTS) {
        if (!caught.has(name) && tryScanner(trial, createScanner) !== null) caught.add(name);
      }
    }
  });

  it('finds no fault in the reference itself', () => {
    for (let file = 0; file < FILES_OF_REFERENCE; file++) {
      const trial = createTrial(makeTranscript(SEED, file), file, createReference);
      assert.equal(tryScanner(trial, createReference), null, `file ${file} of seed ${SEED}`);
    }
  });

  for (const { name } of MUTANTS) {
    it(`catches a scanner that ${name}`, () => {
      assert.ok(caught.has(name), `not within ${MAX_FILES} transcripts`);
    });
  }
});
