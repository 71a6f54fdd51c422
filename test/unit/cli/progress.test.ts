import assert from 'node:assert/strict';
import { Progress, progressStream } from '../../../src/cli/batch';
import { CapturedStream } from './runCli';

const TOTAL = { files: 2, bytes: 2_000_000 };

function draw(isTTY: boolean, delayMs: number): Promise<string> {
  const stream = new CapturedStream();
  stream.isTTY = isTTY;
  const progress = new Progress(stream, 'Scanning', TOTAL, delayMs);
  return new Promise((resolve) => {
    setTimeout(() => {
      progress.advance(1_000_000);
      progress.fileDone();
      progress.stop();
      progress.stop();
      resolve(stream.text);
    }, 5);
  });
}

describe('The progress bar', () => {
  it('shows on a terminal how many sessions and bytes are done, and removes itself', async () => {
    const text = await draw(true, 0);
    assert.match(text, /Scanning \[=* *\] \d+% {2}\d of 2 {2}/);
    // It clears its line and shows the cursor again.
    assert.ok(text.includes('\u001b[?25h'));
  });

  it('is not shown for short work', async () => {
    assert.equal(await draw(true, 60_000), '');
  });

  it('is not shown when stderr is not a terminal', async () => {
    assert.equal(await draw(false, 0), '');
  });

  it('does not mix with a document that streams to the same terminal', () => {
    const [stdout, stderr] = [new CapturedStream(), new CapturedStream()];
    stdout.isTTY = true;
    const environment = { stdout, stderr } as unknown as Parameters<typeof progressStream>[0];
    assert.equal(progressStream(environment, true), null);
    assert.equal(progressStream(environment, false), stderr);
  });
});
