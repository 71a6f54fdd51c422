import type { UsageApi } from '../protocol/api/usage';

/** The calls about tokens as functions, which can be put beside other calls. The first of them loads what answers. */
export function usageCalls(load: () => Promise<UsageApi>): UsageApi {
  return {
    watchUsage: async (...args) => (await load()).watchUsage(...args),
    sessionUsage: async (...args) => (await load()).sessionUsage(...args),
    exportUsage: async (...args) => (await load()).exportUsage(...args),
  };
}
