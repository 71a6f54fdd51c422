import { basename } from 'node:path';
import type { Engine, FoundTranscript } from '../engine';
import type { CatalogEntry } from './catalogEntry';
import type { CatalogFiles } from './catalogFiles';
import { isSameStamp } from './catalogFiles';
import { forEachConcurrent } from './forEachConcurrent';
import { transcriptsWithBackup } from './repairBackups';

/** Files asked for their stamp at the same time. */
const STAMP_CONCURRENCY = 16;

export interface ListingOptions {
  /** What was known: a transcript that did not change since keeps its scan. */
  readonly known: ReadonlyMap<string, CatalogEntry>;
  /** Every transcript waits for a scan, changed or not. */
  readonly rescanUnchanged: boolean;
  readonly signal: AbortSignal;
}

/** The transcripts of the engine's config folder, by path. Incomplete when aborted. */
export async function listTranscripts(
  engine: Engine,
  files: CatalogFiles,
  { known, rescanUnchanged, signal }: ListingOptions,
): Promise<Map<string, CatalogEntry>> {
  const found: FoundTranscript[] = [];
  for await (const transcript of engine.find([], signal)) found.push(transcript);

  const withBackup = new Map<string, ReadonlySet<string>>();
  const lookForBackups = async (folder: string): Promise<void> => {
    withBackup.set(folder, transcriptsWithBackup(await files.names(folder)));
  };
  const folders = new Set(found.map((transcript) => transcript.projectFolder));
  await forEachConcurrent(folders, STAMP_CONCURRENCY, lookForBackups, signal);

  const entries = new Map<string, CatalogEntry>();
  const addEntry = async (transcript: FoundTranscript): Promise<void> => {
    const stamp = await files.stamp(transcript.filePath);
    const before = known.get(transcript.filePath);
    const isUnchanged = before !== undefined && isSameStamp(before.stamp, stamp);
    entries.set(transcript.filePath, {
      found: transcript,
      stamp,
      // An outdated scan is shown until the next one takes its place.
      scan: before?.scan ?? null,
      scanNumber: isUnchanged && !rescanUnchanged ? before.scanNumber : 0,
      hasBackup: withBackup.get(transcript.projectFolder)?.has(basename(transcript.filePath)) ?? false,
    });
  };
  await forEachConcurrent(found, STAMP_CONCURRENCY, addEntry, signal);
  return entries;
}
