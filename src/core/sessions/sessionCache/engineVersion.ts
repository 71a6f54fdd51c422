/** Filled in by scripts/build.mjs; not there when the sources run as they are. */
declare const __RETHREAD_VERSION__: string | undefined;

/**
 * To be counted up with every change that lets a scan of the same bytes say something else: in `scan`, `resume` or
 * `faults`, in what a title is, or in the sentence of a finding. Cached results of other rules are dropped.
 */
const SCAN_RULES = 4;

/** Names the rules that a result was found by. */
export const ENGINE_VERSION = `${typeof __RETHREAD_VERSION__ === 'undefined' ? 'source' : __RETHREAD_VERSION__}+${SCAN_RULES}`;
