/** A guard of the product, and the change of its source that removes it. */
export interface Mutant {
  /** What the product does without the guard: completes "Rethread …". */
  readonly name: string;
  /** Path of the source, from `src/`. */
  readonly file: string;
  /** Occurs once in the source. */
  readonly find: string;
  readonly replacement: string;
  /** Paths of the tests that must turn red, from `test/`. */
  readonly tests: readonly string[];
  /** The thread waits for ever, so that no test can even fail; the run is killed after a while. */
  readonly hangs?: true;
}

const LIVENESS = 'core/providers/claude/live/liveness.ts';
const REGISTRY = 'core/providers/claude/live/registry.ts';
const PROVIDER = 'core/providers/claude/claudeProvider.ts';
const REWRITE = 'core/storage/rewriteTranscript.ts';
const EXCHANGE = 'core/storage/files/exchangeFile.ts';
const APPLY = 'core/storage/files/applyChanges.ts';
const OBSTACLES = 'core/history/rewind/obstacles.ts';
const SENSITIVE = 'core/history/rewind/sensitiveFiles.ts';
const REWINDS = 'core/history/rewind/rewinds.ts';
const JANITOR = 'core/storage/janitor.ts';
const HOOKS = 'core/history/checkpoints/checkpointHooks.ts';
const EXPORT = 'core/storage/writeExport.ts';

const liveTests = ['unit/providers/liveness.test.ts'];
const engineTests = ['unit/engine/engine.test.ts'];
const rootTests = ['unit/history/rewind/rewindRoots.test.ts'];
const displacedTests = ['unit/history/rewind/displacedFiles.test.ts'];
const clientTests = ['unit/storage/concurrentClient.test.ts'];
const janitorTests = ['unit/storage/janitor.test.ts'];
const hookTests = ['unit/history/checkpoints/hookSettings.test.ts'];
const exportTests = ['unit/conversation/export/conversationExports.test.ts'];

