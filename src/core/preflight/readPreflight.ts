import { basename } from 'node:path';
import type { Preflight } from '../../protocol/preflight';
import { MessageCounter } from '../conversation/messageCounter';
import { canBeJudged, diagnoseRequest } from '../diagnose/poison/diagnoseRequest';
import { createSlimTrace } from '../diagnose/slim/slimTranscript';
import { contentProblem, loadSession } from '../diagnose/scanSession';
import type { Diagnostics } from '../diagnose/verdict';
import { plainModel, resumableModel } from '../providers/claude/format/contextWindow';
import { sessionRefOf } from '../providers/claude/format/paths';
import { readSessionContext } from '../providers/claude/format/sessionMetadata';
import { type LoadedTranscript, remembersSummary, type Resume } from '../providers/claude/loader/loadTranscript';
import { backupTime, findBackups } from '../storage/backupNames';
import type { FileRange } from '../storage/fileBytes';
import { closeQuietly, nodeWriteFs, type ReadableFile } from '../storage/writeFs';
import { RowFlag, RowKind } from '../transcript/rowFlags';
import { OtherFileError, RowSource } from '../transcript/rowSource';
import { createFileScanner, type FileScanner } from '../transcript/scanFile';
import type { ScannerFactory } from '../transcript/scanner';
import { RetainedRows, TranscriptRows } from '../transcript/transcriptRows';
import { type ChainAnswer, findLastAnswers } from '../usage/contextReader';
import { contextOf, resumeCostOf } from '../usage/describeReport';
import type { PriceBook } from '../usage/prices';
import type { FileProblem } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import { estimateRequest, type LastReply } from './estimateRequest';
import { readRearms } from './readRearms';

export interface PreflightQuestion {
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  /** Of the client that resumes. */
  readonly diagnostics: Diagnostics;
  readonly prices: PriceBook;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Whether the request is judged, too, which costs JSON.parse of all that is loaded, without a turn of the event loop. */
  readonly judgesRequest?: boolean;
}

export type PreflightAnswer =
  /** `isRefused`: the API refuses every further prompt. False if the request was not judged. */
  | { readonly kind: 'preflight'; readonly preflight: Preflight; readonly isRefused: boolean }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** So many replies before the last one tell for how long the session is cached. */
const EARLIER_REPLIES = 100;
const SCAN = { withUsage: true } as const;

/** Reads what resuming a session means. Nothing is written. Rejects with the file system's error if the file changes meanwhile. */
export async function readPreflight(filePath: string, question: PreflightQuestion): Promise<PreflightAnswer> {
  const { createScanner, pacer, diagnostics, judgesRequest = false } = question;
  const scan = createFileScanner(createScanner, pacer);
  const found = await loadSession(filePath, scan, diagnostics.rules, SCAN);
  if (found.kind === 'problem') return found;
  const { loaded, identity } = found;
  const problem = contentProblem(filePath, loaded.index);
  if (problem !== null) return { kind: 'problem', problem };
  const source = RowSource.open(filePath, Number(identity.size));
  try {
    const { ino, dev, size } = source.identity;
    if (ino !== identity.ino || dev !== identity.dev || size < identity.size) {
      throw new OtherFileError('The transcript was replaced while its rows were read');
    }
    const rows = new TranscriptRows(loaded.index.rows, source, new RetainedRows());
    const preflight = await describe(filePath, loaded, rows, question, scan);
    return { kind: 'preflight', preflight, isRefused: judgesRequest && isRefused(filePath, loaded) };
  } finally {
    source.close();
  }
}

function isRefused(filePath: string, loaded: LoadedTranscript): boolean {
  if (!canBeJudged(loaded.index)) return false;
  return diagnoseRequest(filePath, loaded).findings.some((finding) => finding.isRefused === true);
}

