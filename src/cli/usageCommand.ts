import { type CountedPaths, countPaths } from '../core/usage/countPaths';
import { describeReport, LocalDays } from '../core/usage/describeReport';
import { PriceBook } from '../core/usage/prices';
import type { UsageRow } from '../protocol/usage';
import { absolutePaths, type CommandContext, reportProblem } from './commandContext';
import { spendingJson, usageRowJson } from './contract';
import { EXIT_CODE, type ExitCode } from './exitCode';
import type { UsageQuestion } from './parseUsage';
import { configDirProblem } from './paths';
import { Progress, progressStream } from './progress';
import { createPage } from './report/page';
import { usageReport } from './report/usageReport';

/** @param paths as the person gave them; none means the config folder */
export async function usageCommand(
  context: CommandContext,
  { by, timeZone }: UsageQuestion,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, out, err, signal } = context;
  const problem = paths.length === 0 ? await configDirProblem(context.configDir) : null;
  if (problem !== null) await err.write(`${problem}\n`);
  const asked = paths.length === 0 ? [context.configDir] : absolutePaths(context, paths);
  const counted = await count(context, problem === null ? asked : [], isJson);
  if (counted === null || signal.aborted) return EXIT_CODE.unusable;
  const report = describeReport(counted.book, by, new LocalDays(timeZone), new PriceBook({}));
  if (isJson) await out.writeJsonDocument('rows', each(report.rows), () => ({ totals: spendingJson(report.totals) }));
  else if (problem === null) await out.write(usageReport(report, by, timeZone, createPage(environment)));
  for (const { filePath, problem: why } of counted.unreadable) await reportProblem(context, filePath, why, paths);
  return problem !== null || counted.unreadable.length > 0 ? EXIT_CODE.unusable : EXIT_CODE.ok;
}

/** Null when it was interrupted: a part of the figures would be taken for all of them. */
async function count(
  { engines, environment, signal }: CommandContext,
  paths: readonly string[],
  isJson: boolean,
): Promise<CountedPaths | null> {
  let progress: Progress | null = null;
  try {
    return await countPaths(paths, {
      createScanner: engines.default.createScanner,
      signal,
      onListed: (total) => {
        progress = new Progress(progressStream(environment, isJson), 'Counting', total);
      },
      onCounted: (bytes) => {
        progress?.advance(bytes);
        progress?.fileDone();
      },
    });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    // Assigned in a callback, which the compiler does not follow.
    (progress as Progress | null)?.stop();
  }
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* each(rows: readonly UsageRow[]): AsyncGenerator<object> {
  for (const row of rows) yield usageRowJson(row);
}
