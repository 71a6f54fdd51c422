import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { SessionSummary } from '../../protocol/channels/sessions';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import type { ConversationTarget } from './conversationLink';
import type { ConversationPanels } from './conversationPanels';
import { exportConversation } from './exportConversation';
import { searchConversations } from './searchConversations';
import { isTranscriptOf } from './transcriptPaths';

const { LINE, PATH } = panelSchemas;
const TARGET = v.object({ filePath: PATH, line: v.optional(v.nullable(LINE), null) });

/** Reading conversations, searching them, and taking them elsewhere. */
export class ConversationCommands {
  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
  ) {}

  /** What a link in a document names, `{ filePath, line }`; null when it is none to a transcript. */
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

  /** In the panel that has the focus. */
  find(): Promise<void> {
    this.panels.active?.openFind();
    return Promise.resolve();
  }

  search(): Promise<void> {
    return searchConversations(this.services, this.panels);
  }

  /** The session, in the view that its panel shows where it has one. */
  export(session: Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'>): Promise<void> {
    const { filePath } = session;
    const view = this.panels.at(filePath)?.navigation.view ?? { kind: 'chain' };
    return exportConversation({ filePath, view, title: sessionLabel(session, this.services.t) }, this.services);
  }

  /** The conversation of the panel that has the focus; null when none has. */
  get focused(): Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'> | null {
    return this.panels.active?.head ?? null;
  }
}
