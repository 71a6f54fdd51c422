import type { SessionReader } from '../../core/conversation/sessionReader';
import type { ConversationView } from '../../protocol/conversation';
import type { SessionMessage, SessionOverview } from '../../protocol/message';
import { describeSessionInfo, type SessionInfo } from '../../protocol/sessionInfo';
import { defineCommand, FILE_HELP, oneFile, READING_EXIT_CODES_HELP, UsageError, wholeNumber } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript, openReader } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { MessageReport, overviewReport } from '../report/conversationReport';
import { createPage } from '../report/page';
import { formatCount } from '../report/text';
import { countSpending } from '../spending';

/** The messages of a session to show. */
interface ShowRange {
  /** uuid or line of the last row of a branch; null for the branch that Claude continues. */
  readonly branch: string | null;
  /** 0-based. */
  readonly from: number;
  readonly count: number;
}

export const command = defineCommand({
  options: { branch: { type: 'string' }, from: { type: 'string' }, count: { type: 'string' } },
  help,
  run(context, { values, positionals, isJson }) {
    const file = oneFile('show', positionals);
    if (values.branch === '') throw new UsageError('--branch needs the uuid, or the line, of a message.');
    const range: ShowRange = {
      branch: values.branch ?? null,
      from: values.from === undefined ? 0 : wholeNumber('--from', values.from, 0),
      count: values.count === undefined ? Infinity : wholeNumber('--count', values.count, 1),
    };
    return show(context, file, range, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} show FILE [options]

Shows a session as Claude goes on from it, with what came before its breaks and
compactions. Nothing is changed.

${FILE_HELP}

Options:
      --branch LEAF  another branch: the uuid, or the line, of the row it ends with
      --from N       begin with the Nth message, counted from 0
      --count N      end after N messages
      --json         print {"session": …, "messages": […], "total": N} on stdout
  -h, --help         show this help

${READING_EXIT_CODES_HELP}
`;
}

/** @param file as the person entered it */
async function show(context: CommandContext, file: string, range: ShowRange, isJson: boolean): Promise<ExitCode> {
  const access = await accessTranscript(context, file);
  const { filePath, engine } = access;
  const reader = openReader(access);
  try {
    const session = await reader.overview();
    // Of a transcript in which nothing can be read, there is nothing to show but that.
    if (session === null || session.health === 'unreadable') {
      await reportProblem(context, filePath, reader.problem ?? `${filePath} changes too fast to be read.`, [file]);
      return EXIT_CODE.unusable;
    }
    const leafLine = range.branch === null ? null : await reader.leafLine(range.branch);
    if (range.branch !== null && leafLine === null) {
      await reportProblem(context, filePath, `${filePath} has no message ${range.branch}.`, [file]);
      return EXIT_CODE.unusable;
    }
    const view: ConversationView = leafLine === null ? { kind: 'chain' } : { kind: 'branch', leafLine };
    const total = await reader.count(view);
    const messages = takeWhileRead(context, reader.messages(view, range.from, range.count));
    if (isJson) {
      const spending = (await countSpending(context, [{ path: filePath }])).get(filePath) ?? null;
      const sweptMs = await (await engine.readRetention())(filePath);
      const info = describeSessionInfo(session, { spending, sweptMs });
      await context.out.writeJsonList('messages', messages, () => ({ total }), { session: headOf(info, session) });
    } else await print(context, reader, { session, view, messages, total, from: range.from });
    return EXIT_CODE.ok;
  } finally {
    reader.close();
  }
}

/** The head of `--json`: what `list` prints of the session, and more. The names are a contract with scripts. */
function headOf(info: SessionInfo, overview: SessionOverview): object {
  const { cwd, gitBranch, clientVersion, createdMs, updatedMs, end, health, resume, fileSize, subagents } = overview;
  return { ...info, cwd, gitBranch, clientVersion, createdMs, updatedMs, end, health, resume, fileSize, subagents };
}

/** What is printed of a session. */
interface Shown {
  readonly session: SessionOverview;
  readonly view: ConversationView;
  readonly messages: AsyncIterable<SessionMessage>;
  /** Number of messages in the view. */
  readonly total: number;
  /** Index of the first of them. */
  readonly from: number;
}

async function print(
  context: CommandContext,
  reader: SessionReader,
  { session, view, messages, total, from }: Shown,
): Promise<void> {
  const page = createPage(context.environment);
  await context.out.write(overviewReport(session, page));
  const report = new MessageReport(page);
  let count = 0;
  for await (const message of messages) {
    count++;
    const isBeginning = message.kind === 'break' && !(await reader.losesHistory(view, message.index));
    await context.out.write(report.add(message, isBeginning));
  }
  await context.out.write(report.end());
  if (count === total) return;
  const which = count === 0 ? 'None' : `${formatCount(from)}–${formatCount(from + count - 1)}`;
  await context.out.write(page.colors.dim(`\n${which} of ${formatCount(total)}, counted from 0.\n`));
}

/** Stops when the reader of the output has closed it. */
async function* takeWhileRead<T>({ signal }: CommandContext, items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}
