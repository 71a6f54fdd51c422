import { watchSessions } from '../../core/sessions/watchSessions';
import { diskSessionFiles } from '../../core/util/diskFiles';
import { createPacer, systemClock } from '../../core/util/scheduling';
import { type Command, WAS_ENDED } from '../command';
import { absolutePaths, type CommandContext, reportProblem } from '../context';
import { MAX_WORK_MS, openEngines } from '../engines';
import { toJson } from '../environment';
import { createPage } from '../report/page';
import { resultJson } from '../report/scanJson';
import { changeLine, toSessionRow } from '../report/scanReport';

interface WatchOptions {
  readonly isJson: boolean;
  /** The client that the person named. */
  readonly client: string | undefined;
}

/**
 * Prints a line for each session, and again whenever its result changes, until the command is interrupted.
 *
 * @param paths as the person entered them; none means the config folder
 */
export async function watchScans(
  context: CommandContext,
  paths: readonly string[],
  { isJson, client }: WatchOptions,
): ReturnType<Command['run']> {
  const { environment, out, signal } = context;
  const provider = (await openEngines(context, client)).default;
  const clock = environment.clock ?? systemClock;
  const deps = { provider, files: diskSessionFiles, clock, pacer: createPacer(MAX_WORK_MS) };
  for await (const { session, live, projectFolder } of watchSessions(absolutePaths(context, paths), deps, signal)) {
    const { result, problem } = session;
    if (isJson) {
      await out.write(`${toJson(resultJson(result, live))}\n`);
      if (problem !== null && result.status === 'unreadable') {
        await reportProblem(context, result.filePath, problem, paths);
      }
    } else {
      // Its width and time are those of this moment.
      const page = createPage(environment);
      await out.write(changeLine(toSessionRow(session, projectFolder, new Map()), problem, page));
    }
  }
  return WAS_ENDED;
}
