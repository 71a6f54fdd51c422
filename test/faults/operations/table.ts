import type { Operation } from '../support/operation';
import { FORK_OPERATIONS } from './forks';
import { HOOK_OPERATIONS } from './hook';
import { JANITOR_OPERATIONS } from './janitor';
import { REWIND_OPERATIONS } from './rewinds';
import { SESSION_STORE } from './sessionStore';
import { TRANSCRIPT_OPERATIONS } from './transcripts';

/** Everything that changes a person's files. */
export const ALL_OPERATIONS: readonly Operation[] = [
  ...TRANSCRIPT_OPERATIONS,
  ...FORK_OPERATIONS,
  ...REWIND_OPERATIONS,
  ...HOOK_OPERATIONS,
  ...JANITOR_OPERATIONS,
  SESSION_STORE,
];
