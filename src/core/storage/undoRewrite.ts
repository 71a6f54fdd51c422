import { resolve } from 'node:path';
import type { FileIdentity } from './fileAttributes';
import { areNextBytes, areNextBytesEqual, ByteCursor, type FileRange, readChunks, readFully } from './fileBytes';
import { findBackups } from './backupNames';
import { type LiveGuard, openToRead, type OpenTranscript, withTranscript, type WriteDeps } from './openTranscript';
import { Refusal, type Refused } from './refusal';
import { type Replacement, replaceTranscript } from './rewriteTranscript';
import { type RepairTrace, traceRepair } from './traceRepair';
import { closeQuietly, type FileStat, type ReadableFile, removeQuietly } from './writeFs';

export interface UndoRequest {
  readonly filePath: string;
  /** Called at the start and again just before the swap. */
  readonly assertNotLive: LiveGuard;
  /** What may explain how the transcript differs from its backup: the first that does counts. By default, a repair. */
  readonly traces?: readonly TraceChange[];
  /** Throws a refusal if what was appended since the repair needs what an undo would take away. By default, it never does. */
  readonly assertTailStays?: (appended: AppendedRows) => Promise<void>;
}

/** Where the rows that were appended since a repair are: in the transcript, and in the file that an undo has written. */
export interface AppendedRows {
  /** Offsets in bytes. */
  readonly transcript: { readonly path: string; readonly from: number };
  readonly restored: { readonly path: string; readonly from: number };
}

/** How a transcript differs from its backup. Both ranges are whole files. */
type TraceChange = (backup: NamedRange, current: NamedRange) => Promise<RepairTrace>;

export interface NamedRange extends FileRange {
  readonly path: string;
}

export interface Restored {
  readonly kind: 'restored';
  /** The backup whose bytes the transcript holds; it was removed, so that the next undo uses the one before. */
  readonly backupPath: string;
  readonly identity: FileIdentity;
  /** Number of bytes that were appended since the repair and kept. */
  readonly keptBytes: number;
  /** One sentence to show if rows that arrived during the swap are kept elsewhere; usually null. */
  readonly warning: string | null;
}

export type UndoOutcome = Restored | Refused;

/**
 * Restores the bytes of the newest backup and keeps what was appended since the repair. Refuses if the transcript is
 * anything but the repaired backup with bytes appended. Never rejects.
 */
export async function undoRewrite(request: UndoRequest, deps: WriteDeps): Promise<UndoOutcome> {
  return withTranscript(resolve(request.filePath), request.assertNotLive, deps, async (transcript) => {
    const [path] = await findBackups(transcript.filePath, deps.fs);
    if (path === undefined)
      throw new Refusal('no-backup', 'There is no backup of this session, so there is nothing to undo.');
    const file = await openToRead(path, `The backup ${path}`, deps.fs);
    try {
      return await restore(transcript, { path, file, stat: await file.stat() }, request, deps);
    } finally {
      await closeQuietly(file);
    }
  });
}

interface OpenBackup {
  readonly path: string;
  readonly file: ReadableFile;
  readonly stat: FileStat;
}

async function restore(
  transcript: OpenTranscript,
  backup: OpenBackup,
  request: UndoRequest,
  deps: WriteDeps,
): Promise<Restored> {
  const size = Number(backup.stat.size);
  const trace = await firstTrace(
    { path: backup.path, file: backup.file, from: 0, to: size },
    { path: transcript.filePath, file: transcript.file, from: 0, to: transcript.identity.size },
    request.traces ?? [traceRepair],
  );
  if (trace.kind === 'unexplained') {
    throw new Refusal(
      'changed-since-repair',
      `The session was also changed in other ways than by new messages, so it was left as it is. The version from before is ${backup.path}.`,
    );
  }
  const keptBytes = transcript.identity.size - trace.tailStart;
  if (trace.isUnchanged) {
    await removeQuietly(backup.path, deps.fs);
    return { kind: 'restored', backupPath: backup.path, identity: transcript.identity, keptBytes, warning: null };
  }
  const { tailStart } = trace;
  const { restoredFrom, ...replacement } = await restoredContent(transcript, backup, tailStart);
  const verify = async (path: string): Promise<boolean> => {
    const restored = { path, from: restoredFrom };
    if (keptBytes > 0)
      await request.assertTailStays?.({ transcript: { path: transcript.filePath, from: tailStart }, restored });
    return true;
  };
  const { identity, warning, isDurable } = await replaceTranscript(
    transcript,
    { ...replacement, verify, assertNotLive: request.assertNotLive },
    deps.random(),
    deps,
  );
  // Until the swap is on disk, the backup may be the only copy of these bytes that survives a power failure.
  if (isDurable) await closeQuietly(backup.file).then(() => removeQuietly(backup.path, deps.fs));
  return { kind: 'restored', backupPath: backup.path, identity, keptBytes, warning };
}

async function firstTrace(
  backup: NamedRange,
  current: NamedRange,
  traces: readonly TraceChange[],
): Promise<RepairTrace> {
  for (const trace of traces) {
    const found = await trace(backup, current);
    if (found.kind !== 'unexplained') return found;
  }
  return { kind: 'unexplained' };
}

/** The backup, followed by what was appended to the transcript. */
async function restoredContent(
  transcript: OpenTranscript,
  backup: OpenBackup,
  tailStart: number,
): Promise<Pick<Replacement, 'write' | 'isAsIntended' | 'times'> & { readonly restoredFrom: number }> {
  const backupSize = Number(backup.stat.size);
  const { size } = transcript.identity;
  const separator = (await needsNewline(transcript, backup, tailStart)) ? Buffer.from('\n') : Buffer.alloc(0);
  return {
    restoredFrom: backupSize + separator.length,
    async write(writer) {
      for await (const chunk of readChunks(backup.file, 0, backupSize)) await writer.write(chunk);
      await writer.write(separator);
      for await (const chunk of readChunks(transcript.file, tailStart, size)) await writer.write(chunk);
    },
    async isAsIntended(written) {
      const tailSize = size - tailStart;
      const meantSize = backupSize + separator.length + tailSize;
      if (Number((await written.stat()).size) !== meantSize) return false;
      const result = new ByteCursor({ file: written, from: 0, to: meantSize });
      return (
        (await areNextBytesEqual(new ByteCursor({ file: backup.file, from: 0, to: backupSize }), result, backupSize)) &&
        (await areNextBytes(result, separator)) &&
        (await areNextBytesEqual(
          new ByteCursor({ file: transcript.file, from: tailStart, to: size }),
          result,
          tailSize,
        ))
      );
    },
    times: tailStart < size ? transcript.stat : backup.stat,
  };
}

/**
 * A row that was appended after a repair must not follow the NULs or the missing newline at the end of the backup,
 * because Claude would not see it. The second part of a row that the client wrote in two parts does not start with a
 * brace.
 */
async function needsNewline(transcript: OpenTranscript, backup: OpenBackup, tailStart: number): Promise<boolean> {
  const last = Buffer.alloc(1);
  const next = Buffer.alloc(1);
  await readFully(backup.file, last, Number(backup.stat.size) - 1);
  const hasTail = tailStart < transcript.identity.size && (await readFully(transcript.file, next, tailStart)) === 1;
  return hasTail && last.toString() !== '\n' && next.toString() === '{';
}
