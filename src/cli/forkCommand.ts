import { randomUUID } from 'node:crypto';
import { createForks } from '../core/history/fork/forks';
import { nodeWriteFs } from '../core/storage/writeFs';
import { createFileScanner } from '../core/transcript/scanFile';
import type { ForkFailureReason, ForkResult } from '../protocol/history';
import { type CommandContext, reportProblem } from './commandContext';
import { EXIT_CODE, type ExitCode } from './exitCode';
import type { ForkCut } from './parseFork';
import { readingParts } from './readingParts';
import { forkReport } from './report/forkReport';
import { createPage } from './report/page';

/** What was handed in is of no use; whatever else is said is about the session or the disk. */
const INPUT_PROBLEMS: ReadonlySet<ForkFailureReason> = new Set(['unknown-row', 'missing', 'unreadable']);

/** @param file as the person gave it */
export async function forkCommand(
  context: CommandContext,
  file: string,
  cut: ForkCut,
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, configDir, out } = context;
  const { filePath, engine, pacer } = readingParts(context, file);
  const forks = createForks({
    scanFile: createFileScanner(engine.createScanner, pacer),
    configDir: () => configDir,
    write: { fs: nodeWriteFs, now: environment.now, random: randomUUID },
    random: randomUUID,
  });
  const outcome = await forks.fork({ ...cut, filePath });
  if (outcome.kind === 'forked') {
    if (isJson) await out.write(`${JSON.stringify(resultJson(outcome.result), null, 2)}\n`);
    else await out.write(forkReport(outcome, createPage(environment)));
    if (isJson && outcome.warning !== null) {
      await reportProblem(context, outcome.result.filePath, outcome.warning, []);
    }
    return EXIT_CODE.ok;
  }
  const { reason, problem } = outcome;
  if (isJson) await out.write(`${JSON.stringify({ reason, problem }, null, 2)}\n`);
  await reportProblem(context, filePath, problem, [file]);
  return INPUT_PROBLEMS.has(reason) ? EXIT_CODE.unusable : EXIT_CODE.found;
}

function resultJson({ sessionId, filePath, parentSessionId, rowsCopied }: ForkResult): ForkResult {
  return { sessionId, filePath, parentSessionId, rowsCopied };
}
