import type { ScannedSession } from '../protocol/session';
import { absolutePaths, type CommandContext, reportProblem } from './commandContext';
import { scanResultJson, totalsJson } from './contract';
import { EXIT_CODE, type ExitCode, scanExitCode } from './exitCode';
import { type ListedTranscript, listTranscripts } from './listTranscripts';
import { mapInOrder } from './mapInOrder';
import { configDirProblem } from './paths';
import { Progress, progressStream } from './progress';
import { createPage } from './report/page';
import { scanReport } from './report/scanReport';
import { type SessionRow, toSessionRow } from './report/sessionRow';

/** Reading is bound by the disk and parsing by one thread: more at once would only cost memory. */
const SCANS_AT_ONCE = 3;

interface ScanCounts {
  sessions: number;
  healthy: number;
  corrupted: number;
  missing: number;
  unreadable: number;
  bytes: number;
}

/** @param paths as the person gave them; none means the config folder */
export async function scanCommand(
  context: CommandContext,
  paths: readonly string[],
  isJson: boolean,
): Promise<ExitCode> {
  const { environment, out, err, signal } = context;
  const totals: ScanCounts = { sessions: 0, healthy: 0, corrupted: 0, missing: 0, unreadable: 0, bytes: 0 };
  const problem = paths.length === 0 ? await configDirProblem(context.configDir) : null;
  if (problem !== null) {
    await err.write(`${problem}\n`);
    if (isJson) await out.writeJsonDocument('sessions', nothing(), () => ({ totals: totalsJson(totals) }));
    return EXIT_CODE.unusable;
  }

  const transcripts = await listTranscripts(context.engines.default, absolutePaths(context, paths), signal);
  const progress = new Progress(progressStream(environment, isJson), 'Scanning', totalOf(transcripts));
  const problems: { filePath: string; problem: string }[] = [];
  const scanned = mapInOrder(transcripts, { limit: SCANS_AT_ONCE, signal }, async (transcript) => {
    const session = await scanOne(context, transcript, progress);
    return { transcript, session };
  });

  async function* counted(): AsyncGenerator<{ transcript: ListedTranscript; session: ScannedSession }> {
    for await (const each of scanned) {
      const { result } = each.session;
      count(totals, each.session);
      if (result.status === 'missing' || result.status === 'unreadable') {
        problems.push({ filePath: result.filePath, problem: each.session.problem ?? `${result.status}.` });
      }
      yield each;
    }
    progress.stop();
  }

  try {
    if (isJson) {
      await out.writeJsonDocument('sessions', resultsOf(counted()), () => ({ totals: totalsJson(totals) }));
    } else {
      const rows: SessionRow[] = [];
      for await (const { transcript, session } of counted()) rows.push(toSessionRow(session, transcript.projectFolder));
      const scope = paths.length === 0 ? [context.configDir] : paths;
      if (!signal.aborted) await out.write(scanReport(rows, totals, scope, createPage(environment)));
    }
  } finally {
    progress.stop();
  }
  for (const each of problems) await reportProblem(context, each.filePath, each.problem, paths);
  return scanExitCode(totals);
}

async function scanOne(
  context: CommandContext,
  transcript: ListedTranscript,
  progress: Progress,
): Promise<ScannedSession> {
  let reported = 0;
  const session = await context.engines.default.scan(transcript.filePath, {
    signal: context.signal,
    onProgress: (bytesRead) => {
      progress.advance(bytesRead - reported);
      reported = bytesRead;
    },
  });
  progress.advance(transcript.size - reported);
  progress.fileDone();
  return session;
}

function count(totals: ScanCounts, { result }: ScannedSession): void {
  totals.sessions += 1;
  totals[result.status] += 1;
  totals.bytes += result.fileSize;
}

function totalOf(transcripts: readonly ListedTranscript[]): { files: number; bytes: number } {
  return { files: transcripts.length, bytes: transcripts.reduce((sum, { size }) => sum + size, 0) };
}

async function* resultsOf(sessions: AsyncIterable<{ session: ScannedSession }>): AsyncGenerator<object> {
  for await (const { session } of sessions) yield scanResultJson(session.result);
}

async function* nothing(): AsyncGenerator<object> {
  // A document with an empty list.
}
