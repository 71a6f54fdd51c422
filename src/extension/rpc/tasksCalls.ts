import type { TasksApi } from '../../protocol/api/tasks';
import { CALL_TIMEOUTS_MS } from './callLimit';
import type { CallWorker } from './conversationCalls';

/** What the worker tells of tasks, each call with its limit. */
export function createTasksCalls(call: CallWorker): TasksApi {
  const { openConversation, conversation } = CALL_TIMEOUTS_MS;
  return {
    openTasks: (...args) => call((rpc) => rpc.openTasks(...args), openConversation),
    closeTasks: (...args) => call((rpc) => rpc.closeTasks(...args), conversation),
  };
}
