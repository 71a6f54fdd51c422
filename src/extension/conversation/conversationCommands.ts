import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { ConversationTarget } from './conversationLink';
import type { ConversationPanels } from './conversationPanels';
import { exportConversation } from './exportConversation';
import { searchConversations } from './searchConversations';
import { isTranscriptOf } from './transcriptPaths';

const { LINE, PATH } = panelSchemas;
const TARGET = v.object({ filePath: PATH, line: v.optional(v.nullable(LINE), null) });

/** Opens, searches, exports and links conversations. */
export class ConversationCommands {
  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
  ) {}

  /** The target `{ filePath, line }` of a link in a document; null if it is not a link to a transcript. */
  targetOf(argument: unknown): ConversationTarget | null {
    const target = v.safeParse(TARGET, argument);
    const configDir = this.services.configDir();
    const isKnown = target.success && configDir !== null && isTranscriptOf(configDir, target.output.filePath);
    return isKnown ? target.output : null;
  }

  /** Opens the session's panel, or brings it to the front. */
  open(target: ConversationTarget): Promise<void> {
    this.panels.open(target);
    return Promise.resolve();
  }

  /** Opens the find bar of the focused panel. */
  find(): Promise<void> {
    this.panels.active?.openFind();
    return Promise.resolve();
  }

  search(): Promise<void> {
    return searchConversations(this.services, this.panels);
  }

  /** Exports the session in the view that its panel shows, if it has a panel. */
  export(session: NamedSession): Promise<void> {
    const { path: filePath } = session;
    const view = this.panels.at(filePath)?.navigation.view ?? { kind: 'chain' };
    return exportConversation({ filePath, view, title: sessionLabel(session, this.services.t) }, this.services);
  }

  /** The conversation of the focused panel; null if no panel has the focus. */
  get focused(): NamedSession | null {
    return this.panels.active?.head ?? null;
  }
}
