import { createEngine } from '../../../src/core/engine';
import { listTranscripts } from '../../../src/core/sessions/scanRuns';
import { ENGINE_VERSION, openSessionCache } from '../../../src/core/sessions/sessionCache';
import { diskSessionFiles } from '../../../src/core/util/diskFiles';
import type { Job } from './job';

/** Takes a config folder and the folder of a session cache in place of transcripts: which verdicts are still valid? */
export const oursWarm: Job = async (next) => {
  const [configDir, folder] = [next() ?? '', next() ?? ''];
  const engine = createEngine({ configDir });
  const cache = openSessionCache({
    folder,
    engineVersion: ENGINE_VERSION,
    diagnostics: engine.diagnostics,
    warn: console.error,
  });
  const listing = { configDir, signal: new AbortController().signal, memory: cache };
  let files = 0;
  let verdicts = 0;
  for await (const batch of listTranscripts(engine, diskSessionFiles, listing)) {
    for (const { found, stamp } of batch) {
      files++;
      if (stamp !== null && cache.get(found.path, stamp) !== null) verdicts++;
    }
  }
  return { files, verdicts };
};
