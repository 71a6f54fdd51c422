import { NO_LIMITS, SessionTasks } from '../core/conversation/tasks/sessionTasks';
import type { Task, TaskList } from '../protocol/task';
import { type CommandContext, reportProblem } from './commandContext';
import { EXIT_CODE, type ExitCode } from './exitCode';
import { readingParts } from './readingParts';
import { createPage } from './report/page';
import { tasksReport } from './report/tasksReport';

/** @param file as the person gave it */
export async function tasksCommand(context: CommandContext, file: string, isJson: boolean): Promise<ExitCode> {
  const { filePath, engine, pacer } = readingParts(context, file);
  const live = await engine.liveSessions();
  const isLive = (sessionId: string): boolean => live.has(sessionId);
  const tasks = new SessionTasks({ filePath, createScanner: engine.createScanner, pacer, isLive });
  try {
    await tasks.refresh();
    const list = tasks.list(NO_LIMITS);
    if (list.problem !== null) {
      await reportProblem(context, filePath, list.problem, [file]);
      return EXIT_CODE.unusable;
    }
    if (isJson) await context.out.writeJsonDocument('tasks', each(list.tasks), () => tailJson(list));
    else await context.out.write(tasksReport(list, createPage(context.environment)));
    return EXIT_CODE.ok;
  } finally {
    tasks.close();
  }
}

function tailJson(list: TaskList): object {
  const { sessionId, filePath, title, isLive, source, origin, progress, history, moreHistory, notes } = list;
  return { sessionId, filePath, title, isLive, source, origin, progress, history, moreHistory, notes };
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* each(tasks: readonly Task[]): AsyncGenerator<Task> {
  yield* tasks;
}
