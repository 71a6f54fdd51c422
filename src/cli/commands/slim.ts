import type { LoadCount } from '../../protocol/repair';
import type { SlimOutcome, SlimResult } from '../../protocol/slim';
import { defineCommand, EXIT_CODES_HELP, FILE_HELP, oneFile, UsageError } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import { type SlimMode, slimReport } from '../report/slimReport';

export const command = defineCommand({
  options: { 'dry-run': { type: 'boolean' }, undo: { type: 'boolean' }, 'allow-live': { type: 'boolean' } },
  help,
  run(context, { values, positionals, isJson }) {
    const file = oneFile('slim', positionals);
    const isDryRun = values['dry-run'] === true;
    if (isDryRun && values.undo === true) throw new UsageError('--dry-run and --undo exclude each other.');
    const mode = isDryRun ? 'dry-run' : values.undo === true ? 'undo' : 'apply';
    return slim(context, file, { mode, isJson, mayBeLive: values['allow-live'] === true });
  },
});

function help(name: string): string {
  return `Usage: ${name} slim FILE [--dry-run | --undo] [--allow-live] [--json]

Removes from a transcript what nobody reads: the progress that tools and hooks of old
clients reported while they ran, and copies of the system prompt that repeat the one
before. Moves long outputs that only Claude Code's own display reads into files in
<session>/removed. Claude loads exactly what it loads now, which is proven before
anything is written. The original is kept beside the transcript as
<file>.backup-<time>, so disk space is freed once you delete that. A session that is
running, or may be, is refused.

${FILE_HELP}

Options:
      --dry-run   show how much of what would be removed, and change nothing
      --undo      put the original back, with what was added since
      --allow-live
                  also a session that may be running; one that certainly runs is refused
      --json      print {"status": …, "bytesBefore": N, "bytesAfter": N, "kinds": […], …}
  -h, --help      show this help

${EXIT_CODES_HELP}
With --dry-run, 1 also means that there is something to remove.
`;
}

interface SlimOptions {
  readonly mode: SlimMode;
  readonly isJson: boolean;
  /** Also change a session that a client may be running. */
  readonly mayBeLive: boolean;
}

const INPUT_PROBLEMS: ReadonlySet<string | undefined> = new Set(['missing', 'unreadable', 'not-a-file']);

/** @param file as the person entered it */
async function slim(
  context: CommandContext,
  file: string,
  { mode, isJson, mayBeLive }: SlimOptions,
): Promise<ExitCode> {
  const { environment, out } = context;
  const { filePath, engine } = await accessTranscript(context, file);
  const work = (): Promise<SlimOutcome> => {
    if (mode === 'dry-run') return engine.planSlim(filePath);
    return mode === 'undo' ? engine.undoSlim(filePath, { mayBeLive }) : engine.slim(filePath, { mayBeLive });
  };
  const outcome = await work();
  const { result, problem } = outcome;
  const isFailed = result.status === 'failed';
  const isUnusable = isFailed && INPUT_PROBLEMS.has(result.reason);
  if (isJson) await out.writeJson(resultJson(result));
  else if (!isUnusable) await out.write(slimReport(outcome, mode, createPage(environment)));
  if (isJson || isUnusable) {
    const said = problem ?? (isFailed ? `${result.reason ?? 'failed'}.` : null);
    if (said !== null) await reportProblem(context, filePath, said, [file]);
  }
  if (isUnusable) return EXIT_CODE.unusable;
  return isFailed || (mode === 'dry-run' && result.status === 'slimmed') ? EXIT_CODE.found : EXIT_CODE.ok;
}

/** The document of `--json`, field by field: the names and their order are a contract with scripts. */
function resultJson(result: SlimResult): SlimResult {
  return {
    sessionId: result.sessionId,
    filePath: result.filePath,
    status: result.status,
    ...(result.reason === undefined ? {} : { reason: result.reason }),
    ...(result.backupPath === undefined ? {} : { backupPath: result.backupPath }),
    bytesBefore: result.bytesBefore,
    bytesAfter: result.bytesAfter,
    kinds: result.kinds.map(({ kind, rows, bytesBefore, bytesAfter }) => ({ kind, rows, bytesBefore, bytesAfter })),
    relinked: result.relinked,
    resumeBefore: loadsJson(result.resumeBefore),
    resumeAfter: loadsJson(result.resumeAfter),
  };
}

function loadsJson({ loads, of }: LoadCount): LoadCount {
  return { loads, of };
}
