import { createMatcher } from '../core/conversation/search/textMatcher';
import type { SearchMatch, SearchOutcome, SearchQuery } from '../protocol/channels/search';
import { absolutePaths, type CommandContext, reportProblem } from './commandContext';
import { searchMatchJson } from './contract';
import { EXIT_CODE, type ExitCode } from './exitCode';
import { configDirProblem } from './paths';
import { Progress, progressStream } from './progress';
import { createPage } from './report/page';
import { matchReport, searchSummary } from './report/searchReport';
import { UsageError } from './usageError';

/** @param paths as the person gave them; none means the config folder */
export async function searchCommand(
  context: CommandContext,
  query: SearchQuery,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, engines, out, err, signal } = context;
  const matcher = createMatcher(query);
  if (matcher.kind === 'problem') throw new UsageError(matcher.problem, 'search');
  const problem = paths.length === 0 ? await configDirProblem(context.configDir) : null;
  if (problem !== null) {
    await err.write(`${problem}\n`);
    if (isJson) await out.writeJsonDocument('matches', nothing(), () => ({}));
    return EXIT_CODE.unusable;
  }
  let outcome: SearchOutcome | null = null;
  const stream = progressStream(environment, isJson);

  async function* matches(): AsyncGenerator<SearchMatch> {
    let progress: Progress | null = null;
    let bytesDone = 0;
    let sessionsDone = 0;
    const updates = engines.default.search(query, { paths: absolutePaths(context, paths), signal });
    try {
      for (;;) {
        const step = await updates.next();
        if (step.done === true) {
          outcome = step.value;
          return;
        }
        const { matches: found, progress: state } = step.value;
        const total = { files: state.sessionsTotal, bytes: state.bytesTotal };
        // Lines of a report would be torn by a bar on the same terminal.
        if (found.length > 0 && environment.stdout.isTTY === true) progress?.stop();
        else progress ??= new Progress(stream, 'Searching', total);
        progress?.advance(state.bytesDone - bytesDone);
        for (; sessionsDone < state.sessionsDone; sessionsDone++) progress?.fileDone();
        bytesDone = state.bytesDone;
        yield* found;
      }
    } finally {
      progress?.stop();
    }
  }

  if (isJson) await out.writeJsonDocument('matches', jsonOf(matches()), () => ({}));
  else {
    const page = createPage(environment);
    let last: string | null = null;
    for await (const match of matches()) {
      await out.write(matchReport(match, match.filePath !== last, page));
      last = match.filePath;
    }
  }
  return conclude(context, outcome, paths, isJson);
}

async function conclude(
  context: CommandContext,
  outcome: SearchOutcome | null,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  if (outcome === null) return EXIT_CODE.unusable;
  if (!isJson && !outcome.isCancelled) await context.out.write(searchSummary(outcome));
  for (const { filePath, problem } of outcome.unreadable) await reportProblem(context, filePath, problem, paths);
  return outcome.unreadable.length > 0 ? EXIT_CODE.unusable : EXIT_CODE.ok;
}

async function* jsonOf(matches: AsyncIterable<SearchMatch>): AsyncGenerator<object> {
  for await (const match of matches) yield searchMatchJson(match);
}

async function* nothing(): AsyncGenerator<object> {
  // A document with an empty list.
}
