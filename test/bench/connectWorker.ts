import type { Worker } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { sessionsChannel, type SessionsCalls, type SessionsUpdate } from '../../src/protocol/channels/sessions';
import { usageChannel, type UsageCalls } from '../../src/protocol/channels/usage';
import { workerChannel, type WorkerCalls } from '../../src/protocol/channels/worker';
import { createCalls, eventHandlers, type Send } from '../../src/protocol/rpcClient';

/**
 * The product's own worker thread, as the measured programs call it: without limits. Warnings and errors go to stderr.
 */
export function connectWorker(
  worker: Worker,
  onSessions: (update: SessionsUpdate) => void = () => undefined,
): WorkerCalls & SessionsCalls & UsageCalls {
  const rpc = createBirpc<object, object, false>(
    {
      ...eventHandlers(sessionsChannel, { sessionsChanged: onSessions }),
      ...eventHandlers(usageChannel, { usageChanged: () => undefined }),
      ...eventHandlers(workerChannel, {
        log: (level, message) => {
          if (level === 'warn' || level === 'error') console.error(message);
        },
      }),
    },
    {
      post: (message: unknown) => {
        worker.postMessage(message);
      },
      on: (listener) => worker.on('message', listener),
      proxify: false,
      timeout: -1,
    },
  );
  const send: Send = ({ method, args }) => rpc.$callRaw({ method, args: [...args] });
  return {
    ...createCalls(workerChannel, send),
    ...createCalls(sessionsChannel, send),
    ...createCalls(usageChannel, send),
  };
}
