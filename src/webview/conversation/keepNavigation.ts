import { effect } from '@preact/signals';
import { dependOn } from '../ui/dependOn';
import type { Host } from './connectHost';
import type { HostChannel } from './hostChannel';
import type { ConversationStore } from './state/conversationStore';

/** A reader who scrolls is somewhere else with every frame. */
const QUIET_MS = 250;

/** Tells the host where the reader is, for the next time; of another view at once: the page may be gone in a moment. */
export function keepNavigation(store: ConversationStore, host: Host, channel: HostChannel): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let told = store.view.peek();
  const tell = (): void => {
    const position = store.position.peek();
    const view = store.view.peek();
    const line = store.readingLine();
    if (position.kind === 'item' && line === null && view === told) return;
    told = view;
    const at = position.kind === 'end' || line === null ? null : { line, offsetPx: position.offsetPx };
    const navigation = { view, at };
    channel.saveState({ filePath: store.filePath, ...navigation });
    void host.navigated(navigation);
  };
  effect(() => {
    dependOn(store.position, store.view);
    clearTimeout(timer);
    timer = setTimeout(tell, store.view.peek() === told ? QUIET_MS : 0);
  });
}
