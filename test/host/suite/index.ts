import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { readHostTestEnvironment } from '../hostTestEnvironment';

/** VS Code calls this inside the extension host; a rejection makes the run fail. */
export async function run(): Promise<void> {
  const { outputFile, hasColor } = readHostTestEnvironment();
  if (outputFile !== undefined) {
    Mocha.reporters.Base.consoleLog = (...args: unknown[]) => {
      appendFileSync(outputFile, `${format(...args)}\n`);
    };
  }
  const mocha = new Mocha({
    timeout: 60_000,
    retries: 1,
    forbidOnly: true,
    color: hasColor,
    // This file is bundled to out/host.
    reporter: resolve(__dirname, '../../test/support/countingReporter.cjs'),
  });
  mocha.addFile(resolve(__dirname, 'tests.js'));
  const failures = await new Promise<number>((done) => mocha.run(done));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
