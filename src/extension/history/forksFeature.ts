import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { ConversationView } from '../../protocol/conversation';
import type { ActingPanel } from '../conversation/conversationPanel';
import type { ConversationPanels } from '../conversation/conversationPanels';
import type { Services } from '../services';
import { allSessions, type NamedSession, sessionAt } from '../sessions/sessionsState';
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
      info: (session) => client.sessions.info(session),
      conversations: client.conversation,
      hold: (filePath) => panels.hold(filePath),
      open: (target) => {
        panels.open(target);
      },
      resume: (session) => run('rethread.resumeInTerminal', () => resume(session)),
      titles: () => new Set(allSessions(model.snapshot).flatMap(({ title }) => title ?? [])),
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
    await this.#whileOpen(filePath, () =>
      this.#forks.forkFromRow(sessionAt(this.services.model.snapshot, filePath), { view: FILE, line }),
    );
  }

  /** Forks after the message on a line, whatever Claude remembers of it, and opens the fork. */
  async forkAfter(session: NamedSession, line: number): Promise<void> {
    await this.#whileOpen(session.path, () => this.#forks.forkAfter(session, { view: FILE, line }));
  }

  async #whileOpen(filePath: string, work: () => Promise<void>): Promise<void> {
    const held = this.panels.hold(filePath);
    try {
      await this.services.client.conversation.openConversation(filePath, FILE);
      await work();
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
