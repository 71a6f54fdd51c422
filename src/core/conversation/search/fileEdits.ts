import { closeSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { ChangedFile, ChangedFiles, SessionOfFile } from '../../../protocol/channels/search';
import type { QuickMetadata } from '../../../protocol/session';
import { readMovedText } from '../../providers/claude/files/readMovedText';
import { findSessionSubagents, findSubagents } from '../../providers/claude/files/subagents';
import {
  EDIT_RESULT_NEEDLE,
  type EditResult,
  readEditResult,
  readFileCalls,
} from '../../providers/claude/format/fileCalls';
import { readTime } from '../../providers/claude/format/rowTypes';
import type { FoundTranscript } from '../../providers/provider';
import { dissectLine } from '../../transcript/dissectLine';
import { type JsonObject, stringField } from '../../util/json';
import { openRegularFile } from '../../util/openForeignFile';
import type { Pacer } from '../../util/scheduling';
import { bytePattern, CandidateLines } from './candidateLines';

export interface ChangedFileDeps {
  readonly pacer: Pacer;
  readonly readQuickMetadata: (filePath: string) => Promise<Pick<QuickMetadata, 'title'> | null>;
  /** The cached metadata of a session; null if there is none. */
  readonly known?: ((filePath: string) => Pick<QuickMetadata, 'title'> | null) | undefined;
}

interface Change {
  /** Null if the row does not say. */
  readonly sessionId: string | null;
  readonly line: number;
  /** Milliseconds since the epoch; null if the row has no time. */
  readonly timeMs: number | null;
}

/**
 * The sessions in which Claude, or a subagent, changed a file with its editing tools, the latest change first. What a command
 * changed is not known. Transcripts that cannot be read are left out. Rejects with the signal's reason.
 *
 * @param path absolute
 * @param batches the transcripts, those of a project together
 */
export async function sessionsThatChanged(
  path: string,
  batches: AsyncIterable<readonly FoundTranscript[]>,
  deps: ChangedFileDeps,
  signal?: AbortSignal,
): Promise<readonly SessionOfFile[]> {
  const changed: Omit<SessionOfFile, 'title'>[] = [];
  for await (const batch of batches) {
    const owners = new Map(batch.map((each) => [`${dirname(each.path)}\n${each.id}`, each]));
    const sessions = new Map<string, Omit<SessionOfFile, 'title'>>();
    const add = (
      { path: filePath, id: sessionId }: Pick<FoundTranscript, 'path' | 'id'>,
      change: Change,
      isOwn: boolean,
    ) => {
      const { changes, line, timeMs } = sessions.get(filePath) ?? { changes: 0, line: null, timeMs: null };
      sessions.set(filePath, {
        ...{ filePath, sessionId, changes: changes + 1 },
        line: isOwn ? change.line : line,
        timeMs: change.timeMs === null ? timeMs : Math.max(change.timeMs, timeMs ?? 0),
      });
    };
    for (const transcript of batch) {
      for (const change of await changesIn(transcript.path, path, deps.pacer, signal)) add(transcript, change, true);
    }
    for (const folder of new Set(batch.map((each) => dirname(each.path)))) {
      for await (const agent of findSubagents(folder)) {
        for (const change of await changesIn(agent.filePath, path, deps.pacer, signal)) {
          const sessionId = agent.sessionId ?? change.sessionId;
          const owner = owners.get(`${folder}\n${sessionId ?? ''}`);
          if (owner !== undefined) add(owner, change, false);
        }
      }
    }
    changed.push(...sessions.values());
  }
  const named = changed.map(async (session) => {
    const metadata = deps.known?.(session.filePath) ?? (await deps.readQuickMetadata(session.filePath));
    return { ...session, title: metadata?.title ?? null };
  });
  return (await Promise.all(named)).sort(
    (a, b) => (b.timeMs ?? 0) - (a.timeMs ?? 0) || (a.filePath < b.filePath ? -1 : 1),
  );
}

/** In line order; empty if the transcript cannot be read. */
async function changesIn(
  transcriptPath: string,
  path: string,
  pacer: Pacer,
  signal: AbortSignal | undefined,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for await (const { row, line } of rowsWith(basename(path), transcriptPath, pacer, signal)) {
    for (let count = changesOf(row, path); count > 0; count--) {
      changes.push({ line, sessionId: stringField(row, 'sessionId'), timeMs: timeOf(row) });
    }
  }
  return changes;
}

/** The rows that contain a text, in line order; none if the transcript cannot be read. */
async function* rowsWith(
  text: string,
  transcriptPath: string,
  pacer: Pacer,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly row: JsonObject; readonly line: number }> {
  try {
    const { file, identity } = openRegularFile(transcriptPath);
    try {
      const lines = new CandidateLines(file, Number(identity.size), bytePattern(text, true));
      for (let found = lines.next(); found !== null; found = lines.next()) {
        for (const { line, bytes } of found) {
          for (const { object } of dissectLine(bytes, line === 1).objects) yield { row: object, line };
        }
        signal?.throwIfAborted();
        const turn = pacer.yieldIfDue();
        if (turn !== null) await turn;
      }
    } finally {
      closeSync(file);
    }
  } catch {
    // The list of sessions says of each transcript whether it can be read.
    signal?.throwIfAborted();
  }
}

/** Longest text of a file that is compared, in UTF-16 units. */
const MAX_TEXT = 4 * 1024 * 1024;

/**
 * The files that a session and its subagents changed with Claude's editing tools, as far as the transcripts hold them: each as it
 * was before its first edit and after its last, in the order of the first edits. Files whose contents are not known, or are too
 * long, are only named.
 */
export async function filesChangedBy(transcriptPath: string, pacer: Pacer): Promise<ChangedFiles> {
  const subagents = await findSessionSubagents(transcriptPath);
  const edits: { readonly result: EditResult; readonly path: string; readonly timeMs: number }[] = [];
  for (const filePath of [transcriptPath, ...subagents.map((each) => each.filePath)]) {
    for await (const { row } of rowsWith(EDIT_RESULT_NEEDLE, filePath, pacer)) {
      const result = readEditResult(row, (text) => readMovedText(filePath, text));
      if (result === null) continue;
      const path = resolve(stringField(row, 'cwd') ?? '/', result.path);
      edits.push({ result, path, timeMs: timeOf(row) ?? edits.at(-1)?.timeMs ?? 0 });
    }
  }
  const files = new Map<string, { before: string | null | undefined; after: string | null }>();
  for (const { path, result } of edits.sort((a, b) => a.timeMs - b.timeMs)) {
    const { before } = files.get(path) ?? result;
    files.set(path, { before, after: result.after });
  }
  const compared: ChangedFile[] = [];
  const unknown: string[] = [];
  for (const [path, { before, after }] of files) {
    if (before === undefined || after === null || Math.max(before?.length ?? 0, after.length) > MAX_TEXT)
      unknown.push(path);
    else if (before !== after) compared.push({ path, before, after });
  }
  return { compared, unknown };
}

function timeOf(row: JsonObject): number | null {
  const timeMs = readTime(row['timestamp']);
  return Number.isNaN(timeMs) ? null : timeMs;
}

/**
 * How often a row changes the file. The result of an edit has its path, and there is none if it failed. The client notes no
 * path with the result of an edit of a notebook, so its calls count.
 */
function changesOf(row: JsonObject, path: string): number {
  const isIt = (named: string): boolean => resolve(stringField(row, 'cwd') ?? '/', named) === path;
  // The texts do not matter.
  const result = readEditResult(row, () => null);
  if (result !== null) return isIt(result.path) ? 1 : 0;
  if (!path.endsWith('.ipynb')) return 0;
  return readFileCalls(row).filter((call) => call.kind === 'edit' && isIt(call.path)).length;
}
