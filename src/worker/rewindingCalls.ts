import type { RewindingApi } from '../protocol/api/rewinding';

/** The calls about forks, rewinds and checkpoints as functions, to be put beside others. The first loads what answers. */
export function rewindingCalls(load: () => Promise<RewindingApi>): RewindingApi {
  return {
    fork: async (...args) => (await load()).fork(...args),
    checkpoints: async (...args) => (await load()).checkpoints(...args),
    planRewind: async (...args) => (await load()).planRewind(...args),
    rewind: async (...args) => (await load()).rewind(...args),
    rewindState: async (...args) => (await load()).rewindState(...args),
    rewoundSessions: async (...args) => (await load()).rewoundSessions(...args),
    undoRewind: async (...args) => (await load()).undoRewind(...args),
    planHook: async (...args) => (await load()).planHook(...args),
    applyHook: async (...args) => (await load()).applyHook(...args),
    installProgram: async (...args) => (await load()).installProgram(...args),
    pruneCheckpoints: async () => (await load()).pruneCheckpoints(),
  };
}
