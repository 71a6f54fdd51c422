import type { Mutant } from './mutant';
import { WHAT_IS_OPENED_AND_WRITTEN } from './mutants/openedAndWritten';
import { TWO_AT_ONCE } from './mutants/twoAtOnce';
import { WHICH_FILES } from './mutants/whichFiles';
import { WHO_IS_LIVE } from './mutants/whoIsLive';

/** Each guard of the product, removed. */
export const MUTANTS: readonly Mutant[] = [
  ...WHO_IS_LIVE,
  ...WHICH_FILES,
  ...TWO_AT_ONCE,
  ...WHAT_IS_OPENED_AND_WRITTEN,
];
