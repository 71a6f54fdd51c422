import type { Operation } from '../support/operation';
import { JANITOR_OPERATIONS } from './janitor';
import { REWIND_OPERATIONS } from './rewinds';
import { TRANSCRIPT_OPERATIONS } from './transcripts';

/** Everything that changes a person's files. */
export const ALL_OPERATIONS: readonly Operation[] = [
  ...TRANSCRIPT_OPERATIONS,
  ...REWIND_OPERATIONS,
  ...JANITOR_OPERATIONS,
];
