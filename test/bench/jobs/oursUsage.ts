import { scanFile } from '../../../src/core/transcript/scanFile';
import type { Job } from './job';
import { loadOurs } from './loadOurs';

/** The token counts of every message, by the scanner. */
export const oursUsage: Job = async (next) => {
  const createScanner = loadOurs();
  const total = { files: 0, input: 0, output: 0, cacheCreation: 0, cacheRead: 0 };
  for (let path = next(); path !== null; path = next()) {
    const { index } = await scanFile(path, createScanner, { withUsage: true, withByteRows: false });
    const { usage } = index;
    if (usage === null) throw new Error(`Failed to count the tokens of ${path}`);
    for (let entry = 0; entry < usage.count; entry++) {
      total.input += usage.get(entry, 'input_tokens');
      total.output += usage.get(entry, 'output_tokens');
      total.cacheCreation += usage.get(entry, 'cache_creation_input_tokens');
      total.cacheRead += usage.get(entry, 'cache_read_input_tokens');
    }
    total.files++;
  }
  return total;
};
