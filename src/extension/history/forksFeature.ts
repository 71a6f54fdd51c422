import { stat } from 'node:fs/promises';
import * as v from 'valibot';
import { panelSchemas } from '../../protocol/channels/panel';
import type { ConversationView } from '../../protocol/conversation';
import type { CommandRunner } from '../commands/windowRunner';
import { readResumeEnvironment, readResumeRepair } from '../config/configuration';
import type { ActingPanel } from '../conversation/conversationActions';
import type { ConversationTarget } from '../conversation/conversationLink';
import type { ConversationPanels } from '../conversation/conversationPanels';
import type { RepairCommands } from '../repair/repairCommands';
import type { WorkerClient } from '../rpc/workerClient';
import type { Log, Translate } from '../services';
import type { SessionsModel } from '../sessions/sessionsModel';
import { type NamedSession, sessionAt } from '../sessions/sessionsState';
import type { Formats } from '../text/formats';
import { windowDialogs } from '../window/windowDialogs';
import { ForkFlow } from './forkFlow';
import { ResumeFlow } from './resumeFlow';
import { runInTerminal } from './terminals';

export interface ForksFeatureDeps {
  readonly client: Pick<WorkerClient, 'history' | 'conversation' | 'sessions'>;
  readonly model: Pick<SessionsModel, 'snapshot' | 'scanAll'>;
  readonly panels: () => Pick<ConversationPanels, 'hold'>;
  readonly repairs: Pick<RepairCommands, 'repair' | 'repairFirst'>;
  readonly open: (target: ConversationTarget) => void;
  readonly run: CommandRunner;
  readonly formats: Formats;
  readonly log: Log;
  readonly t: Translate;
}

const ROW = v.object({ filePath: panelSchemas.PATH, line: panelSchemas.LINE });
const FILE: ConversationView = { kind: 'file' };

/** Going on with a session, or beside it: resuming and forks, which offer each other. */
export class ForksFeature {
  readonly #deps: ForksFeatureDeps;
  readonly #forks: ForkFlow;
  readonly #resumes: ResumeFlow;

  constructor(deps: ForksFeatureDeps) {
    this.#deps = deps;
    const { client, model, repairs, open, formats, log, t } = deps;
    const common = { dialogs: windowDialogs, formats, t };
    this.#resumes = new ResumeFlow({
      ...common,
      details: (filePath) => client.sessions.details(filePath),
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
      hold: (filePath) => deps.panels().hold(filePath),
      open,
      resume: (session) => deps.run('rethread.resumeInTerminal', () => this.#resumes.resume(session)),
      onForked: () => void model.scanAll(),
      now: Date.now,
      log,
    });
  }

  fork(session: NamedSession): Promise<void> {
    return this.#forks.forkSession(session);
  }

  /** @param argument  `{ filePath, line }`, as another extension or a key binding may name a row */
  async forkFromHere(argument: unknown): Promise<void> {
    const row = v.safeParse(ROW, argument);
    if (!row.success) return;
    const { filePath, line } = row.output;
    const { client, model, panels } = this.#deps;
    const held = panels().hold(filePath);
    try {
      await client.conversation.openConversation(filePath, FILE);
      await this.#forks.forkFromRow(sessionAt(model.snapshot, filePath), { view: FILE, line });
    } finally {
      held.dispose();
    }
  }

  forkFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    const { model, run } = this.#deps;
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
