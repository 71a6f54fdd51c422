import type { UsageApi } from '../../protocol/api/usage';
import { CALL_TIMEOUTS_MS } from './callLimit';
import type { CallWorker } from './conversationCalls';

/** What the worker tells of tokens, each call with its limit. */
export function createUsageCalls(call: CallWorker): UsageApi {
  const { watchUsage, sessionUsage, exportUsage } = CALL_TIMEOUTS_MS;
  return {
    watchUsage: (...args) => call((rpc) => rpc.watchUsage(...args), watchUsage),
    sessionUsage: (...args) => call((rpc) => rpc.sessionUsage(...args), sessionUsage),
    exportUsage: (...args) => call((rpc) => rpc.exportUsage(...args), exportUsage),
  };
}
