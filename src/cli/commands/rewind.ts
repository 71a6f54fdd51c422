import { configDirOf } from '../../core/providers/claude/format/paths';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createOwnCheckpoints } from '../../core/history/checkpoints/ownCheckpoints';
import { NOT_CHOSEN } from '../../core/history/rewind/rewindResult';
import { createRewinds, INTERRUPTED, type Rewinds } from '../../core/history/rewind/rewinds';
import { nodeWriteFs } from '../../core/storage/writeFs';
import { createFileScanner } from '../../core/transcript/scanFile';
import type {
  ChangeChoice,
  RewindFailureReason,
  RewindFilesResult,
  RewindOutcome,
  RewindPlan,
} from '../../protocol/history';
import type { SessionRef } from '../../protocol/session';
import { checkPaths, defineCommand, FILE_HELP, UsageError } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import {
  type GivenCommand,
  obstacleHints,
  outsideCommand,
  undoArguments,
  unfinishedHints,
} from '../report/rewindHints';
import { rewindReport, unobstructedResult } from '../report/rewindReport';

/** Reasons that concern the input; all others concern the files, the session or the disk. */
const INPUT_PROBLEMS: ReadonlySet<RewindFailureReason | null> = new Set(['unknown-prompt', 'missing', 'unreadable']);

interface RewindOrder extends GivenCommand {
  readonly mayLeaveRoots: boolean;
}

