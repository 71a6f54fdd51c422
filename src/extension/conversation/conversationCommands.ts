import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { SessionSummary } from '../../protocol/channels/sessions';
import { sessionLabel } from '../text/sessionTitle';
import type { ConversationTarget } from './conversationLink';
import type { ConversationPanels } from './conversationPanels';
import { exportConversation, type ExportConversationDeps } from './exportConversation';
import { searchConversations, type SearchConversationsDeps } from './searchConversations';
import { isTranscriptOf } from './transcriptPaths';

export type ConversationCommandsDeps = Omit<SearchConversationsDeps & ExportConversationDeps, 'open'> & {
  readonly panels: ConversationPanels;
  /** Absolute path of Claude Code's config folder; null when the setting names none. */
  readonly configDir: () => string | null;
};

const { LINE, PATH } = panelSchemas;
const TARGET = v.object({ filePath: PATH, line: v.optional(v.nullable(LINE), null) });

/** Reading conversations, searching them, and taking them elsewhere. */
export class ConversationCommands {
  readonly #deps: ConversationCommandsDeps;

  constructor(deps: ConversationCommandsDeps) {
    this.#deps = deps;
  }

  open(session: Pick<SessionSummary, 'filePath'>): Promise<void> {
    this.#deps.panels.open({ filePath: session.filePath, line: null });
    return Promise.resolve();
  }

  /** What a link in a document names, `{ filePath, line }`; null when it is none to a transcript. */
  targetOf(argument: unknown): ConversationTarget | null {
    const target = v.safeParse(TARGET, argument);
    const configDir = this.#deps.configDir();
    const isKnown = target.success && configDir !== null && isTranscriptOf(configDir, target.output.filePath);
    return isKnown ? target.output : null;
  }

  openAt(target: ConversationTarget): Promise<void> {
    this.#deps.panels.open(target);
    return Promise.resolve();
  }

  /** In the panel that has the focus. */
  find(): Promise<void> {
    this.#deps.panels.active?.openFind();
    return Promise.resolve();
  }

  search(): Promise<void> {
    const { panels } = this.#deps;
    return searchConversations({
      ...this.#deps,
      open: (target) => {
        panels.open(target);
      },
    });
  }

  /** The session, in the view that its panel shows where it has one. */
  export(session: Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'>): Promise<void> {
    const { panels, t } = this.#deps;
    const { filePath } = session;
    const view = panels.at(filePath)?.navigation.view ?? { kind: 'chain' };
    return exportConversation({ filePath, view, title: sessionLabel(session, t) }, this.#deps);
  }

  /** The conversation of the panel that has the focus; null when none has. */
  get focused(): Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'> | null {
    return this.#deps.panels.active?.head ?? null;
  }
}
