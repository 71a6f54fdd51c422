import type { LoadCount, RepairOutcome, RepairPlanOutcome, SessionRepairResult } from '../../protocol/repair';
import type { Engine } from '../../core/engine';
import { type ListedTranscript, listTranscripts, mapInOrder, Progress, progressStream, totalOf } from '../batch';
import {
  checkClient,
  checkPaths,
  CLIENT_HELP,
  defineCommand,
  EXIT_CODES_HELP,
  PATHS_HELP,
  UsageError,
} from '../command';
import { absolutePaths, type CommandContext, reportProblem } from '../context';
import { countMemory, openEngines } from '../engines';
import { isRequestCode } from '../../core/diagnose/poison/diagnoseRequest';
import { CHECKS } from '../../core/diagnose/verdict';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import { outcomeReport, type RepairMode, type RepairReport, repairSummary } from '../report/repairReport';

export const command = defineCommand({
  options: {
    'dry-run': { type: 'boolean' },
    undo: { type: 'boolean' },
    'allow-live': { type: 'boolean' },
    class: { type: 'string' },
    client: { type: 'string' },
  },
  help,
  run(context, { values, positionals, isJson }) {
    if (positionals.length === 0) {
      throw new UsageError('repair needs a PATH: a transcript, a project folder or a config folder.');
    }
    checkPaths(positionals);
    const isDryRun = values['dry-run'] === true;
    if (isDryRun && values.undo === true) throw new UsageError('--dry-run and --undo exclude each other.');
    const mode = isDryRun ? 'dry-run' : values.undo === true ? 'undo' : 'apply';
    const code = values.class ?? null;
    if (code === '') throw new UsageError('--class needs the code of a finding, which scan names.');
    if (code !== null && !isFindingCode(code)) throw new UsageError(`No finding has the code ${code}.`);
    if (code !== null && mode === 'undo') throw new UsageError('--class and --undo exclude each other.');
    const mayBeLive = values['allow-live'] === true;
    return repair(context, positionals, { mode, isJson, code, mayBeLive, client: checkClient(values.client) });
  },
});

function help(name: string): string {
  return `Usage: ${name} repair PATH… [--dry-run | --undo] [--allow-live] [--class CODE]
              [--client V] [--json]

Mends broken sessions. Only the bytes that must change change, and the original is
kept beside the transcript as <file>.backup-<time>. A session that is running, or may
be, is refused.

${PATHS_HELP}

Options:
      --dry-run   show every edit and change nothing
      --undo      put the newest backup back; in a folder, of every session that has one
      --allow-live
                  also a session that may be running; one that certainly runs is refused
      --class CODE
                  only what findings with this code are about
${CLIENT_HELP}
      --json      print {"results": […]} on stdout
  -h, --help      show this help

${EXIT_CODES_HELP}
With --dry-run, 1 also means that there is something to repair.
`;
}

function isFindingCode(code: string): boolean {
  return isRequestCode(code) || CHECKS.some((check) => check.code === code);
}

const LABELS = { apply: 'Repairing', 'dry-run': 'Planning', undo: 'Restoring' } as const;

interface RepairOptions {
  readonly mode: RepairMode;
  readonly isJson: boolean;
  /** The code of the only findings to repair; null for all. */
  readonly code: string | null;
  /** Also change sessions that a client may be running. */
  readonly mayBeLive: boolean;
  /** The client that the person named. */
  readonly client: string | undefined;
}

