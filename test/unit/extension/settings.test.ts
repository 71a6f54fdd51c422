import assert from 'node:assert/strict';
import {
  checkExtraConfigDirs,
  configDirOf,
  DEFAULT_LIVE_POLL_MS,
  DEFAULT_MAX_FILE_SIZE_MB,
  LARGEST_MAX_FILE_SIZE_MB,
  resolveConfigDir,
  resumeEnvironment,
  toClientVersion,
  toLivePollMs,
  toMaxFileSizeMB,
  toScanConcurrency,
} from '../../../src/extension/config/settings';

const resolve = (setting: unknown, environment?: string): string | null => {
  const configDir = resolveConfigDir(setting, environment, '/home/person');
  return configDir === null ? null : `${configDir.path} (${configDir.source})`;
};

describe('The config folder', () => {
  it('is ~/.claude by default', () => {
    assert.equal(resolve(''), '/home/person/.claude (default)');
    assert.equal(resolve(undefined, ''), '/home/person/.claude (default)');
  });
  it('is the value of $CLAUDE_CONFIG_DIR', () => {
    assert.equal(resolve('', '/env/claude/'), '/env/claude (environment)');
  });
  it('is the value of the setting rather than of the environment', () => {
    assert.equal(resolve('/set/claude', '/env/claude'), '/set/claude (setting)');
    assert.equal(resolve(' ~/work/.claude/ ', '/env/claude'), '/home/person/work/.claude (setting)');
    assert.equal(resolve('~'), '/home/person (setting)');
    assert.equal(resolve('/'), '/ (setting)');
  });
  it('is invalid if the setting is relative, since it would differ in each window', () => {
    assert.equal(resolve('claude'), null);
    assert.equal(resolve('./claude'), null);
  });
  it('ignores a setting of another type', () => {
    assert.equal(resolve(7), '/home/person/.claude (default)');
    assert.equal(resolve(null), '/home/person/.claude (default)');
  });
});

describe('Further config folders', () => {
  const check = (setting: unknown) => checkExtraConfigDirs(setting, '/home/person/.claude', '/home/person');
  const dirs = (setting: unknown) => check(setting).paths;

  it('are absolute paths, or below the home folder, each once', () => {
    assert.deepEqual(dirs(['~/.claude-work', '/mnt/wsl/.claude/', ' ~/.claude-work/ ']), [
      '/home/person/.claude-work',
      '/mnt/wsl/.claude',
    ]);
  });

  it('are not the main one, and nothing that is no such path', () => {
    assert.deepEqual(dirs(['~/.claude', 'relative', '', ' ', 7, null, ['/x']]), []);
    for (const setting of [undefined, null, '/x', { 0: '/x' }]) assert.deepEqual(dirs(setting), []);
  });

  it('are told apart from entries that cannot be one, which are named once, as they were written', () => {
    const setting = ['~/.claude', '~/work', 'relative', './x', ' relative ', '', ' ', 7, null, ['/x']];
    assert.deepEqual(check(setting), {
      paths: ['/home/person/work'],
      invalid: ['relative', './x', '7', 'null', '["/x"]'],
    });
    for (const other of [undefined, [], ['/work']]) assert.deepEqual(check(other).invalid, []);
  });

  it('contain the transcripts below their projects', () => {
    const all = ['/home/person/.claude', '/work'];
    assert.equal(configDirOf('/work/projects/-p/a.jsonl', all), '/work');
    assert.equal(configDirOf('/work/projects', all), null);
    assert.equal(configDirOf('/elsewhere/projects/-p/a.jsonl', all), null);
  });

  it('are set for a client in a terminal, but for the one that it uses anyway', () => {
    assert.deepEqual(resumeEnvironment('/work', undefined, '/home/person'), { CLAUDE_CONFIG_DIR: '/work' });
    assert.deepEqual(resumeEnvironment('/work', '/work', '/home/person'), {});
    assert.deepEqual(resumeEnvironment('/home/person/.claude', '/work', '/home/person'), { CLAUDE_CONFIG_DIR: null });
  });
});

describe('the client that is spoken for', () => {
  it('is the version of the setting', () => {
    assert.equal(toClientVersion('2.1.330'), '2.1.330');
    assert.equal(toClientVersion(' 2.1.50 '), '2.1.50');
  });
  it('is the installed one for anything else', () => {
    for (const setting of ['auto', '', '2.1', 'v2.1.330', '2.1.330-beta', 2, null, undefined]) {
      assert.equal(toClientVersion(setting), null);
    }
  });
});

describe('The number of concurrent scans', () => {
  const cases: [unknown, number][] = [
    [3, 3],
    [0, 1],
    [-5, 1],
    [2.9, 2],
    [1000, 16],
    ['8', 4],
    [Number.NaN, 4],
    [undefined, 4],
  ];
  for (const [setting, expected] of cases) {
    it(`is ${expected} for the setting ${JSON.stringify(String(setting))}`, () => {
      assert.equal(toScanConcurrency(setting), expected);
    });
  }
});

describe('The polling interval of an open conversation', () => {
  const cases: readonly [unknown, number][] = [
    [300, 300],
    [1, 50],
    [1e9, 10_000],
    [99.9, 99],
    ['100', DEFAULT_LIVE_POLL_MS],
    [Number.NaN, DEFAULT_LIVE_POLL_MS],
    [undefined, DEFAULT_LIVE_POLL_MS],
  ];
  for (const [setting, expected] of cases) {
    it(`is ${expected} ms for the setting ${JSON.stringify(setting ?? null)}`, () => {
      assert.equal(toLivePollMs(setting), expected);
    });
  }
});

describe('The largest file of which checkpoints keep a copy', () => {
  const cases: readonly [unknown, number][] = [
    [250, 250],
    [0, 1],
    [-5, 1],
    [1e9, LARGEST_MAX_FILE_SIZE_MB],
    [99.9, 99],
    ['100', DEFAULT_MAX_FILE_SIZE_MB],
    [Number.NaN, DEFAULT_MAX_FILE_SIZE_MB],
    [undefined, DEFAULT_MAX_FILE_SIZE_MB],
  ];
  for (const [setting, expected] of cases) {
    it(`has ${expected} MB for the setting ${JSON.stringify(setting ?? null)}`, () => {
      assert.equal(toMaxFileSizeMB(setting), expected);
    });
  }
});
