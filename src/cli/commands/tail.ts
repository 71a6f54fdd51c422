import { MessageFollower } from '../../core/conversation/messageFollower';
import { LiveTranscripts } from '../../core/transcript/liveTranscripts';
import { Deferred, systemClock } from '../../core/util/scheduling';
import type { SessionMessage } from '../../protocol/message';
import { isSessionId } from '../../protocol/session';
import {
  type Command,
  defineCommand,
  FILE_HELP,
  oneFile,
  READING_EXIT_CODES_HELP,
  WAS_ENDED,
  wholeNumber,
} from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript, type TranscriptAccess } from '../engines';
import { EXIT_CODE, toJson } from '../environment';
import { MessageReport } from '../report/conversationReport';
import { createPage } from '../report/page';
import { transcriptsOfSession } from '../resolveFile';

/** The default of `rethread.live.pollIntervalMs`. */
const POLL_MS = 200;
/** Time between two searches for a transcript that is gone. Each takes a third of a second for 100,000 sessions. */
const SEARCH_MS = 5_000;
/** Messages at the start, as by `tail`. */
const LAST_MESSAGES = 10;

export const command = defineCommand({
  options: { from: { type: 'string' } },
  help,
  run(context, { values, positionals, isJson }) {
    const file = oneFile('tail', positionals);
    const from = values.from === undefined ? null : wholeNumber('--from', values.from, 0);
    return tail(context, file, from, isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} tail FILE [--from N] [--json]

Prints the last ${LAST_MESSAGES} messages of a session, and each further one when it is written,
until it is interrupted. A message that gets more, such as a call its result, is printed
again as a whole; its line and uuid stay the same. Nothing is changed.

If the transcript is truncated or replaced, the messages begin again. If it is deleted or
moved, ${name} tail waits until a transcript of the same session is there. Both are
said on stderr.

${FILE_HELP}

Options:
      --from N   begin with the Nth message, counted from 0, instead of the last ${LAST_MESSAGES}
      --json     print each message on a line of its own, as "show --json" has it in
                 "messages"
  -h, --help     show this help

${READING_EXIT_CODES_HELP}
`;
}

/**
 * Prints messages one at a time.
 * @param isBeginning whether a message is a break above which nothing is lost
 */
type Print = (messages: readonly SessionMessage[], isBeginning: (message: SessionMessage) => boolean) => Promise<void>;

/**
 * @param file as the person entered it
 * @param from index of the first message; null for the last ones
 */
async function tail(
  context: CommandContext,
  file: string,
  from: number | null,
  isJson: boolean,
): ReturnType<Command['run']> {
  let access = await accessTranscript(context, file);
  let start = (count: number): number => from ?? Math.max(0, count - LAST_MESSAGES);
  const print = isJson ? jsonPrinter(context) : textPrinter(context);
  for (;;) {
    const end = await follow(context, access, { start, print });
    if (end.kind === 'interrupted') return WAS_ENDED;
    if (end.kind === 'unreadable') {
      await reportProblem(context, access.filePath, end.problem, [file]);
      return EXIT_CODE.unusable;
    }
    await reportProblem(context, end.path, `The session is in ${end.path}.`, []);
    access = await accessTranscript(context, end.path);
    // It is the same transcript, unless it is shorter.
    start = (count) => Math.min(count, end.count);
  }
}

type FollowEnd =
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** `count`: messages that it had before. */
  | { readonly kind: 'moved'; readonly path: string; readonly count: number };

/** Prints what is written to one transcript, until the command is interrupted or the transcript is elsewhere. */
async function follow(
  context: CommandContext,
  { filePath, session, engine, pacer }: TranscriptAccess,
  { start, print }: { readonly start: (count: number) => number; readonly print: Print },
): Promise<FollowEnd> {
  const { signal, environment, configDir } = context;
  const { createScanner, diagnostics } = engine;
  const clock = environment.clock ?? systemClock;
  const transcripts = new LiveTranscripts({ createScanner, pacer, clock, pollMs: () => POLL_MS });
  const open = transcripts.open(filePath);
  const follower = new MessageFollower({ filePath, createScanner, pacer, diagnostics, open, start });
  const end = new Deferred<FollowEnd>();
  const interrupt = (): void => {
    end.resolve({ kind: 'interrupted' });
  };
  let isGone = false;
  let restarts = 0;
  let searchedMs = 0;

  const printNews = async (): Promise<void> => {
    while (!signal.aborted) {
      const messages = await follower.next();
      const { problem } = follower;
      if (problem !== null && !isGone) await reportProblem(context, filePath, `${problem} Waiting for it.`, []);
      isGone = problem !== null;
      if (follower.restarts > restarts) {
        restarts = follower.restarts;
        await reportProblem(context, filePath, `${filePath} was truncated or replaced. Its messages begin again.`, []);
      }
      if (messages.length === 0) return;
      await print(messages, (message) => follower.isBeginning(message));
    }
  };
  const search = async (): Promise<void> => {
    if (!isSessionId(session.id) || clock.now() - searchedMs < SEARCH_MS) return;
    searchedMs = clock.now();
    const { paths } = await transcriptsOfSession(session.id, configDir, engine);
    const [path] = paths;
    if (paths.length === 1 && path !== undefined && path !== filePath) {
      end.resolve({ kind: 'moved', path, count: follower.count });
    }
  };

  signal.addEventListener('abort', interrupt);
  try {
    await open.transcript.refresh();
    const problem = open.transcript.problem;
    if (problem !== null) return { kind: 'unreadable', problem };
    await printNews();
    open.listen(() =>
      (follower.hasNews ? printNews() : isGone ? search() : Promise.resolve()).catch((error: unknown) => {
        end.reject(error);
      }),
    );
    if (signal.aborted) interrupt();
    return await end.promise;
  } finally {
    signal.removeEventListener('abort', interrupt);
    follower.close();
    transcripts.close();
  }
}

function jsonPrinter({ out, signal }: CommandContext): Print {
  return async (messages) => {
    for (const message of messages) if (!signal.aborted) await out.write(`${toJson(message)}\n`);
  };
}

function textPrinter({ out, signal, environment }: CommandContext): Print {
  const report = new MessageReport(createPage(environment));
  return async (messages, isBeginning) => {
    for (const message of messages) if (!signal.aborted) await out.write(report.add(message, isBeginning(message)));
    await out.write(report.end());
  };
}
