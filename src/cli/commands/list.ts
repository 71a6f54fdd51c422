import type { Activities } from '../../core/providers/provider';
import { createPacer } from '../../core/util/scheduling';
import { urgencyOf } from '../../protocol/sessionActivity';
import { describeSessionInfo, emptySessionInfo, type SessionInfo } from '../../protocol/sessionInfo';
import { type ListedTranscript, listTranscripts, mapInOrder, Progress, progressStream, totalOf } from '../batch';
import { defineCommand, READING_EXIT_CODES_HELP, UsageError } from '../command';
import { type CommandContext, configDirProblem, reportProblem } from '../context';
import { MAX_WORK_MS, openEngines, openReader } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { mayRun, sessionList } from '../report/listReport';
import { createPage } from '../report/page';
import { countSpending } from '../spending';

export const command = defineCommand({
  options: { running: { type: 'boolean' } },
  help,
  run(context, { values, positionals, isJson }) {
    if (positionals.length > 0) throw new UsageError('list takes no PATH: it lists the sessions of the config folder.');
    return list(context, { isRunningOnly: values.running === true, isJson });
  },
});

function help(name: string): string {
  return `Usage: ${name} list [--running] [--json]

Lists the sessions of $CLAUDE_CONFIG_DIR, else of ~/.claude, with what each is doing:
those that wait for you first, then those at work, then the others by their last
message. Nothing is changed.

A state with "?" is told by the last messages alone; for the others, the client, its
background job or its process says so. "ended": nothing says that the session runs.

Options:
      --running   only sessions that a client runs, or may run
      --json      print {"sessions": […]} on stdout
  -h, --help      show this help

${READING_EXIT_CODES_HELP}
`;
}

/** The disk limits reading and one thread limits parsing, so more would only cost memory. */
const READS_AT_ONCE = 2;

interface ListOptions {
  readonly isRunningOnly: boolean;
  readonly isJson: boolean;
}

async function list(context: CommandContext, { isRunningOnly, isJson }: ListOptions): Promise<ExitCode> {
  const { environment, configDir, out, err, signal } = context;
  const problem = await configDirProblem(configDir);
  if (problem !== null) {
    await err.write(`${problem}\n`);
    if (isJson) await out.writeJsonList('sessions', [], () => ({}));
    return EXIT_CODE.unusable;
  }
  const engine = (await openEngines(context)).default;
  const activities = engine.readActivities();
  const pacer = createPacer(MAX_WORK_MS);
  const found = await listTranscripts(engine, [], signal);
  const transcripts = isRunningOnly ? await onlyRunning(found, activities) : found;
  const progress = new Progress(progressStream(environment, isJson), 'Reading', totalOf(transcripts));
  const spending = await countSpending(context, transcripts);
  const sweptAt = await engine.readRetention();
  const unreadable: { readonly filePath: string; readonly problem: string }[] = [];

  const read = async ({ path: filePath, size }: ListedTranscript): Promise<SessionInfo | null> => {
    const reader = openReader({ filePath, engine, pacer }, activities, size);
    try {
      const overview = await reader.overview();
      if (overview === null) {
        unreadable.push({ filePath, problem: reader.problem ?? `${filePath} changes too fast to be read.` });
        return null;
      }
      const sweptMs = await sweptAt(filePath);
      return describeSessionInfo(overview, { spending: spending.get(filePath) ?? null, sweptMs });
    } finally {
      reader.close();
      progress.advance(size);
      progress.fileDone();
    }
  };

  const sessions: SessionInfo[] = [];
  try {
    for await (const info of mapInOrder(transcripts, { limit: READS_AT_ONCE, signal }, read)) {
      if (info !== null) sessions.push(info);
    }
    // A client has no transcript before its first prompt.
    const ids = new Set(found.map(({ id }) => id.toLowerCase()));
    for (const running of await activities.running()) {
      if (ids.has(running.sessionId)) continue;
      ids.add(running.sessionId);
      sessions.push(emptySessionInfo({ ...running, ...(await activities.of(running.filePath, null)) }));
    }
  } finally {
    progress.stop();
  }
  const shown = isRunningOnly ? sessions.filter(mayRun) : sessions;
  shown.sort(byUrgency);
  if (isJson) await out.writeJsonList('sessions', shown, () => ({}));
  else if (!signal.aborted) {
    for (const part of sessionList(shown, isRunningOnly, createPage(environment))) await out.write(part);
  }
  for (const each of unreadable) await reportProblem(context, each.filePath, each.problem, []);
  return unreadable.length > 0 ? EXIT_CODE.unusable : EXIT_CODE.ok;
}

async function onlyRunning(
  found: readonly ListedTranscript[],
  activities: Pick<Activities, 'of'>,
): Promise<readonly ListedTranscript[]> {
  const running: ListedTranscript[] = [];
  for (const each of found) if ((await activities.of(each.path, null)).live !== 'not-live') running.push(each);
  return running;
}

function byUrgency(a: SessionInfo, b: SessionInfo): number {
  return (
    urgencyOf(a.state) - urgencyOf(b.state) ||
    (b.updatedAt ?? b.since ?? '').localeCompare(a.updatedAt ?? a.since ?? '')
  );
}
