import * as vscode from 'vscode';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import type { CurrentSession } from '../sessions/currentSession';
import { sessionAt } from '../sessions/sessionsState';
import { liveSessionOf, TasksModel, type TasksState } from './tasksModel';
import { TasksView } from './tasksView';

/** The Tasks view and the commands on its items. */
export class TasksFeature extends Disposable {
  readonly #tasks: TasksModel;

  constructor(
    services: Services,
    private readonly panels: ConversationPanels,
    current: CurrentSession,
  ) {
    super();
    const { client, model, describe, t } = services;
    this.#tasks = this._register(
      new TasksModel({
        client,
        session: () =>
          current.filePath === null ? liveSessionOf(model.snapshot) : sessionAt(model.snapshot, current.filePath),
        describe,
        stoppedText: () =>
          t('What reads the transcripts has stopped several times in a row. Refresh the sessions to try again.'),
      }),
    );
    const moved = (): void => {
      this.#tasks.sessionMoved();
    };
    this._register(current.onChange(moved));
    this._register(model.onChange(moved));
    this._register(new TasksView(services, this.#tasks));
  }

  get state(): TasksState {
    return this.#tasks.state;
  }

  /** Called when the config folder changed, after the worker was reconfigured. */
  reconfigure(): void {
    this.#tasks.reopen();
  }

  /** `argument`: an item of the view. */
  async copy(argument: unknown): Promise<void> {
    const subject = subjectOf(argument);
    if (subject !== null) await vscode.env.clipboard.writeText(subject);
  }

  /** `argument`: an item of the view that is about a subagent. */
  openSubagent(argument: unknown): Promise<void> {
    const task = taskOf(argument);
    const transcript = task?.['transcript'];
    if (typeof transcript === 'string') this.panels.open({ filePath: transcript, line: null });
    return Promise.resolve();
  }
}

function subjectOf(argument: unknown): string | null {
  const subject = taskOf(argument)?.['subject'];
  return typeof subject === 'string' ? subject : null;
}

/** Accepts anything, since a key binding can pass any argument. */
function taskOf(argument: unknown): Readonly<Record<string, unknown>> | null {
  if (!isRecord(argument) || argument['kind'] !== 'task') return null;
  const { task } = argument;
  return isRecord(task) ? task : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
