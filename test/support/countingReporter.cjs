// Mocha's spec reporter, which also appends its counts to the file named by RETHREAD_TEST_COUNTS (one JSON line a run),
// so that a script can add up the suites it ran.
const { appendFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const line = JSON.stringify({ passed: passes, failed: failures, skipped: pending });
      if (process.env.RETHREAD_TEST_COUNTS) appendFileSync(process.env.RETHREAD_TEST_COUNTS, `${line}\n`);
    });
  }
};
