import { SessionReader } from '../core/conversation/sessionReader';
import type { ConversationView } from '../protocol/conversation';
import type { SessionMessage, SessionOverview } from '../protocol/message';
import { type CommandContext, reportProblem } from './commandContext';
import { EXIT_CODE, type ExitCode } from './exitCode';
import type { ShowRange } from './parseReading';
import { readingParts } from './readingParts';
import { formatCount } from './report/format';
import { MessageReport } from './report/messageReport';
import { overviewReport } from './report/overviewReport';
import { createPage } from './report/page';

/** @param file as the person gave it */
export async function showCommand(
  context: CommandContext,
  file: string,
  range: ShowRange,
  isJson: boolean,
): Promise<ExitCode> {
  const { filePath, engine, pacer } = readingParts(context, file);
  const { createScanner } = engine;
  const reader = new SessionReader({ filePath, createScanner, pacer, liveSessions: () => engine.liveSessions() });
  try {
    const session = await reader.overview();
    if (session === null) {
      await reportProblem(context, filePath, reader.problem ?? `${filePath} changes too fast to be read.`, [file]);
      return EXIT_CODE.unusable;
    }
    const leafLine = range.branch === null ? null : await reader.leafLine(range.branch);
    if (range.branch !== null && leafLine === null) {
      await reportProblem(context, filePath, `${filePath} has no row ${range.branch}.`, [file]);
      return EXIT_CODE.unusable;
    }
    const view: ConversationView = leafLine === null ? { kind: 'chain' } : { kind: 'branch', leafLine };
    const total = await reader.count(view);
    const messages = takeWhileRead(context, reader.messages(view, range.from, range.count));
    if (isJson) await context.out.writeJsonDocument('messages', messages, () => ({ total }), { session });
    else await print(context, session, messages, { total, from: range.from });
    return EXIT_CODE.ok;
  } finally {
    reader.close();
  }
}

async function print(
  context: CommandContext,
  session: SessionOverview,
  messages: AsyncIterable<SessionMessage>,
  { total, from }: { readonly total: number; readonly from: number },
): Promise<void> {
  const page = createPage(context.environment);
  await context.out.write(overviewReport(session, total, page));
  const report = new MessageReport(page);
  let count = 0;
  for await (const message of messages) {
    count++;
    await context.out.write(report.add(message));
  }
  await context.out.write(report.end());
  if (count === total) return;
  const which = count === 0 ? 'None' : `${formatCount(from)}–${formatCount(from + count - 1)}`;
  await context.out.write(page.colors.dim(`\n${which} of ${formatCount(total)}, counted from 0.\n`));
}

/** Nobody waits for the rest where the reader of the output has gone away. */
async function* takeWhileRead<T>({ signal }: CommandContext, items: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}
