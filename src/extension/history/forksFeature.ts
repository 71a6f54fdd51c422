import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { ConversationView } from '../../protocol/conversation';
import type { ActingPanel } from '../conversation/conversationPanel';
import type { ConversationPanels } from '../conversation/conversationPanels';
import type { Services } from '../services';
import { type NamedSession, sessionAt } from '../sessions/sessionsState';
import { ForkFlow } from './forkFlow';

const ROW = v.object({ filePath: panelSchemas.PATH, line: panelSchemas.LINE });
const FILE: ConversationView = { kind: 'file' };

/** Forking sessions. */
export class ForksFeature {
  readonly #forks: ForkFlow;

  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
    resume: (session: NamedSession) => Promise<void>,
  ) {
    const { client, model, run, dialogs, formats, log, now, t } = services;
    this.#forks = new ForkFlow({
      ...{ dialogs, formats, log, now, t },
      forks: client.history,
      conversations: client.conversation,
      hold: (filePath) => panels.hold(filePath),
      open: (target) => {
        panels.open(target);
      },
      resume: (session) => run('rethread.resumeInTerminal', () => resume(session)),
      onForked: () => void model.scanAll(),
    });
  }

  fork(session: NamedSession): Promise<void> {
    return this.#forks.forkSession(session);
  }

  /** @param argument  `{ filePath, line }`, from another extension or a key binding */
  async forkFromHere(argument: unknown): Promise<void> {
    const row = v.safeParse(ROW, argument);
    if (!row.success) return;
    const { filePath, line } = row.output;
    const { client, model } = this.services;
    const held = this.panels.hold(filePath);
    try {
      await client.conversation.openConversation(filePath, FILE);
      await this.#forks.forkFromRow(sessionAt(model.snapshot, filePath), { view: FILE, line });
    } finally {
      held.dispose();
    }
  }

  forkFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    const { model, run } = this.services;
    return run('rethread.forkFromHere', () =>
      this.#forks.forkFromRow(head ?? sessionAt(model.snapshot, filePath), { view, line }),
    );
  }
}
