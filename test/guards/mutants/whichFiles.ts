import type { Mutant } from '../mutant';

const OBSTACLES = 'core/history/rewind/obstacles.ts';
const SENSITIVE = 'core/history/rewind/sensitiveFiles.ts';
const REWINDS = 'core/history/rewind/rewinds.ts';
const rootTests = ['unit/history/rewind/rewindRoots.test.ts'];

/** Which files a rewind changes. */
export const WHICH_FILES: readonly Mutant[] = [
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
