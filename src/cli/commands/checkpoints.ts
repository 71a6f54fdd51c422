import type { Checkpoint } from '../../protocol/history';
import { defineCommand, FILE_HELP, oneFile, READING_EXIT_CODES_HELP } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage, fitWidths, type Page, renderTable, textWidth } from '../report/page';
import { formatAge, formatCount, printable, shellPath } from '../report/text';
import { accessRewinds } from './rewind';

const COLUMNS = [
  { title: 'When' },
  { title: 'Files', align: 'right' },
  { title: '+', align: 'right' },
  { title: '−', align: 'right' },
  { title: 'Before this prompt' },
  { title: 'Id' },
] as const;

export const command = defineCommand({
  options: {},
  help,
  run: (context, { positionals, isJson }) => listCheckpoints(context, oneFile('checkpoints', positionals), isJson),
});

function help(name: string): string {
  return `Usage: ${name} checkpoints FILE [--json]

Lists the prompts of a session whose files can be rewound, with what a rewind to each
would change now. Nothing is changed.

${FILE_HELP}

Options:
      --json     print {"checkpoints": […]} on stdout
  -h, --help     show this help

${READING_EXIT_CODES_HELP}
`;
}

/** @param file as the person entered it */
async function listCheckpoints(context: CommandContext, file: string, isJson: boolean): Promise<ExitCode> {
  const { out, environment } = context;
  const { rewinds, session, filePath } = await accessRewinds(context, file);
  const { checkpoints, problem, warning } = await rewinds.listCheckpoints(session, null);
  if (isJson) {
    const more = { ...(problem === null ? {} : { error: problem }), ...(warning === null ? {} : { warning }) };
    await out.writeJson({ checkpoints: checkpoints.map(checkpointJson), ...more });
  }
  if (problem !== null) {
    await reportProblem(context, filePath, problem, [file]);
    return EXIT_CODE.unusable;
  }
  if (!isJson) await out.write(checkpointsReport(checkpoints, filePath, createPage(environment)));
  if (warning !== null) await reportProblem(context, filePath, warning, []);
  return EXIT_CODE.ok;
}

/** The document of `--json`, field by field: the names and their order are a contract with scripts. */
function checkpointJson(checkpoint: Checkpoint): Checkpoint {
  return {
    kind: checkpoint.kind,
    promptUuid: checkpoint.promptUuid,
    line: checkpoint.line,
    prompt: checkpoint.prompt,
    timeMs: checkpoint.timeMs,
    filesChanged: checkpoint.filesChanged,
    insertions: checkpoint.insertions,
    deletions: checkpoint.deletions,
    filesTracked: checkpoint.filesTracked,
    problem: checkpoint.problem,
  };
}

/** The prompts that the files can be rewound to, oldest first. */
function checkpointsReport(checkpoints: readonly Checkpoint[], filePath: string, page: Page): string {
  if (checkpoints.length === 0) return 'No checkpoint of this session’s files was kept.\n';
  const rows = checkpoints.map((each) => [
    each.timeMs === null ? '' : formatAge(each.timeMs, page.nowMs),
    each.problem === null ? formatCount(each.filesChanged.length) : 'gone',
    each.insertions === 0 ? '' : formatCount(each.insertions),
    each.deletions === 0 ? '' : formatCount(each.deletions),
    printable(each.prompt === '' ? '(no text)' : each.prompt),
    each.promptUuid,
  ]);
  const natural = COLUMNS.map(({ title }, at) => textWidth([title, ...rows.map((row) => row[at] ?? '')]));
  const [head = '', ...lines] = renderTable(COLUMNS, rows, fitWidths(natural, [4], page.width)).split('\n');
  const example = checkpoints.findLast(({ problem }) => problem === null)?.promptUuid;
  const command = `${page.commandName} rewind ${shellPath(filePath, page.home)} ${example ?? ''} --dry-run`;
  const hint = example === undefined ? '' : `\nLook at one: ${page.colors.bold(printable(command))}\n`;
  return `${[page.colors.dim(head), ...lines].join('\n')}\n${hint}`;
}
