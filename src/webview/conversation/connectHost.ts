import { type BirpcReturn, createBirpc } from 'birpc';
import type { PanelApi, PanelHostApi } from '../../protocol/api/conversation';
import type { HostChannel } from './hostChannel';

export type Host = BirpcReturn<PanelHostApi, PanelApi>;

/** After which an answer is not waited for any more: longer than the host itself waits for its worker. */
const CALL_TIMEOUT_MS = 120_000;

export function connectHost(channel: HostChannel, panel: PanelApi): Host {
  return createBirpc<PanelHostApi, PanelApi>(panel, {
    post: (message: unknown) => {
      channel.post(message);
    },
    on: (listener) => {
      channel.onMessage(listener);
    },
    bind: 'functions',
    eventNames: ['navigated', 'shown'],
    timeout: CALL_TIMEOUT_MS,
  });
}
