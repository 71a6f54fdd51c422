import assert from 'node:assert/strict';
import { join, win32 } from 'node:path';
import type * as Format from '../../../rooms/format';
import type * as History from '../../../rooms/history';
import { requireOnWindows } from '../../../support/windowsPaths';

const ROOMS = join(__dirname, '../../../rooms');
const HOME = 'C:\\Users\\Ann';
const CONFIG = 'C:\\Users\\Ann\\.claude';
const ID = '11111111-2222-4333-8444-555555555555';

/** A disk on which every folder is where its path says. */
const DISK = {
  realpath: (path: string) => Promise.resolve(path),
  lstat: () => Promise.reject(new Error('not used')),
};

describe('On Windows', () => {
  let history: typeof History;
  let format: typeof Format;

  before(() => {
    // SAFETY: the modules of these types.
    history = requireOnWindows(join(ROOMS, 'history.ts')) as typeof History;
    format = requireOnWindows(join(ROOMS, 'format.ts')) as typeof Format;
  });

  async function problemsOf(path: string, roots: readonly string[]) {
    const known = { configDirs: [CONFIG], homeDir: HOME };
    const allowed = await history.allowedFolders(roots, known, DISK);
    const folder = win32.dirname(path);
    const place = history.placeProblem(path, folder, allowed);
    return {
      isRecord: history.isRecord(path, folder, allowed),
      isOutside: place?.isOutside ?? false,
      isSensitive: place?.isSensitive ?? false,
    };
  }
  const free = { isRecord: false, isOutside: false, isSensitive: false };

  it('a file in a folder that the person named may be changed, also on a drive or a share', async () => {
    for (const [root, path] of [
      ['D:\\work', 'D:\\work\\src\\a.ts'],
      ['\\\\server\\share\\work', '\\\\server\\share\\work\\a.ts'],
      ['\\\\wsl$\\Ubuntu\\home\\ann\\work', '\\\\wsl$\\Ubuntu\\home\\ann\\work\\a.ts'],
      ['D:\\', 'D:\\a.ts'],
    ] as const) {
      const expected = root === 'D:\\' ? { ...free, isSensitive: true } : free;
      assert.deepEqual(await problemsOf(path, [root]), expected, path);
    }
  });

  it('a file on another drive or share, or beside the folder, is outside', async () => {
    for (const path of [
      'E:\\work\\a.ts',
      'D:\\workshop\\a.ts',
      '\\\\other\\share\\work\\a.ts',
      '\\\\wsl$\\Ubuntu\\d\\work\\a.ts',
      'D:work\\a.ts',
    ]) {
      assert.equal((await problemsOf(path, ['D:\\work'])).isOutside, true, path);
    }
  });

  it('a sensitive file is found by each of its names', async () => {
    for (const name of [
      '.git\\hooks\\post-commit',
      '.GIT\\config',
      'GIT~1\\config',
      '.git.\\config',
      '.git::$INDEX_ALLOCATION\\x',
      '.vscode\\tasks.json',
      '.Claude\\Settings.json',
    ]) {
      assert.equal((await problemsOf(`D:\\work\\${name}`, ['D:\\work'])).isSensitive, true, name);
    }
    for (const path of [
      'C:\\Users\\Ann\\.ssh\\id_ed25519',
      'c:\\users\\ANN\\.ssh\\id_ed25519',
      '\\\\?\\C:\\Users\\Ann\\.ssh\\id_ed25519',
      '\\\\.\\c:\\users\\ann\\.SSH\\id_ed25519',
    ]) {
      assert.equal((await problemsOf(path, ['C:\\Users\\Ann', '\\\\?\\C:\\'])).isSensitive, true, path);
    }
  });

  it('a home folder in another spelling is no project either', async () => {
    for (const root of ['C:\\Users\\Ann', 'c:\\users\\ann', 'C:\\USERS', 'C:\\']) {
      assert.equal((await problemsOf('C:\\Users\\Ann\\notes.txt', [root, 'C:\\Users\\Ann'])).isSensitive, true, root);
    }
  });

  it('a record is one in any spelling', async () => {
    for (const path of [
      `${CONFIG}\\file-history\\${ID}\\x@v1`,
      'c:\\USERS\\ann\\.CLAUDE\\Rethread\\rewinds\\x',
      '\\\\?\\C:\\Users\\Ann\\.claude\\sessions\\1.json',
      `${CONFIG}\\projects\\-p\\${ID}.JSONL`,
    ]) {
      assert.equal((await problemsOf(path, [CONFIG])).isRecord, true, path);
    }
    assert.equal((await problemsOf(`${CONFIG}\\projects\\-p\\memory\\MEMORY.md`, [CONFIG])).isRecord, false);
  });

  it('a transcript has the same session, folders and config folder', () => {
    const path = `${CONFIG}\\projects\\C--Users-Ann-work\\${ID}.jsonl`;
    assert.equal(format.sessionIdOf(path), ID);
    assert.equal(format.sessionRefOf(path).id, ID);
    assert.equal(format.configDirOf(path), CONFIG);
    assert.equal(format.encodeProjectPath('C:\\Users\\Ann\\work'), 'C--Users-Ann-work');
    assert.equal(format.encodeProjectPath('\\\\wsl$\\Ubuntu\\home\\ann'), '--wsl--Ubuntu-home-ann');
  });
});