async function describe(
  filePath: string,
  loaded: LoadedTranscript,
  rows: TranscriptRows,
  { diagnostics, pacer, prices, nowMs }: PreflightQuestion,
  scan: FileScanner,
): Promise<Preflight> {
  const { index, resume } = loaded;
  const { version: client } = diagnostics.client;
  const { brokenAt } = resume.walk;
  const { messages, remembered } = new MessageCounter().count(rows, loaded.summary.missingLines, {
    isKept: (row) => resume.request.kept.has(row),
    limit: Infinity,
  });
  const [newest, ...earlier] = findLastAnswers(index, resume, EARLIER_REPLIES);
  const reply = newest === undefined ? null : replyOf(newest, earlier, rows);
  const laterModel = newest === undefined ? null : modelAfter(newest, resume, rows);
  const last = laterModel ?? newest?.model ?? null;
  const model = resumableModel(last, diagnostics.rules.retiredModels) === null ? null : last;
  const { tokens, causes, changesAtMs } = estimateRequest({
    nowMs,
    reply,
    isCompacted: resume.history.some((row) => index.rows.has(row, RowFlag.compactBoundary)),
    client,
    laterModel,
    unknownModel: model === null ? last : null,
    isRepaired: reply !== null && (await wasRepairedSince(reply, filePath, scan)),
    isBroken: brokenAt !== null && loaded.view.losesHistoryAbove(brokenAt),
  });
  const { sent, uncached } = tokens;
  const costUsd =
    newest === undefined || sent === null || uncached === null
      ? null
      : resumeCostOf({ model, counts: newest.counts }, prices, sent - uncached).usd;
  const { id: sessionId } = sessionRefOf(filePath);
  return {
    ...{ sessionId, filePath, client },
    messages: { loads: remembered, of: messages, hasSummary: remembersSummary(loaded) },
    ...{ tokens, causes, costUsd, model },
    rearms: await readRearms(rows, resume.history, { client, pacer, nowMs }),
    changesAtMs,
  };
}

function replyOf(newest: ChainAnswer, earlier: readonly ChainAnswer[], rows: TranscriptRows): LastReply {
  const { model, counts, row } = newest;
  const object = rows.object(row);
  return {
    model,
    ...{ reads: counts.reads, writes: counts.writes, writes1h: counts.writes1h },
    contextTokens: contextOf(newest).tokens,
    timeMs: rows.table.timeMs(row),
    client: object === null ? null : readSessionContext(object).clientVersion,
    earlier: earlier.map((each) => each.counts),
  };
}

/** The model that an attachment after the reply names, if it is another one; null otherwise. (docs/format.md, "Full context") */
function modelAfter({ row: reply, model }: ChainAnswer, { history }: Resume, { table }: TranscriptRows): string | null {
  const named = history.findLast(
    (row) => row > reply && table.kind(row) === RowKind.attachment && table.model(row) !== null,
  );
  const later = named === undefined ? null : table.model(named);
  return later === null || model === null || plainModel(later) === plainModel(model) ? null : later;
}

/** Whether a backup says that the transcript was repaired since the reply. What was slimmed is sent as before. */
async function wasRepairedSince({ timeMs }: LastReply, filePath: string, scan: FileScanner): Promise<boolean> {
  const backups = await findBackups(filePath, nodeWriteFs).catch(() => []);
  const [newest, ...others] = backups.filter((path) => (backupTime(filePath, basename(path)) ?? 0) > timeMs);
  if (newest === undefined) return false;
  // A file that was changed twice is not compared, and neither is one that changes now.
  return others.length > 0 || !(await wasSlimmed(newest, filePath, scan).catch(() => false));
}

async function wasSlimmed(backupPath: string, filePath: string, scan: FileScanner): Promise<boolean> {
  const backup = await nodeWriteFs.open(backupPath, 'read');
  try {
    const current = await nodeWriteFs.open(filePath, 'read');
    try {
      const range = async (file: ReadableFile): Promise<FileRange> => {
        return { file, from: 0, to: Number((await file.stat()).size) };
      };
      const [before, after] = [await range(backup), await range(current)];
      const trace = await createSlimTrace(scan)({ path: backupPath, ...before }, { path: filePath, ...after });
      return trace.kind === 'repaired';
    } finally {
      await closeQuietly(current);
    }
  } finally {
    await closeQuietly(backup);
  }
}