/** @param paths as the person entered them, at least one */
async function repair(
  context: CommandContext,
  paths: readonly string[],
  { mode, isJson, code, mayBeLive, client }: RepairOptions,
): Promise<ExitCode> {
  const { environment, out, signal } = context;
  const engines = await openEngines(context, client);
  const named = new Set(absolutePaths(context, paths));
  const transcripts = await listTranscripts(engines.default, [...named], signal);
  const progress = new Progress(progressStream(environment, isJson), LABELS[mode], totalOf(transcripts));
  const counts = { changed: 0, healthy: 0, unloaded: 0, refused: 0, unusable: 0 };
  /** Number of sessions that a dry run would change; they remain corrupted. */
  let pending = 0;
  const problems: { filePath: string; problem: string }[] = [];

  async function* outcomes(): AsyncGenerator<RepairReport> {
    // One at a time, so that an interruption leaves at most one file in progress and the report is in order.
    const each = mapInOrder(transcripts, { limit: 1, signal }, async (transcript) => {
      const outcome = await work(transcript);
      const memory = isJson ? undefined : await memoryOf(outcome, engines.for(transcript), mode);
      progress.advance(transcript.size);
      progress.fileDone();
      return memory === undefined ? outcome : { ...outcome, memory };
    });
    for await (const outcome of each) {
      const { result } = outcome;
      // Undoing repairs in a folder applies only to the sessions that were repaired.
      if (mode === 'undo' && result.reason === 'no-backup' && !named.has(result.filePath)) continue;
      if (mode === 'dry-run' && result.status !== 'failed' && result.edits.length > 0) pending += 1;
      if (isInputProblem(result)) counts.unusable += 1;
      else if (result.status === 'failed') counts.refused += 1;
      else if (result.status === 'repaired') counts.changed += 1;
      else if (code === null && loadsNothing(result)) counts.unloaded += 1;
      else counts.healthy += 1;
      const problem = outcome.problem ?? (result.status === 'failed' ? `${result.reason ?? 'failed'}.` : null);
      // The report contains the sentence; the JSON document has no field for it.
      if (problem !== null && (isJson || isInputProblem(result))) problems.push({ filePath: result.filePath, problem });
      yield outcome;
    }
    progress.stop();
  }

  function work(transcript: ListedTranscript): Promise<RepairOutcome> {
    const { path: filePath } = transcript;
    const engine = engines.for(transcript);
    if (mode === 'undo') return engine.undoRepair(filePath, { mayBeLive });
    return mode === 'dry-run' ? engine.planRepair(filePath, { code }) : engine.repair(filePath, { mayBeLive, code });
  }

  try {
    if (isJson) await out.writeJsonList('results', resultsOf(outcomes()), () => ({}));
    else {
      const page = createPage(environment);
      const reader = { ...engines.diagnostics.client, isNamed: client !== undefined };
      // Completed repairs are reported even if the rest was interrupted.
      const reports: string[] = [];
      for await (const outcome of outcomes()) {
        const report = isInputProblem(outcome.result) ? null : outcomeReport(outcome, mode, page);
        if (report !== null) reports.push(report);
      }
      await out.write(
        [...reports, repairSummary(counts, mode, { scope: paths, client: reader, code }, page)].join('\n\n'),
      );
    }
  } finally {
    progress.stop();
  }
  for (const each of problems) await reportProblem(context, each.filePath, each.problem, paths);
  if (counts.refused > 0) return EXIT_CODE.found;
  // As of a repair that is made: what can be repaired does not hide that the answer is incomplete.
  if (counts.unusable > 0) return EXIT_CODE.unusable;
  return pending > 0 ? EXIT_CODE.found : EXIT_CODE.ok;
}

/** Although there are messages. Such a session is not healthy just because there was nothing to repair. */
function loadsNothing({ resumeAfter: { loads, of } }: SessionRepairResult): boolean {
  return of > 0 && loads === 0;
}

/** What Claude remembers before and after a repair. The messages of both are counted, for which the prompts are read. */
async function memoryOf(outcome: RepairPlanOutcome, engine: Engine, mode: RepairMode): Promise<RepairReport['memory']> {
  const { result } = outcome;
  if (result.status === 'failed') return undefined;
  const { filePath, backupPath, edits } = result;
  if (mode === 'undo') return { before: null, after: await countMemory(filePath, engine) };
  if (edits.length === 0) return undefined;
  const plan = mode === 'dry-run' ? outcome.memoryAfter : undefined;
  const original = mode === 'dry-run' ? filePath : backupPath;
  const before = original === undefined ? null : await countMemory(original, engine);
  return { before, after: await countMemory(filePath, engine, plan) };
}

const INPUT_PROBLEMS: ReadonlySet<string | undefined> = new Set(['missing', 'unreadable', 'not-a-file']);

/** The failure concerns the input, not the state of a session. */
function isInputProblem(result: SessionRepairResult): boolean {
  return result.status === 'failed' && INPUT_PROBLEMS.has(result.reason);
}

async function* resultsOf(outcomes: AsyncIterable<RepairOutcome>): AsyncGenerator<object> {
  for await (const { result } of outcomes) yield resultJson(result);
}

/** The document of `--json`, field by field: the names and their order are a contract with scripts. */
function resultJson(result: SessionRepairResult): SessionRepairResult {
  return {
    sessionId: result.sessionId,
    filePath: result.filePath,
    status: result.status,
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    ...(result.backupPath === undefined ? {} : { backupPath: result.backupPath }),
    orphansFixed: result.orphansFixed,
    newChainDepth: result.newChainDepth,
    edits: result.edits.map(({ line, uuid, field, from, to, why }) => ({
      line,
      uuid,
      field,
      // JSON would omit an undefined value together with its key.
      from: from ?? null,
      to: to ?? null,
      why,
    })),
    resumeBefore: loadsJson(result.resumeBefore),
    resumeAfter: loadsJson(result.resumeAfter),
    ...(result.unloads === undefined ? {} : { unloads: result.unloads }),
  };
}

function loadsJson({ loads, of }: LoadCount): LoadCount {
  return { loads, of };
}
