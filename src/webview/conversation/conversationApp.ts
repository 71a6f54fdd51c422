import { signal, type Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PanelAction, PanelCalls } from '../../protocol/channels/panel';
import type { BlockHost } from '../blocks/blockHost';
import type { Figures } from '../ui/createFigures';
import type { Formats, Translate } from '../ui/texts';
import type { FindState } from './find/findState';
import type { OutlineState } from './outline/outlineState';
import type { RepairState } from './repair/repairState';
import type { ConversationStore } from './state/conversationStore';
import type { ShownState } from './state/shownState';
import type { UsageState } from './state/usageState';

/** State and functions common to all parts of the panel. */
export interface ConversationApp {
  readonly host: PanelCalls;
  readonly store: ConversationStore;
  readonly find: FindState;
  readonly outline: OutlineState;
  readonly repair: RepairState;
  readonly shown: ShownState;
  readonly usage: UsageState;
  /** Made when it is first read, which is not before the first screen. */
  readonly figures: Figures;
  readonly subagentChanges: SubagentChanges;
  /** Closes what the person has opened in messages. */
  readonly foldAll: () => void;
  readonly t: Translate;
  readonly formats: Formats;
  readonly act: (action: PanelAction) => void;
  /** For the blocks of a transcript: the conversation's own (depth 0), or a subagent's at this nesting depth. */
  readonly blockHost: (filePath: string, depth: number) => BlockHost;
}

const Context = createContext<ConversationApp | null>(null);

export const ProvideApp = Context.Provider;

/** @throws if used outside the panel */
export function useApp(): ConversationApp {
  const app = useContext(Context);
  if (app === null) throw new Error('Failed to find the panel around a part of it');
  return app;
}

/** Counts changes of transcripts, for subagents that are shown under their calls. */
export class SubagentChanges {
  readonly #changes = new Map<string, Signal<number>>();

  /** Increases whenever the transcript changes. */
  of(filePath: string): Signal<number> {
    const known = this.#changes.get(filePath) ?? signal(0);
    this.#changes.set(filePath, known);
    return known;
  }

  notify(filePath: string): void {
    const known = this.#changes.get(filePath);
    if (known !== undefined) known.value++;
  }
}
