import { h } from 'preact';
import type { PanelCalls, PanelStart } from '../../protocol/channels/panel';
import type { BlockHost } from '../blocks/blockHost';
import { createFormats, createTranslate } from '../ui/texts';
import { type ConversationApp, SubagentChanges } from './conversationApp';
import { FindState } from './find/findState';
import { SubagentView } from './list/SubagentView';
import { OutlineState } from './outline/outlineState';
import { ConversationStore } from './state/conversationStore';
import { ExpandedRows } from './state/expandedRows';

/** Subagents can start subagents; deeper ones open in a separate panel. */
const MAX_SUBAGENT_DEPTH = 3;

export function createApp(host: PanelCalls, start: PanelStart): ConversationApp {
  const store = new ConversationStore(host, start);
  const expanded = new ExpandedRows();
  const find = new FindState(host, store, expanded);
  const t = createTranslate(start.texts);
  const act: ConversationApp['act'] = (action) => {
    host.act(action).catch((error: unknown) => {
      store.undone.value = error instanceof Error ? error.message : String(error);
    });
  };
  const blockHosts = new Map<string, BlockHost>();
  const createBlockHost = (filePath: string, depth: number): BlockHost => ({
    filePath,
    locale: start.locale,
    t,
    text: (line, path) => host.text(filePath, line, path),
    image: (line, path) => host.image(filePath, line, path),
    persisted: (path) => host.persisted(path),
    act,
    expanded: expanded.of(filePath),
    subagent: (path, leafLine) =>
      depth < MAX_SUBAGENT_DEPTH ? h(SubagentView, { key: path, filePath: path, leafLine, depth: depth + 1 }) : null,
    found: depth === 0 ? (line) => find.found(line) : () => null,
    reached: () => find.reached.value,
  });
  return {
    host,
    store,
    find,
    outline: new OutlineState(host, store),
    subagentChanges: new SubagentChanges(),
    t,
    formats: createFormats(start.locale),
    act,
    blockHost: (filePath, depth) => {
      const key = `${depth} ${filePath}`;
      const made = blockHosts.get(key) ?? createBlockHost(filePath, depth);
      blockHosts.set(key, made);
      return made;
    },
  };
}
