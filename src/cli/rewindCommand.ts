import { randomUUID } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { createOwnCheckpoints } from '../core/history/checkpoints/ownCheckpoints';
import { NOT_CHOSEN } from '../core/history/rewind/rewindResult';
import { createRewinds, INTERRUPTED, type Rewinds } from '../core/history/rewind/rewinds';
import { nodeWriteFs } from '../core/storage/writeFs';
import { createFileScanner } from '../core/transcript/scanFile';
import type { RewindFailureReason, RewindFilesResult, RewindOutcome, RewindPlan } from '../protocol/history';
import { type CommandContext, reportProblem } from './commandContext';
import { checkpointJson, rewindResultJson } from './contract';
import { EXIT_CODE, type ExitCode } from './exitCode';
import type { RewindOrder } from './parseRewind';
import { readingParts } from './readingParts';
import { createPage } from './report/page';
import { checkpointsReport, rewindReport } from './report/rewindReport';

/** What was handed in is of no use; whatever else is said is about the files, the session or the disk. */
const INPUT_PROBLEMS: ReadonlySet<RewindFailureReason | null> = new Set(['unknown-prompt', 'missing', 'unreadable']);

/** @param file as the person gave it */
export async function checkpointsCommand(context: CommandContext, file: string, isJson: boolean): Promise<ExitCode> {
  const { out, environment } = context;
  const { rewinds, filePath } = rewindParts(context, file);
  const { checkpoints, problem, warning } = await rewinds.listCheckpoints(filePath, []);
  if (isJson) {
    const more = { ...(problem === null ? {} : { error: problem }), ...(warning === null ? {} : { warning }) };
    await out.write(`${JSON.stringify({ checkpoints: checkpoints.map(checkpointJson), ...more }, null, 2)}\n`);
  }
  if (problem !== null) {
    await reportProblem(context, filePath, problem, [file]);
    return EXIT_CODE.unusable;
  }
  if (!isJson) await out.write(checkpointsReport(checkpoints, filePath, createPage(environment)));
  if (warning !== null) await reportProblem(context, filePath, warning, []);
  return EXIT_CODE.ok;
}

/** @param file as the person gave it */
export async function rewindCommand(
  context: CommandContext,
  file: string,
  order: RewindOrder,
  isJson: boolean,
): Promise<ExitCode> {
  const { rewinds, filePath } = rewindParts(context, file);
  if (order.kind === 'undo') {
    return tell(context, await rewinds.undoRewind(filePath, order), {
      filePath,
      file,
      mode: 'undo',
      plan: null,
      isJson,
    });
  }
  const { promptUuid, isDryRun, only, mayLeaveRoots, mayBeLive } = order;
  const paths = only?.map((path) => resolve(context.environment.cwd, path)) ?? null;
  const request = { filePath, promptUuid, roots: [], paths, mayLeaveRoots, mayBeLive, token: null };
  const look = async (): Promise<RewindPlan | null> => (isJson ? null : rewinds.planRewind(request));
  let plan = await look();
  if (isDryRun) {
    return tell(context, await rewinds.dryRun(request), { filePath, file, mode: 'dry-run', plan, isJson });
  }
  let outcome = await rewinds.rewind({ ...request, token: plan?.token ?? null });
  if (outcome.reason === 'put-back-first') {
    // Nobody was shown the plan that is not true any more.
    plan = await look();
    const again = await rewinds.rewind({ ...request, token: plan?.token ?? null });
    outcome = { ...again, warning: again.warning ?? INTERRUPTED };
  }
  return tell(context, outcome, { filePath, file, mode: 'rewind', plan, isJson });
}

interface Told {
  readonly filePath: string;
  readonly file: string;
  readonly mode: 'rewind' | 'dry-run' | 'undo';
  readonly plan: RewindPlan | null;
  readonly isJson: boolean;
}

async function tell(context: CommandContext, outcome: RewindOutcome, told: Told): Promise<ExitCode> {
  const { out, environment } = context;
  const { result, reason, warning } = outcome;
  const { filePath, file, isJson } = told;
  if (isJson) await out.write(`${JSON.stringify(rewindResultJson(result), null, 2)}\n`);
  if (reason !== null) {
    if (warning !== null) await reportProblem(context, filePath, warning, []);
    await reportProblem(context, filePath, result.error ?? 'Nothing was changed.', [file]);
    return INPUT_PROBLEMS.has(reason) ? EXIT_CODE.unusable : EXIT_CODE.found;
  }
  if (!isJson) await out.write(rewindReport({ ...told, result, warning }, createPage(environment)));
  else if (warning !== null) await reportProblem(context, filePath, warning, []);
  return wasAllDone(result) ? EXIT_CODE.ok : EXIT_CODE.found;
}

/** What the person did not choose was not refused. */
function wasAllDone({ files = [] }: RewindFilesResult): boolean {
  return files.every(({ action, why }) => action !== 'skipped' || why === NOT_CHOSEN);
}

function rewindParts(context: CommandContext, file: string): { readonly rewinds: Rewinds; readonly filePath: string } {
  const { environment } = context;
  const { filePath, engine, pacer } = readingParts(context, file);
  const configDir = (): string => configDirAbove(filePath) ?? context.configDir;
  const write = { fs: nodeWriteFs, now: environment.now, random: randomUUID };
  const rewinds = createRewinds({
    scanFile: createFileScanner(engine.createScanner, pacer),
    configDir,
    write,
    liveSessions: () => engine.liveSessions(),
    ownCheckpoints: createOwnCheckpoints({ ...write, configDir }),
  });
  return { rewinds, filePath };
}

/** A transcript's backups lie in the config folder that it lies in itself. */
function configDirAbove(filePath: string): string | null {
  const projects = dirname(dirname(filePath));
  return basename(projects) === 'projects' ? dirname(projects) : null;
}
