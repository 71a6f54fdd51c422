import type { CatalogFiles } from '../catalog/catalogFiles';
import type { FirstLook } from '../catalog/catalogEntry';
import type { FoundTranscript } from '../catalog/findTranscripts';

/** A session that is to be searched. */
export interface SearchedSession {
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** When its last message was written; the file's own time stands in for it. Milliseconds since the epoch. */
  readonly activityMs: number;
  /** Bytes. */
  readonly size: number;
}

export interface ListingParts {
  readonly files: Pick<CatalogFiles, 'stamp'>;
  readonly readEnds: (filePath: string) => Promise<FirstLook | null>;
  /** What was found out about a session before; null for one that is not known. */
  readonly known?: ((filePath: string) => Pick<FirstLook, 'title' | 'lastMessageMs'> | null) | undefined;
}

/** Short reads that wait for the disk side by side. */
const LOOKS_AT_ONCE = 32;

/** Those with the latest activity first; of the same time, by path. Rejects with the signal's reason. */
export async function listSessions(
  found: AsyncIterable<FoundTranscript>,
  parts: ListingParts,
  signal?: AbortSignal,
): Promise<readonly SearchedSession[]> {
  const transcripts: FoundTranscript[] = [];
  for await (const each of found) transcripts.push(each);
  const sessions: SearchedSession[] = [];
  for (let at = 0; at < transcripts.length; at += LOOKS_AT_ONCE) {
    signal?.throwIfAborted();
    const group = transcripts.slice(at, at + LOOKS_AT_ONCE);
    sessions.push(...(await Promise.all(group.map((each) => lookAt(each, parts)))));
  }
  return sessions.sort((a, b) => b.activityMs - a.activityMs || (a.filePath < b.filePath ? -1 : 1));
}

async function lookAt({ filePath, sessionId }: FoundTranscript, parts: ListingParts): Promise<SearchedSession> {
  const stamp = await parts.files.stamp(filePath);
  const look = stamp === null ? null : (parts.known?.(filePath) ?? (await parts.readEnds(filePath)));
  return {
    filePath,
    sessionId,
    title: look?.title ?? null,
    activityMs: look?.lastMessageMs ?? stamp?.mtimeMs ?? 0,
    size: stamp?.size ?? 0,
  };
}
