import { basename, join } from 'node:path';
import type { Engine, FoundTranscript } from '../engine';
import type { CatalogEntry } from './catalogEntry';
import type { CatalogFiles } from './catalogFiles';
import { isSameStamp } from './catalogFiles';
import { forEachConcurrent } from './forEachConcurrent';
import { transcriptsWithBackup } from './repairBackups';

/** Files asked for their stamp at the same time. */
const STAMP_CONCURRENCY = 16;

export interface ListingOptions {
  /** Absolute path of the engine's config folder. */
  readonly configDir: string;
  /** What was known: a transcript that did not change since keeps its scan. */
  readonly known: ReadonlyMap<string, CatalogEntry>;
  /** Every transcript waits for a scan, changed or not. */
  readonly rescanUnchanged: boolean;
  readonly signal: AbortSignal;
}

/**
 * The transcripts of the engine's config folder, by path. Incomplete when aborted. Rejects with a sentence for people
 * when none can be listed; a project that cannot be listed is an entry of its own, whose scan says why.
 */
export async function listTranscripts(
  engine: Engine,
  files: CatalogFiles,
  { configDir, known, rescanUnchanged, signal }: ListingOptions,
): Promise<Map<string, CatalogEntry>> {
  const projects = join(configDir, 'projects');
  for (const folder of [configDir, projects]) {
    if ((await files.stamp(folder))?.isFolder === false) throw new Error(`${folder} is not a folder.`);
  }
  const found: FoundTranscript[] = [];
  for await (const transcript of engine.find([], signal)) {
    const { filePath } = transcript;
    if (filePath === configDir || filePath === projects) {
      const { problem } = await engine.scan(filePath, { signal });
      throw new Error(problem ?? `${filePath} cannot be listed.`);
    }
    found.push(filePath.endsWith('.jsonl') ? transcript : { ...transcript, projectFolder: filePath });
  }

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
