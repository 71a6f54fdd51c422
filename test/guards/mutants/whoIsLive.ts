import type { Mutant } from '../mutant';

const LIVENESS = 'core/providers/claude/live/liveness.ts';
const REGISTRY = 'core/providers/claude/live/registry.ts';
const PROVIDER = 'core/providers/claude/claudeProvider.ts';
const REWRITE = 'core/storage/rewriteTranscript.ts';
const REWINDS = 'core/history/rewind/rewinds.ts';
const liveTests = ['unit/providers/liveness.test.ts'];
const engineTests = ['unit/engine/engine.test.ts'];
const janitorTests = ['unit/storage/janitor.test.ts'];

/** Who runs a session, and what is not written meanwhile. */
export const WHO_IS_LIVE: readonly Mutant[] = [
  {
    name: 'takes a transcript behind a link for one that nobody uses',
    file: LIVENESS,
    find: 'entry?.isSymbolicLink() === true ? (attempt(() => realpathSync(named)) ?? named) : named',
    replacement: 'named',
    tests: liveTests,
  },
  {
    name: 'takes a linked project for another one',
    file: LIVENESS,
    find: 'attempt(() => realpathSync(folder)) ?? folder',
    replacement: 'folder',
    tests: liveTests,
  },
  {
    name: 'does not see that a hard link is the transcript of a running session',
    file: LIVENESS,
    find: 'other.dev === file.dev && other.ino === file.ino',
    replacement: 'false',
    tests: liveTests,
  },
  {
    name: 'takes a client of another container for one that has ended',
    file: REGISTRY,
    find: "return pidDomain === null && machine.isAlive(pid, procStart) ? 'runs' : 'may run';",
    replacement: "return pidDomain === null && machine.isAlive(pid, procStart) ? 'runs' : 'ended';",
    tests: liveTests,
  },
  {
    name: 'passes over a record that cannot be read',
    file: REGISTRY,
    find: 'for (const file of broken) reading.takeBrokenRecord(file, files.keys);',
    replacement: '',
    tests: liveTests,
  },
  {
    name: 'takes a registry that cannot be read for an empty one',
    file: REGISTRY,
    find: "if (files === null || files === 'gone') reading.mayHoldAny = MAYBE_LIVE.unreadable;\n  else {",
    replacement: "if (files !== null && files !== 'gone') {",
    tests: liveTests,
  },
  {
    name: 'passes over a client that has only a key',
    file: REGISTRY,
    find: 'for (const key of files.keys) reading.takeKey(key);',
    replacement: '',
    tests: liveTests,
  },
  {
    name: 'passes over a client without any record',
    file: LIVENESS,
    find: 'if (why === null && this.#isWorkedIn(place, configDir, registry)) why = MAYBE_LIVE.unrecorded;',
    replacement: '',
    tests: liveTests,
  },
  {
    name: 'takes the record of another process with the same pid for that of a running client',
    file: REGISTRY,
    find: "if (holder !== null && standing === 'runs' && tells) this.pids.add(holder.pid);",
    replacement: 'if (holder !== null) this.pids.add(holder.pid);',
    tests: liveTests,
  },
  {
    name: 'passes over background jobs',
    file: REGISTRY,
    find: 'reading.takeJobs(join(configDir, JOBS_FOLDER));',
    replacement: '',
    tests: liveTests,
  },
  {
    name: 'does not wait for a client that keeps no registry',
    file: LIVENESS,
    find: 'this.#isFreshOfOldClient(place) ? MAYBE_LIVE.oldClient : null',
    replacement: 'null',
    tests: liveTests,
  },
  {
    name: 'writes to a session that runs',
    file: PROVIDER,
    find: "if (answer.live === 'live') throw new Refusal('live', PROBLEMS.live);",
    replacement: '',
    tests: engineTests,
  },
  {
    name: 'writes without asking to a session that may run',
    file: PROVIDER,
    find: "if (answer.live === 'not-live' || mayBeLive) return;",
    replacement: "if (answer.live !== 'live') return;",
    tests: engineTests,
  },
  {
    name: 'lets an automatic repair write to a session that may run',
    file: PROVIDER,
    find: 'guard(filePath, { mayBeLive: mayBeLive && !isAutomatic })',
    replacement: 'guard(filePath, { mayBeLive: mayBeLive || isAutomatic })',
    tests: engineTests,
  },
  {
    name: 'recovers leftovers while a client runs the session',
    file: 'core/storage/openTranscript.ts',
    find: '      await assertNotLive();\n',
    replacement: '',
    tests: [...engineTests, ...janitorTests],
  },
  {
    name: 'does not ask again right before the exchange',
    file: REWRITE,
    find: '  await assertNotLive();\n',
    replacement: '',
    tests: ['unit/storage/rewriteTranscript.test.ts'],
  },
  {
    name: 'rewinds the files of a session that runs',
    file: REWINDS,
    find: '    if (live !== null) return refusedOutcome(live.code, live.text);\n    return apply(planned, request);',
    replacement: '    return apply(planned, request);',
    tests: ['unit/history/rewind/planRewind.test.ts'],
  },
  {
    name: 'repairs again by itself what a person has undone',
    file: PROVIDER,
    find: 'if (how.isAutomatic === true && (await declined(filePath).has(sessionIdOf(filePath)))) {',
    replacement: 'if (how.isAutomatic === undefined) {',
    tests: engineTests,
  },
  {
    name: 'does not ask again right before it changes the first file',
    file: REWINDS,
    find: 'if (live !== null) throw new FilesRefusal(live.code, live.text);\n        assertHeld();',
    replacement: "if (live?.text === '') return;\n        assertHeld();",
    tests: ['unit/history/rewind/planRewind.test.ts'],
  },
  {
    name: 'never looks again at a session that was left alone because it was fresh',
    file: 'core/sessions/automaticRepair.ts',
    find: '      this.#lookIn(filePath, restMs);\n',
    replacement: '',
    tests: ['unit/sessions/automaticRepair.test.ts'],
  },
];
