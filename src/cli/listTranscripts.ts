import { stat } from 'node:fs/promises';
import type { Engine, FoundTranscript } from '../core/engine';

export interface ListedTranscript extends FoundTranscript {
  /** Bytes; 0 when it cannot be told. */
  readonly size: number;
}

/**
 * The transcripts that the paths name, each once, in the engine's order. Ends with what was found when the signal
 * aborts.
 */
export async function listTranscripts(
  engine: Engine,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly ListedTranscript[]> {
  const listed = new Map<string, ListedTranscript>();
  try {
    for await (const found of engine.find(paths, signal)) {
      if (signal.aborted) break;
      if (listed.has(found.filePath)) continue;
      listed.set(found.filePath, { ...found, size: await sizeOf(found.filePath) });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return [...listed.values()];
}

async function sizeOf(filePath: string): Promise<number> {
  try {
    return (await stat(filePath)).size;
  } catch {
    // Its scan says what is wrong with it; here it only weighs nothing.
    return 0;
  }
}
