import { readPreflight } from '../../core/preflight/readPreflight';
import { PriceBook } from '../../core/usage/prices';
import type { ClientInfo } from '../../protocol/client';
import type { PreflightCause, Rearm } from '../../protocol/preflight';
import { checkClient, CLIENT_HELP, defineCommand, FILE_HELP, oneFile, READING_EXIT_CODES_HELP } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript, countMemory } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import { causeText, type PreflightFound, preflightReport } from '../report/preflightReport';

export const command = defineCommand({
  options: { client: { type: 'string' } },
  help,
  run(context, { values, positionals, isJson }) {
    return preflight(context, oneFile('preflight', positionals), checkClient(values.client), isJson);
  },
});

function help(name: string): string {
  return `Usage: ${name} preflight FILE [--client V] [--json]

Says what resuming a session means: how many messages Claude remembers, about how many
tokens are sent and how many of them are uncached and why, about what that costs by the
API's price list, and what starts again by itself. This is estimated from the last
reply; nothing is sent, and nothing is changed.

${FILE_HELP}

Options:
${CLIENT_HELP}
      --json      print {"messages": …, "tokens": …, "causes": […], "costUsd": N, …}
  -h, --help      show this help

${READING_EXIT_CODES_HELP}
`;
}

/** @param file as the person entered it */
async function preflight(
  context: CommandContext,
  file: string,
  client: string | undefined,
  isJson: boolean,
): Promise<ExitCode> {
  const { out, environment } = context;
  const { filePath, engine, pacer } = await accessTranscript(context, file, client);
  const { createScanner, diagnostics } = engine;
  const nowMs = environment.now();
  const answer = await readPreflight(filePath, {
    ...{ createScanner, pacer, diagnostics, nowMs },
    prices: new PriceBook({}),
    judgesRequest: true,
  });
  if (answer.kind === 'problem') {
    await reportProblem(context, filePath, answer.problem.message, [file]);
    return EXIT_CODE.unusable;
  }
  if (isJson) await out.writeJson(preflightJson(answer, diagnostics.client, nowMs));
  else {
    const found = { ...answer, memory: await countMemory(filePath, engine) };
    await out.write(preflightReport(found, diagnostics.client, nowMs, createPage(environment)));
  }
  return EXIT_CODE.ok;
}

/** The document of `--json`, field by field: the names and their order are a contract with scripts. */
function preflightJson({ preflight, isRefused }: PreflightFound, { isExact }: ClientInfo, nowMs: number): object {
  const { sessionId, filePath, client, messages, tokens, causes, costUsd, model, rearms, changesAtMs } = preflight;
  return {
    sessionId,
    filePath,
    client,
    messages: { loads: messages.loads, of: messages.of },
    tokens: { sent: tokens.sent, bound: tokens.bound, uncached: tokens.uncached },
    causes: causes.map((cause) => causeJson(cause, nowMs)),
    costUsd,
    model,
    rearms: rearms.map(({ kind, id, what, when }): Rearm => ({ kind, id, what, when })),
    changesAt: changesAtMs === null ? null : new Date(changesAtMs).toISOString(),
    isExact,
    isRefused,
  };
}

function causeJson(cause: PreflightCause, nowMs: number): object {
  return { ...cause, text: causeText(cause, nowMs) };
}
