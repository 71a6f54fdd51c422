import type { CheckpointsApi } from './checkpoints';
import type { ForkApi } from './fork';
import type { RewindApi } from './rewind';

/** What the worker's bundle for forks, rewinds and checkpoints answers. */
export interface RewindingApi extends ForkApi, RewindApi, CheckpointsApi {}
