import { basename, join } from 'node:path';
import type { Engine, FoundTranscript } from '../engine';
import { createPacer } from '../util/pacer';
import type { CatalogFiles, FileStamp } from './catalogFiles';
import type { FolderMemory } from './listProjects';
import { transcriptsWithBackup } from './repairBackups';

/** Longest batch: a folder of a hundred thousand transcripts shows its first ones soon. */
const MAX_BATCH = 1000;
/** Longest work between two turns of the event loop. */
const TURN_MS = 10;

/** A transcript as the disk lists it. */
export interface ListedTranscript {
  readonly found: FoundTranscript;
  /** null when the file vanished since it was found, or may not be looked at. */
  readonly stamp: FileStamp | null;
  readonly hasBackup: boolean;
}

export interface ListingOptions {
  /** Absolute path of the engine's config folder. */
  readonly configDir: string;
  readonly signal: AbortSignal;
  /** A `SessionCache`: of projects that did not change since it saw them, nothing is read. */
  readonly memory?: FolderMemory | null;
}

/**
 * The transcripts of the engine's config folder with their stamps, in batches of one project each, as they are found.
 * Reads no byte of them. With what a `SessionCache` knows of each, this is all that a warm start takes.
 *
 * Throws a sentence for people when none can be listed, and the signal's reason when it is aborted. A project that
 * cannot be listed is an entry of its own, whose scan says why.
 */
export async function* listTranscripts(
  engine: Pick<Engine, 'findBatches' | 'scan'>,
  files: CatalogFiles,
  { configDir, signal, memory = null }: ListingOptions,
): AsyncGenerator<readonly ListedTranscript[]> {
  const projects = join(configDir, 'projects');
  for (const folder of [configDir, projects]) {
    if ((await files.stamp(folder))?.isFolder === false) throw new Error(`${folder} is not a folder.`);
  }
  const pacer = createPacer(TURN_MS);
  for await (const batch of engine.findBatches([], signal, memory)) {
    const withBackup = await findBackups(batch, files);
    for (let at = 0; at < batch.length; at += MAX_BATCH) {
      signal.throwIfAborted();
      const listed: ListedTranscript[] = [];
      for (const transcript of batch.slice(at, at + MAX_BATCH)) {
        const { filePath } = transcript;
        if (filePath === configDir || filePath === projects) {
          const { problem } = await engine.scan(filePath, { signal });
          throw new Error(problem ?? `${filePath} cannot be listed.`);
        }
        const found = filePath.endsWith('.jsonl') ? transcript : { ...transcript, projectFolder: filePath };
        const hasBackup = found.hasBackup ?? withBackup.has(basename(filePath));
        listed.push({ found, stamp: files.stampNow(filePath), hasBackup });
      }
      yield listed;
      const turn = pacer.pause();
      if (turn !== null) await turn;
    }
  }
}

/** Looks for backups in the folder of the batch, unless whoever found the transcripts has done so. */
async function findBackups(batch: readonly FoundTranscript[], files: CatalogFiles): Promise<ReadonlySet<string>> {
  const unknown = batch.find(({ hasBackup }) => hasBackup === undefined);
  return unknown === undefined ? NONE : transcriptsWithBackup(await files.names(unknown.projectFolder));
}

const NONE: ReadonlySet<string> = new Set();
