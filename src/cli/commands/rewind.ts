import { configDirOf } from '../../core/providers/claude/format/paths';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { createOwnCheckpoints } from '../../core/history/checkpoints/ownCheckpoints';
import { NOT_CHOSEN } from '../../core/history/rewind/rewindResult';
import { createRewinds, INTERRUPTED, type Rewinds } from '../../core/history/rewind/rewinds';
import { nodeWriteFs } from '../../core/storage/writeFs';
import { createFileScanner } from '../../core/transcript/scanFile';
import type { RewindFailureReason, RewindFilesResult, RewindOutcome, RewindPlan } from '../../protocol/history';
import type { SessionRef } from '../../protocol/session';
import { checkPaths, defineCommand, UsageError } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import { rewindReport } from '../report/rewindReport';

/** Reasons that concern the input; all others concern the files, the session or the disk. */
const INPUT_PROBLEMS: ReadonlySet<RewindFailureReason | null> = new Set(['unknown-prompt', 'missing', 'unreadable']);

type RewindOrder =
  | { readonly kind: 'undo'; readonly mayBeLive: boolean }
  | {
      readonly kind: 'rewind';
      readonly promptUuid: string;
      readonly isDryRun: boolean;
      /** As the person entered them; null for all files. */
      readonly only: readonly string[] | null;
      readonly mayLeaveRoots: boolean;
      readonly mayBeLive: boolean;
    };

export const command = defineCommand({
  options: {
    'dry-run': { type: 'boolean' },
    undo: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    'allow-outside': { type: 'boolean' },
    'allow-live': { type: 'boolean' },
  },
  help,
  run(context, { values, positionals, isJson }) {
    checkPaths([...positionals, ...(values.only ?? [])]);
    const [file, promptUuid, ...more] = positionals;
    if (file === undefined) throw new UsageError('rewind needs a FILE: the transcript of a session.');
    const mayBeLive = values['allow-live'] === true;
    if (values.undo === true) {
      const isAlone = values['dry-run'] !== true && values.only === undefined && values['allow-outside'] !== true;
      if (!isAlone) throw new UsageError('--undo goes with --allow-live and --json alone.');
      if (promptUuid !== undefined) throw new UsageError('rewind --undo needs a FILE and nothing else.');
      return rewind(context, file, { kind: 'undo', mayBeLive }, isJson);
    }
    if (promptUuid === undefined || promptUuid === '') {
      throw new UsageError('rewind needs a PROMPT: its uuid, which "checkpoints" lists.');
    }
    if (more.length > 0) throw new UsageError('rewind needs one FILE and one PROMPT.');
    const order: RewindOrder = {
      kind: 'rewind',
      promptUuid,
      isDryRun: values['dry-run'] === true,
      only: values.only ?? null,
      mayLeaveRoots: values['allow-outside'] === true,
      mayBeLive,
    };
    return rewind(context, file, order, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} rewind FILE PROMPT [options]
       ${name} rewind FILE --undo [--allow-live] [--json]

Puts the files back to what they were before a prompt: all of them or, when something
fails, none. PROMPT is its uuid, which "${name} checkpoints FILE" lists. Says what is not
taken back, such as what commands changed. Every file is copied first; --undo puts those
copies back, and leaves alone what changed since.

Options:
      --dry-run        show what would be done and change nothing
      --undo           take the newest rewind of the session back
      --only PATH      change this file alone; may be given several times
      --allow-outside  also change files outside the session's working folder
      --allow-live     also while Claude is using the session
      --json           print {"canRewind": …, "filesChanged": […], …} on stdout
  -h, --help           show this help

Exit codes:
  0  done
  1  refused, or some files were left as they are; the output says why
  2  wrong usage, an unknown prompt, or something could not be read
`;
}

/** @param file as the person entered it */
async function rewind(context: CommandContext, file: string, order: RewindOrder, isJson: boolean): Promise<ExitCode> {
  const { rewinds, session, filePath } = await accessRewinds(context, file);
  if (order.kind === 'undo') {
    return reportOutcome(context, await rewinds.undoRewind(session, order), {
      filePath,
      file,
      mode: 'undo',
      plan: null,
      isJson,
    });
  }
  const { promptUuid, isDryRun, only, mayLeaveRoots, mayBeLive } = order;
  const paths = only?.map((path) => resolve(context.environment.cwd, path)) ?? null;
  const request = { session, promptUuid, roots: [], paths, mayLeaveRoots, mayBeLive, token: null };
  const makePlan = async (): Promise<RewindPlan | null> => (isJson ? null : rewinds.planRewind(request));
  let plan = await makePlan();
  if (isDryRun) {
    return reportOutcome(context, await rewinds.dryRun(request), { filePath, file, mode: 'dry-run', plan, isJson });
  }
  let outcome = await rewinds.rewind({ ...request, token: plan?.token ?? null });
  if (outcome.reason === 'put-back-first') {
    // The plan is outdated, but has not been shown yet.
    plan = await makePlan();
    const again = await rewinds.rewind({ ...request, token: plan?.token ?? null });
    outcome = { ...again, warning: again.warning ?? INTERRUPTED };
  }
  return reportOutcome(context, outcome, { filePath, file, mode: 'rewind', plan, isJson });
}

interface Occasion {
  readonly filePath: string;
  readonly file: string;
  readonly mode: 'rewind' | 'dry-run' | 'undo';
  readonly plan: RewindPlan | null;
  readonly isJson: boolean;
}

async function reportOutcome(context: CommandContext, outcome: RewindOutcome, occasion: Occasion): Promise<ExitCode> {
  const { out, environment } = context;
  const { result, reason, warning } = outcome;
  const { filePath, file, isJson } = occasion;
  if (isJson) await out.writeJson(resultJson(result));
  if (reason !== null) {
    if (warning !== null) await reportProblem(context, filePath, warning, []);
    await reportProblem(context, filePath, result.error ?? 'Nothing was changed.', [file]);
    return INPUT_PROBLEMS.has(reason) ? EXIT_CODE.unusable : EXIT_CODE.found;
  }
  if (!isJson) await out.write(rewindReport({ ...occasion, result, warning }, createPage(environment)));
  else if (warning !== null) await reportProblem(context, filePath, warning, []);
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
    write,
    liveSessions: () => engine.liveSessions(),
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
