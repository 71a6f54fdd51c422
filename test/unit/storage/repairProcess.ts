// Run as a separate process: repairs the transcripts that its arguments name and prints the outcome of each.
// With `--hang` it prints `verifying` when the new content is written but not in place, and then never continues.
import { readFileSync } from 'node:fs';
import { rewriteTranscript } from '../../../src/core/storage/rewriteTranscript';
import { nodeWriteFs } from '../../../src/core/storage/writeFs';
import { depsOn, LOST_PARENT, repairRequest } from './transcriptFixture';

const [mode, ...paths] = process.argv.slice(2);

async function main(): Promise<void> {
  if (mode === '--hang') {
    const request = repairRequest(paths[0] ?? '');
    const verify = (): Promise<boolean> => {
      console.log('verifying');
      // Keeps the process alive; it is killed from outside.
      setInterval(() => undefined, 1000);
      return new Promise(() => undefined);
    };
    await rewriteTranscript({ ...request, verify }, depsOn(nodeWriteFs));
    return;
  }
  console.log('ready');
  // Both processes start when they get the signal.
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
  for (const path of paths) {
    // The file is identified first, as in a scan, so that a later write by the other process is noticed.
    const request = await requestFor(path);
    const outcome = request === null ? null : await rewriteTranscript(request, depsOn(nodeWriteFs));
    console.log(outcome === null ? 'nothing' : outcome.kind === 'written' ? 'written' : outcome.reason);
  }
}

/** Null if there is nothing to do. Waits while the other process exchanges the file: nothing stands at the path then. */
async function requestFor(path: string): Promise<ReturnType<typeof repairRequest> | null> {
  for (;;) {
    try {
      const request = repairRequest(path);
      return readFileSync(path).includes(LOST_PARENT) ? request : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

void main();
