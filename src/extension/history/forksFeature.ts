import { stat } from 'node:fs/promises';
import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { ConversationView } from '../../protocol/conversation';
import { readResumeEnvironment, readResumeRepair } from '../config/configuration';
import type { ActingPanel, ConversationPanels } from '../conversation/conversationPanels';
import type { RepairCommands } from '../repair/repairCommands';
import type { Services } from '../services';
import { type NamedSession, sessionAt } from '../sessions/sessionsState';
import { ForkFlow } from './forkFlow';
import { ResumeFlow } from './resumeFlow';
import { runInTerminal } from './terminals';

const ROW = v.object({ filePath: panelSchemas.PATH, line: panelSchemas.LINE });
const FILE: ConversationView = { kind: 'file' };

/** Resuming and forking sessions. Each of the two offers the other. */
export class ForksFeature {
  readonly #forks: ForkFlow;
  readonly #resumes: ResumeFlow;

  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
    repairs: RepairCommands,
  ) {
    const { client, model, run, dialogs, formats, log, now, t } = services;
    const common = { dialogs, formats, log, now, t };
    this.#resumes = new ResumeFlow({
      ...common,
      details: (session) => client.sessions.details(session),
      isFolder,
      repairMode: readResumeRepair,
      repair: (session) => repairs.repairFirst(session),
      previewRepair: (session) => repairs.repair(session),
      fork: (session) => this.#forks.forkSession(session),
      environment: readResumeEnvironment,
      runInTerminal,
    });
    this.#forks = new ForkFlow({
      ...common,
      forks: client.history,
      conversations: client.conversation,
      hold: (filePath) => panels.hold(filePath),
      open: (target) => {
        panels.open(target);
      },
      resume: (session) => run('rethread.resumeInTerminal', () => this.#resumes.resume(session)),
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

  resume(session: NamedSession): Promise<void> {
    return this.#resumes.resume(session);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
