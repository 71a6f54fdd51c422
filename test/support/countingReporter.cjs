// Mocha's spec reporter, which also appends its counts and failures to the file named by RETHREAD_TEST_COUNTS (one line
// of JSON per run), so that a script can add up the suites that it ran, and print the failures at the end, where
// readers look. Attempts that failed and were repeated are reported as well.
const { appendFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** In characters: a difference between two long texts is shown completely further up. */
const MAX_REASON = 1500;

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const repeated = [];
    runner.on(Runner.constants.EVENT_TEST_RETRY, (test, error) => {
      repeated.push(told(test, error));
      reporters.Base.consoleLog(`    failed, and is tried again: ${test.title}`);
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const failed = this.failures.map((test) => told(test, test.err));
      const line = JSON.stringify({ passed: passes, failed: failures, skipped: pending, failures: failed, repeated });
      if (process.env.RETHREAD_TEST_COUNTS) appendFileSync(process.env.RETHREAD_TEST_COUNTS, `${line}\n`);
    });
  }
};

function told(test, error) {
  return { title: test.fullTitle(), reason: String(error?.stack ?? error).slice(0, MAX_REASON) };
}
