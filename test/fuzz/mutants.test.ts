import assert from 'node:assert/strict';
import { ReferenceScanner } from '../../src/core/scan/referenceScanner';
import { findFirstDifference } from './fuzz';
import { MUTANTS } from './mutants';

const SEED = 6;
const MAX_FILES = 3000;
const FILES_OF_REFERENCE = 300;

describe('The fuzz', () => {
  it('finds nothing wrong with the reference itself', () => {
    assert.equal(
      findFirstDifference((options) => new ReferenceScanner(options), SEED, FILES_OF_REFERENCE),
      null,
    );
  });

  for (const { name, createScanner } of MUTANTS) {
    it(`catches a scanner that ${name}`, () => {
      assert.notEqual(findFirstDifference(createScanner, SEED, MAX_FILES), null);
    });
  }
});
