// What tests use of core's room "loader". A file that moves within src changes its path here alone.
export { LoadedTranscript, type Resume, simulateResume } from '../../src/core/providers/claude/loader/loadTranscript';
export { clientFor, loaderRules, NEWEST_MEASURED, RULE_VERSIONS } from '../../src/core/providers/claude/loader/rules';
