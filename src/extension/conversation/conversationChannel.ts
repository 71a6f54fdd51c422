import type { PanelApi, PanelHostApi } from '../../protocol/api/conversation';
import { PageChannel, type PageChannelParts } from '../webviews/pageChannel';
import { createPanelCalls } from './panelCalls';

export interface ChannelParts extends Pick<PageChannelParts<PanelApi>, 'port' | 'describe' | 'onFailure'> {
  readonly host: PanelHostApi;
}

/** Between a conversation panel's webview and the host. */
export class ConversationChannel extends PageChannel<PanelApi> {
  constructor({ host, ...parts }: ChannelParts) {
    super({
      ...parts,
      calls: createPanelCalls(host),
      events: ['changed', 'subagentChanged', 'reveal', 'openFind', 'stopped'],
    });
  }

  get panel(): PageChannel<PanelApi>['page'] {
    return this.page;
  }
}
