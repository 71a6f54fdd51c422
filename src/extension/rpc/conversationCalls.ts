import type { ConversationsApi } from '../../protocol/api/conversation';
import { CALL_TIMEOUTS_MS, type CallLimit } from './callLimit';
import type { WorkerCalls } from './workerConnection';

/** Sends a call to the worker thread that runs, or to the one that is started for it. */
export type CallWorker = <T>(send: (calls: WorkerCalls) => Promise<T>, limit: CallLimit) => Promise<T>;

/** What the worker tells of conversations, each call with its limit. */
export function createConversationCalls(call: CallWorker): ConversationsApi {
  const { openConversation, conversation } = CALL_TIMEOUTS_MS;
  return {
    openConversation: (...args) => call((rpc) => rpc.openConversation(...args), openConversation),
    closeConversation: (...args) => call((rpc) => rpc.closeConversation(...args), conversation),
    conversationItems: (...args) => call((rpc) => rpc.conversationItems(...args), conversation),
    conversationOutline: (...args) => call((rpc) => rpc.conversationOutline(...args), conversation),
    conversationText: (...args) => call((rpc) => rpc.conversationText(...args), conversation),
    conversationImage: (...args) => call((rpc) => rpc.conversationImage(...args), conversation),
    persistedOutput: (...args) => call((rpc) => rpc.persistedOutput(...args), conversation),
    findInConversation: (...args) => call((rpc) => rpc.findInConversation(...args), conversation),
    indexOfLine: (...args) => call((rpc) => rpc.indexOfLine(...args), conversation),
    conversationLine: (...args) => call((rpc) => rpc.conversationLine(...args), conversation),
    conversationEdit: (...args) => call((rpc) => rpc.conversationEdit(...args), conversation),
  };
}