const WHO_IS_LIVE: readonly Mutant[] = [
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
    find: 'for (const name of broken) reading.takeBrokenRecord(join(folder, name), name, keys);',
    replacement: '',
    tests: liveTests,
  },
  {
    name: 'takes a registry that cannot be read for an empty one',
    file: REGISTRY,
    find: 'if (names === null) reading.mayHoldAny = MAYBE_LIVE.unreadable;\n  else {',
    replacement: 'if (names !== null) {',
    tests: liveTests,
  },
  {
    name: 'passes over a client that has only a key',
    file: REGISTRY,
    find: 'for (const key of keys) reading.takeKey(key);',
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
    find: "if (holder !== null && state === 'runs' && tells) this.pids.add(holder.pid);",
    replacement: 'if (holder !== null) this.pids.add(holder.pid);',
    tests: liveTests,
  },
  {
    name: 'passes over background jobs',
    file: REGISTRY,
    find: 'takeJobs(join(configDir, JOBS_FOLDER), reading);',
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

const WHICH_FILES: readonly Mutant[] = [
  {
    name: 'rewinds files outside the folders that the person named',
    file: OBSTACLES,
    find: '!allowed.roots.some((root) => isWithin(realFolder, root))',
    replacement: 'false',
    tests: rootTests,
  },
  {
    name: 'rewinds Git’s own files',
    file: SENSITIVE,
    find: "names.includes('.git')",
    replacement: 'false',
    tests: rootTests,
  },
  {
    name: 'rewinds Claude Code’s settings',
    file: SENSITIVE,
    find: "name === '.claude' && /^settin(gs|~)/.test(names[at + 1] ?? '')",
    replacement: "name === '' && at < 0",
    tests: rootTests,
  },
  {
    name: 'rewinds the settings of VS Code',
    file: SENSITIVE,
    find: "names.includes('.vscode')",
    replacement: 'false',
    tests: rootTests,
  },
  {
    name: 'rewinds keys and settings in the home folder',
    file: SENSITIVE,
    find: "entry?.startsWith('.') === true",
    replacement: "entry === ''",
    tests: rootTests,
  },
  {
    name: 'takes the home folder or the whole disk for a project',
    file: SENSITIVE,
    find: '  if (holding.length === 0 || !holding.every(isWide)) return null;',
    replacement: '  if (holding.length >= 0 || !holding.every(isWide)) return null;',
    tests: rootTests,
  },
  {
    name: 'does not see through the spellings of a name',
    file: 'core/history/rewind/pathNames.ts',
    find: '.toUpperCase()\n        .toLowerCase()',
    replacement: '.toString()',
    tests: [...rootTests, 'unit/history/rewind/windowsPaths.test.ts'],
  },
  {
    name: 'changes Claude Code’s and its own records',
    file: OBSTACLES,
    find: 'isRecord(path, realFolder, allowed) ? never(OWN_RECORD) : placeProblem',
    replacement: 'placeProblem',
    tests: ['unit/history/rewind/rewindRoots.test.ts', 'unit/history/rewind/rewindLimits.test.ts'],
  },
  {
    name: 'lets the choice of all files stand for that of a sensitive one',
    file: OBSTACLES,
    find: 'return paths?.has(path) === true && (!isOutside || mayLeaveRoots);',
    replacement: 'return (paths?.has(path) ?? true) && (!isOutside || mayLeaveRoots);',
    tests: rootTests,
  },
  {
    name: 'believes a forged record of a rewind',
    file: REWINDS,
    find: 'if (obstacles.length === 0) return;\n      throw new ObstaclesRefusal',
    replacement: 'if (obstacles.length >= 0) return;\n      throw new ObstaclesRefusal',
    tests: rootTests,
  },
  {
    name: 'rewinds the other files although one is in the way',
    file: REWINDS,
    find: 'if (obstacles.length === 0) return null;\n    return obstaclesOutcome',
    replacement: 'if (obstacles.length >= 0) return null;\n    return obstaclesOutcome',
    tests: rootTests,
  },
];

const TWO_AT_ONCE: readonly Mutant[] = [
  {
    name: 'replaces what another program has put at a path',
    file: EXCHANGE,
    find: '    await fs.link(from, target);',
    replacement: "    await fs.rename(from, target);\n    return 'moved';",
    tests: [...displacedTests, ...clientTests],
  },
  {
    name: 'does not compare the transcript that it has taken away',
    file: REWRITE,
    find: 'if (!isSameFile(taken, identity) || !(isGrown || isSameIdentity(taken, identity))) throw changed();',
    replacement: 'if (taken.size < 0 && isGrown) throw changed();',
    tests: clientTests,
  },
  {
    name: 'does not look at the transcript right before the exchange',
    file: REWRITE,
    find: 'if (!isSameIdentity(fileIdentity(current), identity)) throw changed();',
    replacement: 'if (current.size < 0n) throw changed();',
    tests: [...clientTests, 'unit/storage/rewriteTranscript.test.ts'],
  },
  {
    name: 'loses rows that a client appends during the exchange',
    file: REWRITE,
    find: 'const warning = await mergeLateAppends(replaced, written, filePath, fs);',
    replacement: 'const warning = null;\n  await removeQuietly(replaced.keptPath, fs);',
    tests: clientTests,
  },
  {
    name: 'does not compare a file that it has displaced',
    file: APPLY,
    find: 'if (!isPlanned || (await sha256Of(displaced, fs)) !== entry.before.sha256) throw changedRefusal();',
    replacement: "if (isPlanned && displaced === '') throw changedRefusal();",
    tests: displacedTests,
  },
  {
    name: 'does not look whether a folder was exchanged for a link',
    file: APPLY,
    find: '  if (isInPlace && isOurs) return;',
    replacement: '  if (isInPlace || made.size >= 0n) return;',
    tests: displacedTests,
  },
  {
    name: 'rewinds over an edit that came after the preview',
    file: APPLY,
    find: 'if (!isInPlace || !isUntouched(await statOrNull(targetPath(change), fs), change.before)) throw changedRefusal();',
    replacement: "if (!isInPlace && change.path === '') throw changedRefusal();",
    tests: displacedTests,
  },
  {
    name: 'takes one file for another where a disk has no inode numbers',
    file: 'core/storage/fileAttributes.ts',
    find: 'return one.ino !== 0n || (Number(one.size) === Number(other.size) && one.mtimeNs === other.mtimeNs);',
    replacement: 'return true;',
    tests: ['unit/storage/otherSystems.test.ts'],
  },
  {
    name: 'goes on although another process has taken its lock',
    file: REWRITE,
    find: "if (transcript.lock.isLost()) throw new Refusal('locked', PROBLEMS.locked);",
    replacement: '',
    tests: ['unit/storage/rewriteTranscript.test.ts'],
  },
  {
    name: 'clears what another process is working on',
    file: JANITOR,
    find: ' && !locked.has(name)',
    replacement: '',
    tests: janitorTests,
  },
  {
    name: 'removes the newest backup when it is old',
    file: JANITOR,
    find: 'const [, ...older] = await',
    replacement: 'const [...older] = await',
    tests: janitorTests,
  },
  {
    name: 'removes backups whose transcript is gone',
    file: JANITOR,
    find: '    if (!names.includes(transcript)) continue;\n',
    replacement: '',
    tests: janitorTests,
  },
];

const WHAT_IS_OPENED_AND_WRITTEN: readonly Mutant[] = [
  {
    name: 'reads a pipe as a transcript',
    file: 'core/util/openForeignFile.ts',
    find: '  if (stat.isFile()) return;\n',
    replacement: '  if (!stat.isDirectory()) return;\n',
    tests: ['unit/util/openRegular.test.ts'],
  },
  {
    name: 'waits for ever at a pipe',
    file: 'core/util/openForeignFile.ts',
    find: '(constants.O_NONBLOCK as number | undefined) ?? 0',
    replacement: '0',
    hangs: true,
    tests: ['unit/util/openRegular.test.ts'],
  },
  {
    name: 'copies a pipe that Claude is about to edit',
    file: 'core/storage/writeFs.ts',
    find: "if (mode !== 'read' || !stat.isDirectory()) assertRegular(stat);",
    replacement: '',
    tests: ['unit/util/openRegular.test.ts'],
  },
  {
    name: 'replaces a transcript without reading it back',
    file: REWRITE,
    find: 'if (!(await replacement.isAsIntended(written))) {',
    replacement: 'if (written === null) {',
    tests: ['unit/storage/rewriteTranscript.test.ts'],
  },
  {
    name: 'replaces a transcript that Claude would not load better',
    file: REWRITE,
    find: 'if (!(await replacement.verify(path))) {',
    replacement: "if (path === '') {",
    tests: ['unit/storage/rewriteTranscript.test.ts'],
  },
  {
    name: 'keeps a backup that does not read back',
    file: REWRITE,
    find: "if ((await digest(file, transcript.identity.size)) !== copied.digest('hex')) {",
    replacement: "if (copied.digest('hex') === '') {",
    tests: ['unit/storage/rewriteTranscript.test.ts'],
  },
  {
    name: 'exports over the transcript',
    file: EXPORT,
    find: "if (existing && source && isSameFile(existing, fileIdentity(source))) return 'This is the transcript.';",
    replacement: '',
    tests: exportTests,
  },
  {
    name: 'exports over another transcript',
    file: EXPORT,
    find: "  if (isTranscriptName(path)) return 'There is a transcript of this name.';\n",
    replacement: '',
    tests: exportTests,
  },
  {
    name: 'exports over a backup',
    file: EXPORT,
    find: 'transcriptsWithBackup([basename(path)]).size > 0',
    replacement: 'path === configDir',
    tests: exportTests,
  },
  {
    name: 'exports over a read-only file',
    file: EXPORT,
    find: "isReadOnly ? 'There is a read-only file of this name.' : null",
    replacement: 'isReadOnly ? null : null',
    tests: exportTests,
  },
  {
    name: 'puts an export in the place of a device',
    file: EXPORT,
    find: 'if (!existing.isFile()) return',
    replacement: 'if (existing.isDirectory()) return',
    tests: ['unit/cli/exportCommand.test.ts'],
  },
  {
    name: 'exports into the folder of Claude Code',
    file: EXPORT,
    find: 'if (folder !== null && (await isBelow(path, folder, fs)))',
    replacement: "if (folder === '' && (await isBelow(path, folder, fs)))",
    tests: exportTests,
  },
  {
    name: 'writes the hook over a link that leads out of the project',
    file: HOOKS,
    find: 'if (path.startsWith(realProject + sep))',
    replacement: 'if (path.length > 0)',
    tests: hookTests,
  },
  {
    name: 'writes the hook where a link has come into the path since the preview',
    file: HOOKS,
    find: '      if (!(await isStillInPlace(settingsPath, fs))) return `${basename(settingsPath)} is reached over a link now.`;\n',
    replacement: '',
    tests: hookTests,
  },
  {
    name: 'enables checkpoints where an administrator has forbidden hooks',
    file: HOOKS,
    find: "...(isManaged ? ['allowManagedHooksOnly'] : [])",
    replacement: '',
    tests: hookTests,
  },
  {
    name: 'enables checkpoints in Restricted Mode',
    file: 'extension/history/hookFlow.ts',
    find: 'if (isEnabled && !isTrusted()) {',
    replacement: 'if (isEnabled && !hasFolder()) {',
    tests: ['unit/extension/checkpointHook.test.ts'],
  },
  {
    name: 'replaces the hook of another installation without asking',
    file: 'extension/history/hookFlow.ts',
    find: 'if (change.replaces !== null && !(await this.#mayReplace(change.replaces, name))) return;',
    replacement: '',
    tests: ['unit/extension/checkpointHook.test.ts'],
  },
];

/** Each guard of the product, removed. */
export const MUTANTS: readonly Mutant[] = [
  ...WHO_IS_LIVE,
  ...WHICH_FILES,
  ...TWO_AT_ONCE,
  ...WHAT_IS_OPENED_AND_WRITTEN,
];
