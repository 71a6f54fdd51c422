import { resolve } from 'node:path';
import { areNextBytes, areNextBytesEqual, ByteCursor } from './byteCursor';
import { readChunks, readFully } from './fileBytes';
import type { FileIdentity } from './fileIdentity';
import { findBackups } from './findBackups';
import { closeQuietly, removeQuietly } from './leftovers';
import { openToRead, withTranscript, type OpenTranscript, type WriteDeps } from './openTranscript';
import { PROBLEMS, Refusal, type Refused } from './refusal';
import { replaceTranscript, type Replacement } from './replaceTranscript';
import { traceRepair } from './traceRepair';
import type { FileStat, ReadableFile } from './writeFs';

export interface UndoRequest {
  readonly filePath: string;
  /** Whether a client runs the session; asked at the start and again just before the swap. */
  readonly isLive: () => Promise<boolean>;
}

export interface Restored {
  readonly kind: 'restored';
  /** The backup whose bytes the transcript holds; removed, so that the next undo takes the one before. */
  readonly backupPath: string;
  readonly identity: FileIdentity;
  /** Bytes that were appended since the repair, and kept. */
  readonly keptBytes: number;
  /** One sentence for people when rows that arrived during the swap are kept elsewhere; null as a rule. */
  readonly warning: string | null;
}

export type UndoOutcome = Restored | Refused;

/**
 * Puts the bytes of the newest backup back and keeps what was appended since the repair. Refuses when the transcript
 * is anything but the repaired backup with bytes appended. Never rejects.
 */
export async function undoRewrite(request: UndoRequest, deps: WriteDeps): Promise<UndoOutcome> {
  return withTranscript(resolve(request.filePath), deps, async (transcript) => {
    if (await request.isLive()) throw new Refusal('live', PROBLEMS.live);
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
  const trace = await traceRepair(
    { file: backup.file, from: 0, to: size },
    { file: transcript.file, from: 0, to: transcript.identity.size },
  );
  if (trace.kind === 'unexplained') {
    throw new Refusal(
      'changed-since-repair',
      `The session was changed since its repair by more than new rows, so it was left as it is. The version from before the repair is ${backup.path}.`,
    );
  }
  const keptBytes = transcript.identity.size - trace.tailStart;
  if (trace.isUnchanged) {
    await removeQuietly(backup.path, deps.fs);
    return { kind: 'restored', backupPath: backup.path, identity: transcript.identity, keptBytes, warning: null };
  }
  const replacement = await restoredContent(transcript, backup, trace.tailStart);
  const { identity, warning, isDurable } = await replaceTranscript(
    transcript,
    { ...replacement, verify: () => Promise.resolve(true), isLive: request.isLive },
    deps.random(),
    deps,
  );
  // Until the swap is on the disk, the backup may be the only copy of these bytes that survives a power cut.
  if (isDurable) await closeQuietly(backup.file).then(() => removeQuietly(backup.path, deps.fs));
  return { kind: 'restored', backupPath: backup.path, identity, keptBytes, warning };
}

/** The backup, followed by what was appended to the transcript. */
async function restoredContent(
  transcript: OpenTranscript,
  backup: OpenBackup,
  tailStart: number,
): Promise<Pick<Replacement, 'write' | 'isAsMeant' | 'times'>> {
  const backupSize = Number(backup.stat.size);
  const { size } = transcript.identity;
  const separator = (await needsNewline(transcript, backup, tailStart)) ? Buffer.from('\n') : Buffer.alloc(0);
  return {
    async write(writer) {
      for await (const chunk of readChunks(backup.file, 0, backupSize)) await writer.write(chunk);
      await writer.write(separator);
      for await (const chunk of readChunks(transcript.file, tailStart, size)) await writer.write(chunk);
    },
    async isAsMeant(written) {
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
 * A row that was appended after a repair must not end up behind the NULs or the missing newline that the backup ends
 * in: Claude would not see it. The rest of a row that the client wrote in two parts begins with no brace.
 */
async function needsNewline(transcript: OpenTranscript, backup: OpenBackup, tailStart: number): Promise<boolean> {
  const last = Buffer.alloc(1);
  const next = Buffer.alloc(1);
  await readFully(backup.file, last, Number(backup.stat.size) - 1);
  const hasTail = tailStart < transcript.identity.size && (await readFully(transcript.file, next, tailStart)) === 1;
  return hasTail && last.toString() !== '\n' && next.toString() === '{';
}
