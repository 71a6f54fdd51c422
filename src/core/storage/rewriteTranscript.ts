import { resolve } from 'node:path';
import { createBackup } from './backups';
import { type FileIdentity, isSameIdentity } from './fileAttributes';
import { readChunks } from './fileBytes';
import { type OpenTranscript, withTranscript, type WriteDeps } from './openTranscript';
import { PROBLEMS, Refusal, type Refused } from './refusal';
import { replaceTranscript } from './replaceTranscript';
import { isSplicedCopy, type Splice, Splicer } from './splice';
import { closeQuietly, removeQuietly } from './staleFiles';

export interface RewriteRequest {
  readonly filePath: string;
  /** The transcript for which the splices were planned. */
  readonly expected: FileIdentity;
  readonly splices: readonly Splice[];
  /** Whether a client runs the session; called at the start and again just before the swap. */
  readonly isLive: () => Promise<boolean>;
  /** The caller's check that the content is as planned: a simulation on the file at `path`. */
  readonly verify: (path: string) => Promise<boolean>;
}

export interface Written {
  readonly kind: 'written';
  /** Holds the original transcript, byte for byte. */
  readonly backupPath: string;
  readonly identity: FileIdentity;
  /** One sentence to show if rows that arrived during the swap are kept elsewhere; usually null. */
  readonly warning: string | null;
}

export type RewriteOutcome = Written | Refused;

/**
 * Changes only the spliced bytes of a transcript, keeps its mode and mtime, and keeps a backup. Never rejects: if it
 * refuses, the transcript is unchanged and no file is left beside it.
 */
export async function rewriteTranscript(request: RewriteRequest, deps: WriteDeps): Promise<RewriteOutcome> {
  return withTranscript(resolve(request.filePath), deps, (transcript) => rewrite(transcript, request, deps));
}

async function rewrite(transcript: OpenTranscript, request: RewriteRequest, deps: WriteDeps): Promise<Written> {
  const { file, identity } = transcript;
  if (!isSameIdentity(identity, request.expected)) {
    const problem = transcript.hasRecoveredRows
      ? 'Rows that an interrupted repair had set aside were put back first. Scan the session and try again.'
      : PROBLEMS.changed;
    throw new Refusal('changed-while-repairing', problem);
  }
  const splicer = splicerFor(request.splices, identity.size);
  if (await request.isLive()) throw new Refusal('live', PROBLEMS.live);
  const token = deps.random();
  const backup = await createBackup(transcript, token, deps);
  try {
    const { identity: written, warning } = await replaceTranscript(
      transcript,
      {
        async write(writer) {
          for await (const chunk of readChunks(file, 0, identity.size)) {
            for (const bytes of splicer.push(chunk)) await writer.write(bytes);
          }
          for (const bytes of splicer.end()) await writer.write(bytes);
        },
        isAsIntended: (copy) => isSplicedCopy({ file: backup.file, size: identity.size }, copy, request.splices),
        verify: request.verify,
        isLive: request.isLive,
        times: transcript.stat,
      },
      token,
      deps,
    );
    return { kind: 'written', backupPath: backup.path, identity: written, warning };
  } catch (error) {
    await removeQuietly(backup.path, deps.fs);
    throw error;
  } finally {
    await closeQuietly(backup.file);
  }
}

function splicerFor(splices: readonly Splice[], size: number): Splicer {
  try {
    const last = splices.at(-1);
    if (last !== undefined && last.offset + last.length > size) throw new RangeError('Failed to splice beyond the end');
    return new Splicer(splices);
  } catch (error) {
    throw new Refusal('not-repairable', 'The planned edits do not fit this transcript, so nothing was changed.', {
      cause: error,
    });
  }
}
