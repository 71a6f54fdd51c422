import { randomUUID } from 'node:crypto';
import { createForks } from '../../core/history/fork/forks';
import { nodeWriteFs } from '../../core/storage/writeFs';
import { memoryPhrase } from '../../core/conversation/memoryPhrase';
import { createFileScanner, type FileScanner } from '../../core/transcript/scanFile';
import { countOf } from '../../core/util/countOf';
import type { ForkFailureReason, ForkOutcome, ForkRequest, ForkResult } from '../../protocol/history';
import type { Memory } from '../../protocol/memory';
import { defineCommand, FILE_HELP, oneFile, UsageError } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript, countMemory } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage, type Page } from '../report/page';
import { printable, sharePhrase, shellPath, shortenHome, wrap } from '../report/text';

/** Messages and findings name rows by their lines. */
const LINE = /^[1-9]\d{0,9}$/;

/** Where the fork ends, and the title of the new session. */
type ForkCut = Omit<ForkRequest, 'session'>;

/** Reasons that concern the input; all others concern the session or the disk. */
const INPUT_PROBLEMS: ReadonlySet<ForkFailureReason> = new Set(['unknown-row', 'missing', 'unreadable']);

export const command = defineCommand({
  options: { at: { type: 'string' }, before: { type: 'boolean' }, title: { type: 'string' } },
  help,
  run(context, { values, positionals, isJson }) {
    const file = oneFile('fork', positionals);
    if (values.at === '') throw new UsageError('--at needs the uuid or the line of a message.');
    const isBefore = values.before === true;
    if (isBefore && values.at === undefined) throw new UsageError('--before needs a message: --at UUID.');
    return fork(context, file, { at: values.at ?? null, isBefore, title: values.title ?? null }, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} fork FILE [options]

Makes a new session of a part of another one: of what Claude remembers now, or of all
that leads to one row, on whatever branch it is, also from before a compaction. The other
session is not changed. It may be running.

${FILE_HELP}

Options:
      --at UUID  end with this row: a prompt, a reply, a tool's result …; a number is
                 the line of the row in the transcript
      --before   end before that row instead
      --title T  what the new session is called
      --json     print {"sessionId": …, "filePath": …, "parentSessionId": …,
                 "rowsCopied": N} on stdout; {"reason": …, "problem": …} when refused
  -h, --help     show this help

Exit codes:
  0  done
  1  the fork was refused, and nothing was written
  2  wrong usage, an unknown row, or something could not be read
`;
}

/** @param file as the person entered it */
async function fork(context: CommandContext, file: string, cut: ForkCut, isJson: boolean): Promise<ExitCode> {
  const { environment, configDir, out } = context;
  const { filePath, session, engine, pacer } = await accessTranscript(context, file);
  const scanFile = createFileScanner(engine.createScanner, pacer);
  const forks = createForks({
    capabilities: engine.capabilities,
    scanFile,
    diagnostics: engine.diagnostics,
    configDir: () => configDir,
    write: { fs: nodeWriteFs, now: environment.now, random: randomUUID },
    random: randomUUID,
  });
  const line = cut.at !== null && LINE.test(cut.at) ? cut.at : null;
  const at = line === null ? cut.at : await uuidOnLine(filePath, line, scanFile);
  const outcome = await forks.fork({ ...cut, at, session });
  if (outcome.kind === 'forked') {
    if (isJson) await out.writeJson(resultJson(outcome.result));
    else {
      const memory = await countMemory(outcome.result.filePath, engine);
      await out.write(forkReport(outcome, memory, createPage(environment)));
    }
    if (isJson && outcome.warning !== null) {
      await reportProblem(context, outcome.result.filePath, outcome.warning, []);
    }
    return EXIT_CODE.ok;
  }
  const { reason } = outcome;
  const isNoLine = reason === 'unknown-row' && line !== null;
  const problem = isNoLine ? `No message of this conversation is on line ${line}.` : outcome.problem;
  if (isJson) await out.writeJson({ reason, problem });
  await reportProblem(context, filePath, problem, [file]);
  return INPUT_PROBLEMS.has(reason) ? EXIT_CODE.unusable : EXIT_CODE.found;
}

/** The uuid of the row on a line, unless the number is itself the uuid of a row. */
async function uuidOnLine(filePath: string, text: string, scanFile: FileScanner): Promise<string> {
  // What cannot be read is refused by the fork itself.
  const index = await scanFile(filePath, { withHashes: false }).then(
    (scan) => scan.index,
    () => null,
  );
  if (index === null || index.ids.has(text)) return text;
  const { rows, ids } = index;
  for (let row = 0; row < rows.count; row++) {
    if (rows.line(row) === Number(text)) return ids.text(rows.uuid(row)) ?? text;
  }
  return text;
}

function resultJson({ sessionId, filePath, parentSessionId, rowsCopied }: ForkResult): ForkResult {
  return { sessionId, filePath, parentSessionId, rowsCopied };
}

type Forked = ForkOutcome & { readonly kind: 'forked' };

/** The created session, how much of it Claude remembers, and how to resume it. */
function forkReport(fork: Forked, memory: Memory | null, page: Page): string {
  const { colors, home } = page;
  const { result, title, cwd, loads, of, warning } = fork;
  const resume = `claude --resume ${result.sessionId}`;
  const command = cwd === null ? resume : `cd ${shellPath(cwd, home)} && ${resume}`;
  const loaded = `Claude remembers ${memory === null ? sharePhrase({ loads, of }) : memoryPhrase(memory)}`;
  const lines = [
    `${colors.green('✓')} ${colors.bold(printable(title))}`,
    `  ${colors.dim(printable(shortenHome(result.filePath, home)))}`,
    `  ${countOf(result.rowsCopied, 'line')} copied; ${loaded}.`,
    ...(warning === null ? [] : [colors.yellow(wrap(printable(warning), page.width, '  '))]),
    `  Resume:  ${printable(command)}`,
  ];
  return `${lines.join('\n')}\n`;
}
