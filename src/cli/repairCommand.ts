import type { RepairOutcome } from '../protocol/repair';
import { absolutePaths, type CommandContext, reportProblem } from './commandContext';
import { repairResultJson } from './contract';
import { type ExitCode, isInputProblem, RepairVerdict } from './exitCode';
import { type ListedTranscript, listTranscripts } from './listTranscripts';
import { mapInOrder } from './mapInOrder';
import { Progress, progressStream } from './progress';
import { createPage } from './report/page';
import { outcomeReport, type RepairMode, repairSummary } from './report/repairReport';

const LABELS = { apply: 'Repairing', 'dry-run': 'Planning', undo: 'Restoring' } as const;

/** @param paths as the person gave them, at least one */
export async function repairCommand(
  context: CommandContext,
  paths: readonly string[],
  mode: RepairMode,
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, engines, out, signal } = context;
  const named = new Set(absolutePaths(context, paths));
  const transcripts = await listTranscripts(engines.default, [...named], signal);
  const progress = new Progress(progressStream(environment, isJson), LABELS[mode], {
    files: transcripts.length,
    bytes: transcripts.reduce((sum, { size }) => sum + size, 0),
  });
  const verdict = new RepairVerdict(mode === 'dry-run');
  const counts = { changed: 0, healthy: 0, refused: 0, unusable: 0 };
  const problems: { filePath: string; problem: string }[] = [];

  async function* outcomes(): AsyncGenerator<RepairOutcome> {
    // One at a time: a stop leaves no second file under way, and what is reported is in order.
    const each = mapInOrder(transcripts, { limit: 1, signal }, async (transcript) => {
      const outcome = await work(transcript);
      progress.advance(transcript.size);
      progress.fileDone();
      return outcome;
    });
    for await (const outcome of each) {
      const { result } = outcome;
      // Who undoes a whole folder means the sessions in it that were repaired.
      if (mode === 'undo' && result.reason === 'no-backup' && !named.has(result.filePath)) continue;
      verdict.add(result);
      if (isInputProblem(result)) counts.unusable += 1;
      else if (result.status === 'failed') counts.refused += 1;
      else if (result.status === 'repaired') counts.changed += 1;
      else counts.healthy += 1;
      const problem = outcome.problem ?? (result.status === 'failed' ? `${result.reason ?? 'failed'}.` : null);
      // The report says it, but a document has no room for sentences.
      if (problem !== null && (isJson || isInputProblem(result))) problems.push({ filePath: result.filePath, problem });
      yield outcome;
    }
    progress.stop();
  }

  function work(transcript: ListedTranscript): Promise<RepairOutcome> {
    const { filePath } = transcript;
    const engine = engines.for(transcript);
    if (mode === 'dry-run') return engine.planRepair(filePath);
    return mode === 'undo' ? engine.undoRepair(filePath) : engine.repair(filePath);
  }

  try {
    if (isJson) await out.writeJsonDocument('results', resultsOf(outcomes()), () => ({}));
    else {
      const page = createPage(environment);
      // A repair that is done stands, so it is told even when the rest was stopped.
      const reports: string[] = [];
      for await (const outcome of outcomes()) {
        const report = isInputProblem(outcome.result) ? null : outcomeReport(outcome, mode, page);
        if (report !== null) reports.push(report);
      }
      await out.write([...reports, repairSummary(counts, mode, paths, page)].join('\n\n'));
    }
  } finally {
    progress.stop();
  }
  for (const each of problems) await reportProblem(context, each.filePath, each.problem, paths);
  return verdict.exitCode();
}

async function* resultsOf(outcomes: AsyncIterable<RepairOutcome>): AsyncGenerator<object> {
  for await (const { result } of outcomes) yield repairResultJson(result);
}
