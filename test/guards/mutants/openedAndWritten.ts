import type { Mutant } from '../mutant';

const REWRITE = 'core/storage/rewriteTranscript.ts';
const HOOKS = 'core/history/checkpoints/checkpointHooks.ts';
const EXPORT = 'core/storage/writeExport.ts';
const hookTests = ['unit/history/checkpoints/hookSettings.test.ts'];
const exportTests = ['unit/conversation/export/conversationExports.test.ts'];

/** What is opened as a file, and over what nothing is written. */
export const WHAT_IS_OPENED_AND_WRITTEN: readonly Mutant[] = [
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
