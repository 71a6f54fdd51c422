import type { RewindingApi } from '../../protocol/api/rewinding';
import { CALL_TIMEOUTS_MS } from './callLimit';
import type { CallWorker } from './conversationCalls';

/** Forks, rewinds and checkpoints, each call with its limit. */
export function createRewindingCalls(call: CallWorker): RewindingApi {
  const limits = CALL_TIMEOUTS_MS;
  return {
    fork: (...args) => call((rpc) => rpc.fork(...args), limits.fork),
    checkpoints: (...args) => call((rpc) => rpc.checkpoints(...args), limits.checkpoints),
    planRewind: (...args) => call((rpc) => rpc.planRewind(...args), limits.planRewind),
    rewind: (...args) => call((rpc) => rpc.rewind(...args), limits.rewind),
    rewindState: (...args) => call((rpc) => rpc.rewindState(...args), limits.rewindState),
    rewoundSessions: (...args) => call((rpc) => rpc.rewoundSessions(...args), limits.rewindState),
    undoRewind: (...args) => call((rpc) => rpc.undoRewind(...args), limits.undoRewind),
    planHook: (...args) => call((rpc) => rpc.planHook(...args), limits.hook),
    applyHook: (...args) => call((rpc) => rpc.applyHook(...args), limits.hook),
    installProgram: (...args) => call((rpc) => rpc.installProgram(...args), limits.hook),
    pruneCheckpoints: () => call((rpc) => rpc.pruneCheckpoints(), limits.pruneCheckpoints),
  };
}
