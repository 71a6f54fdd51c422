import { contentProblem } from '../diagnose/scanSession';
import type { ScannerFactory } from '../transcript/scanner';
import { fileProblem } from '../util/openForeignFile';
import { createPacer } from '../util/scheduling';
import { ConfigDirUsage } from './configDirUsage';
import { type ListedUsageFile, listUsageFiles } from './listUsageFiles';
import { readUsage } from './usageReading';

export interface CountOptions {
  readonly createScanner: ScannerFactory;
  readonly signal: AbortSignal;
  /** Called once, before the first transcript is read. */
  readonly onListed: (total: { readonly files: number; readonly bytes: number }) => void;
  /** Called after each transcript, with its size in bytes. */
  readonly onCounted: (bytes: number) => void;
}

export interface CountedPaths {
  readonly usage: ConfigDirUsage;
  readonly unreadable: readonly { readonly filePath: string; readonly problem: string }[];
}

/** Longest work between two turns of the event loop, in milliseconds. */
const TURN_MS = 10;

/** Counts the transcripts that the paths name, without the cache. Rejects with the signal's reason. */
export async function countPaths(paths: readonly string[], options: CountOptions): Promise<CountedPaths> {
  const { createScanner, signal, onListed, onCounted } = options;
  const pacer = createPacer(TURN_MS);
  const usage = new ConfigDirUsage(null);
  const unreadable: { filePath: string; problem: string }[] = [];
  const listed = new Map<string, ListedUsageFile>();
  for (const path of paths) {
    try {
      for await (const file of listUsageFiles([path], pacer, signal)) listed.set(file.place.filePath, file);
    } catch (error) {
      signal.throwIfAborted();
      unreadable.push({ filePath: path, problem: fileProblem(error, path).message });
    }
  }
  onListed({ files: listed.size, bytes: [...listed.values()].reduce((sum, { stamp }) => sum + stamp.size, 0) });
  for (const { place, stamp } of listed.values()) {
    try {
      const reading = await readUsage(place.filePath, createScanner, pacer, signal);
      usage.take({ place, stamp, readAtMs: 0 }, reading);
      const problem = contentProblem(place.filePath, reading.index);
      if (problem !== null) unreadable.push({ filePath: place.filePath, problem: problem.message });
    } catch (error) {
      signal.throwIfAborted();
      unreadable.push({ filePath: place.filePath, problem: fileProblem(error, place.filePath).message });
    }
    onCounted(stamp.size);
  }
  return { usage, unreadable };
}
