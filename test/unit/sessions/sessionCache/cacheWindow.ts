import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diagnosticsFor } from '../../../rooms/diagnose';
import { openSessionCache, plainSession, type SessionCache } from '../../../rooms/sessions';
import type { FileStamp } from '../../../rooms/util';
import type { ScannedSession } from '../../../../src/protocol/session';
import { type ScanChange, scanOf, stampOf, transcript } from '../fakes';

/** File name of the cache in its folder. */
export const CACHE_FILE = 'sessions.cache';

export interface Window {
  readonly cache: SessionCache;
  readonly warnings: readonly string[];
}

/** A window that opens the cache anew. Its scans are made at `nowMs`. */
export function openCache(
  folder: string,
  { engineVersion = '1', nowMs = 1000, diagnostics = diagnosticsFor() } = {},
): Window {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  return { cache: openSessionCache({ folder, engineVersion, diagnostics, warn, now: () => nowMs }), warnings };
}

export function sessionOf(name: string, change: ScanChange = {}): readonly [string, FileStamp, ScannedSession] {
  const found = transcript('-work', name);
  return [found.path, stampOf(1), scanOf(found, change)];
}

export function titleIn(cache: SessionCache, name: string): string | null {
  const [filePath, stamp] = sessionOf(name);
  return cache.get(filePath, stamp)?.metadata.title ?? null;
}

export function plainOrNull(session: ScannedSession | null): ScannedSession | null {
  return session === null ? null : plainSession(session);
}

/** Transcripts that exist, by name. */
export async function listedTranscripts(
  folder: string,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const files = names.map((name) => [name, join(folder, `${name}.jsonl`)] as const);
  for (const [, path] of files) await writeFile(path, '');
  return Object.fromEntries(files);
}
