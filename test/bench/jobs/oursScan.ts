import { dirname } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { Job } from './job';
import { loadOurs } from './loadOurs';

/** The engine of the worker and the command line: every verdict, from the first byte to the findings. */
export const oursScan: Job = async (next) => {
  const createScanner = loadOurs();
  let engine = null;
  let files = 0;
  let bytes = 0;
  let corrupted = 0;
  let orphans = 0;
  let loads = 0;
  for (let path = next(); path !== null; path = next()) {
    engine ??= createEngine({ configDir: dirname(dirname(dirname(path))), createScanner });
    const { result } = await engine.scan(path);
    files++;
    bytes += result.fileSize;
    if (result.status === 'corrupted') corrupted++;
    orphans += result.orphanCount;
    loads += result.resume.loads;
  }
  return { files, bytes, corrupted, orphans, loads };
};
