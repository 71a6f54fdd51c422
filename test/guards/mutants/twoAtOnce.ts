import type { Mutant } from '../mutant';

const REWRITE = 'core/storage/rewriteTranscript.ts';
const EXCHANGE = 'core/storage/files/exchangeFile.ts';
const APPLY = 'core/storage/files/applyChanges.ts';
const JANITOR = 'core/storage/janitor.ts';
const displacedTests = ['unit/history/rewind/displacedFiles.test.ts'];
const clientTests = ['unit/storage/concurrentClient.test.ts'];
const janitorTests = ['unit/storage/janitor.test.ts'];

/** What happens if another program is at work at the same time. */
export const TWO_AT_ONCE: readonly Mutant[] = [
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
