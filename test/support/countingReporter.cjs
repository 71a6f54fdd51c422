// Mocha's spec reporter, which also appends its counts and failures to the file named by RETHREAD_TEST_COUNTS (one line
// of JSON per run), so that a script can add up the suites that it ran, and print the failures at the end, where
// readers look.
const { appendFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** In characters: a difference between two long texts is shown completely further up. */
const MAX_REASON = 1500;

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const failed = this.failures.map((test) => ({
        title: test.fullTitle(),
        reason: String(test.err?.stack ?? test.err).slice(0, MAX_REASON),
      }));
      const line = JSON.stringify({ passed: passes, failed: failures, skipped: pending, failures: failed });
      if (process.env.RETHREAD_TEST_COUNTS) appendFileSync(process.env.RETHREAD_TEST_COUNTS, `${line}\n`);
    });
  }
};