export const command = defineCommand({
  options: {
    'dry-run': { type: 'boolean' },
    undo: { type: 'boolean' },
    root: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    'skip-obstacles': { type: 'boolean' },
    'allow-outside': { type: 'boolean' },
    'allow-live': { type: 'boolean' },
  },
  help,
  run(context, { values, positionals, isJson }) {
    checkPaths([...positionals, ...(values.only ?? []), ...(values.root ?? [])]);
    const [file, promptUuid, ...more] = positionals;
    if (file === undefined) throw new UsageError('rewind needs a FILE: the transcript or the id of a session.');
    const isUndo = values.undo === true;
    const order = {
      file,
      isDryRun: values['dry-run'] === true,
      roots: values.root ?? [],
      only: values.only ?? null,
      skipObstacles: values['skip-obstacles'] === true,
      mayLeaveRoots: values['allow-outside'] === true,
      mayBeLive: values['allow-live'] === true,
    };
    if (isUndo) {
      if (order.isDryRun) throw new UsageError('--undo does not go with --dry-run.');
      if (promptUuid !== undefined) throw new UsageError('rewind --undo needs a FILE and no PROMPT.');
      return rewind(context, { ...order, promptUuid: null }, isJson);
    }
    if (promptUuid === undefined || promptUuid === '') {
      throw new UsageError('rewind needs a PROMPT: its uuid, which "checkpoints" lists.');
    }
    if (more.length > 0) throw new UsageError('rewind needs one FILE and one PROMPT.');
    return rewind(context, { ...order, promptUuid }, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} rewind FILE PROMPT [options]
       ${name} rewind FILE --undo [options]

Puts the files back to what they were before a prompt: all of them or, when something
fails or is in the way, none. PROMPT is its uuid, which "${name} checkpoints FILE" lists.
Says what is not taken back, such as what commands changed. Every file is copied first;
--undo puts those copies back, and leaves alone what changed since.

Only files below the current folder, and below each --root, are changed. Sensitive files
(.git, .claude/settings*, .vscode, and what lies below a hidden folder of your home
folder) must be named by --only.

${FILE_HELP}

Options:
      --dry-run         show what would be done and change nothing
      --undo            take the newest rewind of the session back
      --root DIR        also change files below this folder; may be given several times
      --only PATH       change this file alone; may be given several times
      --skip-obstacles  leave out what is in the way, and change the rest
      --allow-live      also while Claude is using the session
      --json            print {"canRewind": …, "filesChanged": […], …} on stdout
  -h, --help            show this help

Exit codes:
  0  done
  1  refused, or some files were left as they are; the output says why
  2  wrong usage, an unknown prompt, or something could not be read
`;
}

async function rewind(context: CommandContext, order: RewindOrder, isJson: boolean): Promise<ExitCode> {
  const { environment } = context;
  const { file, promptUuid, isDryRun, mayBeLive } = order;
  const { rewinds, session, filePath } = await accessRewinds(context, file);
  const choice = choiceOf(context, order);
  for (const root of choice.roots) {
    // The current folder may be gone, which concerns its files alone.
    if (root === environment.cwd || (await isFolder(root))) continue;
    await reportProblem(context, root, `${root} is not a folder.`, []);
    return EXIT_CODE.unusable;
  }
  const given = { order: { ...order, file: filePath }, filePath, file, isJson };
  if (order.mayLeaveRoots) return refuseOutside(context, rewinds, session, given);
  if (promptUuid === null) {
    const outcome = await rewinds.undoRewind(session, { ...choice, mayBeLive });
    return reportOutcome(context, outcome, { ...given, mode: 'undo', plan: null });
  }
  const request = { ...choice, session, promptUuid, mayBeLive, token: null };
  const makePlan = async (): Promise<RewindPlan | null> => (isJson ? null : rewinds.planRewind(request));
  let plan = await makePlan();
  if (isDryRun) {
    return reportOutcome(context, await rewinds.dryRun(request), { ...given, mode: 'dry-run', plan });
  }
  let outcome = await rewinds.rewind({ ...request, token: plan?.token ?? null });
  if (outcome.reason === 'put-back-first') {
    // The plan is outdated, but has not been shown yet.
    plan = await makePlan();
    const again = await rewinds.rewind({ ...request, token: plan?.token ?? null });
    outcome = { ...again, warning: again.warning ?? INTERRUPTED };
  }
  return reportOutcome(context, outcome, { ...given, mode: 'rewind', plan });
}

/** What the person named, absolute. The current folder counts as named. */
function choiceOf({ environment: { cwd } }: CommandContext, { roots, only, skipObstacles }: RewindOrder): ChangeChoice {
  return {
    roots: [cwd, ...roots.map((root) => resolve(cwd, root))],
    paths: only?.map((path) => resolve(cwd, path)) ?? null,
    mayLeaveRoots: false,
    skipObstacles,
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** `--allow-outside` would let the transcript say which folders are changed, so it names them instead. */
async function refuseOutside(
  context: CommandContext,
  rewinds: Rewinds,
  session: SessionRef,
  { order, filePath, isJson }: Given,
): Promise<ExitCode> {
  const { out, environment, err } = context;
  const choice = choiceOf(context, order);
  const { promptUuid } = order;
  const files =
    promptUuid === null
      ? (await rewinds.rewindState(session, choice.roots)).obstacles
      : (await rewinds.planRewind({ ...choice, session, promptUuid })).files;
  const problem = 'rewind changes files outside the current folder only below folders that you name with --root.';
  if (isJson) await out.writeJson(resultJson({ canRewind: false, error: problem }));
  await reportProblem(context, filePath, problem, []);
  await err.write(`${outsideCommand(order, files, createPage(environment))}\n`);
  return EXIT_CODE.found;
}

interface Given {
  /** With the absolute path of the transcript, for commands to paste. */
  readonly order: RewindOrder;
  /** As the person entered it. */
  readonly file: string;
  readonly filePath: string;
  readonly isJson: boolean;
}

interface Occasion extends Given {
  readonly mode: 'rewind' | 'dry-run' | 'undo';
  readonly plan: RewindPlan | null;
}

async function reportOutcome(context: CommandContext, outcome: RewindOutcome, occasion: Occasion): Promise<ExitCode> {
  const { out, err, environment } = context;
  const { result, reason, warning, obstacles } = outcome;
  const { filePath, file, order, mode, isJson } = occasion;
  const page = createPage(environment);
  if (isJson) await out.writeJson(resultJson(result));
  if (reason !== null) {
    // The plan is of all files.
    const isOfAll = order.only === null && reason === 'obstacles';
    if (mode === 'dry-run' && isOfAll && occasion.plan !== null) {
      const shown = { ...occasion, result: unobstructedResult(occasion.plan), warning: null, undo: null };
      await out.write(rewindReport(shown, page));
    }
    if (warning !== null) await reportProblem(context, filePath, warning, []);
    await reportProblem(context, filePath, result.error ?? 'Nothing was changed.', [file]);
    const hints = (reason === 'unfinished' ? unfinishedHints : obstacleHints)(order, obstacles, page);
    if (hints.length > 0) await err.write(`${hints.join('\n')}\n`);
    return INPUT_PROBLEMS.has(reason) ? EXIT_CODE.unusable : EXIT_CODE.found;
  }
  if (!isJson) {
    const undo = `${page.commandName} rewind ${undoArguments(order, page).join(' ')}`;
    await out.write(rewindReport({ ...occasion, result, warning, undo: mode === 'rewind' ? undo : null }, page));
  }
  if (isJson && warning !== null) await reportProblem(context, filePath, warning, []);
  return wasAllDone(result) ? EXIT_CODE.ok : EXIT_CODE.found;
}

/** Files that the person did not choose do not count as refused. */
function wasAllDone({ files = [] }: RewindFilesResult): boolean {
  return files.every(({ action, why }) => action !== 'skipped' || why === NOT_CHOSEN);
}

/** @param file as the person entered it */
export async function accessRewinds(
  context: CommandContext,
  file: string,
): Promise<{ readonly rewinds: Rewinds; readonly session: SessionRef; readonly filePath: string }> {
  const { environment } = context;
  const { filePath, session, engine, pacer } = await accessTranscript(context, file);
  const configDir = (): string => configDirOf(filePath) ?? context.configDir;
  const write = { fs: nodeWriteFs, now: environment.now, random: randomUUID };
  const rewinds = createRewinds({
    capabilities: engine.capabilities,
    scanFile: createFileScanner(engine.createScanner, pacer),
    rules: engine.diagnostics.rules,
    configDir,
    ownConfigDir: context.configDir,
    homeDir: environment.home,
    write,
    liveness: (transcript) => engine.readLiveness()(transcript),
    ownCheckpoints: createOwnCheckpoints({ ...write, configDir }),
  });
  return { rewinds, session, filePath };
}

/**
 * The document of `--json`, field by field: the names and their order are a contract with scripts. Fields that the
 * result lacks are omitted.
 */
function resultJson(result: RewindFilesResult): RewindFilesResult {
  const { canRewind, error, filesChanged, insertions, deletions, files, coverage } = result;
  return {
    canRewind,
    ...(error === undefined ? {} : { error }),
    ...(filesChanged === undefined ? {} : { filesChanged }),
    ...(insertions === undefined ? {} : { insertions }),
    ...(deletions === undefined ? {} : { deletions }),
    ...(files === undefined
      ? {}
      : { files: files.map(({ path, action, why }) => ({ path, action, ...(why === undefined ? {} : { why }) })) }),
    ...(coverage === undefined ? {} : { coverage: { notCovered: coverage.notCovered } }),
  };
}
