import type { CoverageKind } from './rewind';

/** In the order in which they are told: what may be missed most comes first. */
export const COVERAGE_KINDS: readonly CoverageKind[] = [
  'command',
  'byHand',
  'untracked',
  'laterCopy',
  'doubtfulBackup',
  'missingBackup',
  'alteredBackup',
  'snapshotCap',
  'outside',
  'symlink',
  'hardLink',
  'notAFile',
  'readOnly',
  'other',
];
