import { type FileHandle, readdir } from 'node:fs/promises';
import { parseObject, stringField } from '../../../util/json';
import { openRegularHandle, readSmallFile } from '../../../util/openForeignFile';
import { releaseMarkOf, sessionFolderOf } from '../format/paths';

/** What may keep a transcript beyond the period after which the client deletes others. (docs/format.md, "Retention") */
export interface Exemption {
  /** Whether the session is one of the desktop app, or its transcript is empty. */
  readonly isExempt: boolean;
  /**
   * When the desktop app released the session, in milliseconds since the epoch: the period starts then, unless the
   * transcript was written later. 0 if the app deleted the session; null if it has not released it.
   */
  readonly releasedMs: number | null;
}

/** The client looks for the entrypoint in so much at the start and at the end of a transcript. */
const END_BYTES = 64 * 1024;
/** The client ignores larger marks. */
const MAX_MARK_BYTES = 4096;
/** As which client the desktop app starts Claude Code. */
const DESKTOP_ENTRYPOINTS: ReadonlySet<string | null> = new Set([
  'claude-desktop',
  'claude-desktop-3p',
  'local-agent',
  'local_agent',
]);
const ENTRYPOINT = 'entrypoint';

/**
 * Reads at most 128 KiB of a transcript, and the mark beside it. Never rejects: a transcript that cannot be read is not
 * exempt, so that nobody relies on an exemption.
 */
export async function readExemption(filePath: string): Promise<Exemption> {
  return { isExempt: await isExempt(filePath), releasedMs: releasedMsOf(filePath) };
}

async function isExempt(filePath: string): Promise<boolean> {
  try {
    const { file, size } = await openRegularHandle(filePath);
    try {
      // The client removes an empty folder first.
      if (size === 0) return !(await hasEntries(sessionFolderOf(filePath)));
      const head = (await readRange(file, 0, Math.min(size, END_BYTES))).split('\n');
      const tail = size <= END_BYTES ? head : (await readRange(file, size - END_BYTES, size)).split('\n').slice(1);
      return (
        DESKTOP_ENTRYPOINTS.has(firstEntrypoint(head)) || DESKTOP_ENTRYPOINTS.has(firstEntrypoint([...tail].reverse()))
      );
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** Null if no line has one, or none of those is a whole row. */
function firstEntrypoint(lines: readonly string[]): string | null {
  for (const line of lines) {
    if (!line.includes(`"${ENTRYPOINT}":`)) continue;
    const entrypoint = stringField(parseObject(line) ?? {}, ENTRYPOINT);
    if (entrypoint !== null) return entrypoint;
  }
  return null;
}

async function readRange(file: FileHandle, start: number, end: number): Promise<string> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.toString('utf8', 0, bytesRead);
}

async function hasEntries(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

function releasedMsOf(filePath: string): number | null {
  try {
    const { bytes, mtimeMs } = readSmallFile(releaseMarkOf(filePath), MAX_MARK_BYTES);
    const reason = stringField(parseObject(bytes.toString('utf8')) ?? {}, 'reason');
    return reason === 'delete' ? 0 : reason === 'archive' ? mtimeMs : null;
  } catch {
    return null;
  }
}
