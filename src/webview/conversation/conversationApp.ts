import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PanelAction } from '../../shared/api/conversation';
import type { BlockHost } from '../blocks/blockHost';
import type { Formats } from '../ui/createFormats';
import type { Translate } from '../ui/createTranslate';
import type { Host } from './connectHost';
import type { FindState } from './find/findState';
import type { OutlineState } from './outline/outlineState';
import type { ConversationStore } from './state/conversationStore';
import type { SubagentNews } from './state/subagentNews';

/** What the parts of the panel share. */
export interface ConversationApp {
  readonly host: Host;
  readonly store: ConversationStore;
  readonly find: FindState;
  readonly outline: OutlineState;
  readonly subagentNews: SubagentNews;
  readonly t: Translate;
  readonly formats: Formats;
  readonly act: (action: PanelAction) => void;
  /** For the blocks of a transcript: the conversation's own, or a subagent's, so many levels down. */
  readonly blockHost: (filePath: string, depth: number) => BlockHost;
}

const Context = createContext<ConversationApp | null>(null);

export const ProvideApp = Context.Provider;

/** @throws outside of the panel */
export function useApp(): ConversationApp {
  const app = useContext(Context);
  if (app === null) throw new Error('Failed to find the panel around a part of it');
  return app;
}
