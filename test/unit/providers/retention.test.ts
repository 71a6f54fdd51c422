import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Exemption, readExemption, readRetention, type RetentionPeriod, sweptAtMs } from '../../rooms/providers';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const ID = '11111111-2222-4333-8444-555555555555';
const NOW = 1_795_000_000_000;
const DAY_MS = 86_400_000;
const PLAIN: Exemption = { isExempt: false, releasedMs: null };
const days = (cleanupPeriodDays: unknown): object => ({ cleanupPeriodDays });
const ceiling = (desktopSessionCleanupPeriodDays: unknown): object => ({ desktopSessionCleanupPeriodDays });

/** A home with the projects `app` and `lib`, and an administrator's folder. */
class Scene {
  constructor(readonly root: string) {}

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: object | string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  read(projects: readonly string[] = ['app', 'lib']): ReturnType<typeof readRetention> {
    return readRetention({
      configDir: this.path('config'),
      projectFolders: projects.map((name) => this.path(name)),
      managedFolder: this.path('managed'),
      homeFolder: this.path('home'),
    });
  }

  /** A transcript that was written `ageDays` before `NOW`. */
  transcript(text: string, ageDays = 10): string {
    const path = this.write(`config/projects/-w-app/${ID}.jsonl`, text);
    this.age(path, ageDays);
    return path;
  }

  mark(text: string, ageDays: number): void {
    this.age(this.write(`config/projects/-w-app/${ID}.desktop-released.json`, text), ageDays);
  }

  age(path: string, ageDays: number): void {
    utimesSync(path, (NOW - ageDays * DAY_MS) / 1000, (NOW - ageDays * DAY_MS) / 1000);
  }
}

function withScene(use: (scene: Scene) => void | Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    await use(new Scene(folder));
  });
}

describe('The period after which clients delete transcripts', () => {
  it('is 30 days without settings', () =>
    withScene((scene) => {
      const period: RetentionPeriod = { days: 30, settingsPath: null };
      assert.deepEqual(scene.read(), {
        shortest: period,
        own: period,
        shortening: new Map(),
        problems: new Map(),
        exemptDays: null,
        hasExemptions: true,
      });
    }));

  it('is the shortest of all projects, and tells which of them shorten it for all', () =>
    withScene((scene) => {
      const user = scene.write('config/settings.json', days(365));
      const app = scene.write('app/.claude/settings.json', days(5));
      const lib = scene.write('lib/.claude/settings.local.json', days(90));
      scene.write('long/.claude/settings.json', days(400));
      const { shortest, own, shortening, problems } = scene.read(['app', 'lib', 'long', 'bare', 'app']);
      assert.deepEqual(own, { days: 365, settingsPath: user });
      assert.deepEqual(shortest, { days: 5, settingsPath: app });
      assert.deepEqual([...shortening.keys()], [scene.path('app'), scene.path('lib')]);
      assert.deepEqual(shortening.get(scene.path('lib')), { days: 90, settingsPath: lib });
      assert.equal(problems.size, 0);
    }));

  /** Settings by file, and the days of the shortest period: null if nothing is deleted. */
  const cases: readonly [string, Readonly<Record<string, object | string>>, number | null][] = [
    [
      'comes from local settings before those of the project',
      { 'app/.claude/settings.local.json': days(20), 'app/.claude/settings.json': days(5) },
      20,
    ],
    [
      'comes from the project before those of the person',
      { 'app/.claude/settings.json': days(20), 'config/settings.json': days(15) },
      15,
    ],
    [
      'comes from the administrator before all others',
      { 'managed/managed-settings.json': days(50), 'app/.claude/settings.json': days(5) },
      50,
    ],
    [
      'comes from the last of the administrator’s parts',
      {
        'managed/managed-settings.json': days(50),
        'managed/managed-settings.d/10.json': days(20),
        'managed/managed-settings.d/20.json': days(6),
        'managed/managed-settings.d/.30.json': days(1),
        'managed/managed-settings.d/40.txt': days(1),
      },
      6,
    ],
    [
      'comes from the administrator even if another file is invalid',
      { 'managed/managed-settings.json': days(50), 'app/.claude/settings.json': days(0), 'config/settings.json': '{' },
      50,
    ],
    [
      'ignores what is invalid in the administrator’s settings',
      { 'managed/managed-settings.json': days(0), 'config/settings.json': days(365) },
      365,
    ],
    ['is unknown if the administrator’s settings cannot be read', { 'managed/managed-settings.json': '{"a":' }, null],
    ['is unknown if the settings of the person cannot be read', { 'config/settings.json': '[]' }, null],
    [
      'is unknown if that of the person is 0',
      { 'config/settings.json': days(0), 'lib/.claude/settings.json': days(5) },
      null,
    ],
    [
      'is not that of a project whose settings cannot be read',
      { 'app/.claude/settings.json': '{"cleanupPeriodDays":5' },
      30,
    ],
    [
      'is not that of a project whose settings have comments',
      { 'app/.claude/settings.json': '//\n{"cleanupPeriodDays":5}' },
      30,
    ],
    [
      'is not that of a project in which one file is invalid',
      { 'app/.claude/settings.json': days('9'), 'app/.claude/settings.local.json': days(5) },
      30,
    ],
    [
      'is not that of a project in which another setting is known to be invalid',
      { 'app/.claude/settings.json': { ...ceiling(-1) }, 'app/.claude/settings.local.json': days(5) },
      30,
    ],
    ['is unknown if the ceiling of the person is invalid', { 'config/settings.json': ceiling(-1) }, null],
    ['is the default if only the ceiling of a project is invalid', { 'app/.claude/settings.json': ceiling(-1) }, 30],
    ['may follow a byte order mark', { 'app/.claude/settings.json': '\uFEFF{"cleanupPeriodDays":5}' }, 5],
    ['is the default with an empty file', { 'app/.claude/settings.json': ' \n' }, 30],
    [
      'is the default with more than 2 MiB',
      { 'app/.claude/settings.json': `{"cleanupPeriodDays":5}${' '.repeat(2 << 20)}` },
      30,
    ],
    ['must be a number', { 'app/.claude/settings.json': days(null), 'lib/.claude/settings.json': days(5.5) }, 30],
    [
      'does not come from the settings of a folder above',
      { '.claude/settings.json': days(5), '.claude/settings.local.json': days(5) },
      30,
    ],
  ];
  for (const [sentence, files, expected] of cases) {
    it(sentence, () =>
      withScene((scene) => {
        for (const [name, content] of Object.entries(files)) scene.write(name, content);
        assert.equal(scene.read().shortest?.days ?? null, expected);
      }),
    );
  }

  it('names the settings because of which a project deletes nothing', () =>
    withScene((scene) => {
      const app = scene.write('app/.claude/settings.json', days(0));
      mkdirSync(scene.path('lib/.claude/settings.json'), { recursive: true });
      const { problems } = scene.read();
      assert.deepEqual([...problems.keys()], [app, scene.path('lib/.claude/settings.json')]);
      assert.match(problems.get(app) ?? '', /^cleanupPeriodDays must be a whole number from 1, so clients/);
    }));

  it('comes from the local settings of the repository in its subfolders and worktrees', function () {
    if (process.platform === 'win32') this.skip();
    return withScene((scene) => {
      mkdirSync(scene.path('repo/.git/worktrees/tree'), { recursive: true });
      const local = scene.write('repo/.claude/settings.local.json', days(20));
      scene.write('repo/sub/.claude/settings.local.json', days(5));
      scene.write('tree/.git', `gitdir: ${scene.path('repo/.git/worktrees/tree')}\n`);
      scene.write('repo/module/.git', `gitdir: ${scene.path('repo/.git/modules/module')}\n`);
      const { shortening } = scene.read(['repo/sub', 'tree', 'repo/module']);
      assert.deepEqual(Object.fromEntries(shortening), {
        [scene.path('repo/sub')]: { days: 20, settingsPath: local },
        [scene.path('tree')]: { days: 20, settingsPath: local },
      });
    });
  });

  it('does not come from a repository that is the whole home folder', () =>
    withScene((scene) => {
      mkdirSync(scene.path('home/.git'), { recursive: true });
      scene.write('home/.claude/settings.local.json', days(5));
      assert.equal(scene.read(['home/app']).shortest?.days, 30);
    }));

  it('ignores folders of other systems, and links that lead nowhere', () =>
    withScene((scene) => {
      mkdirSync(scene.path('app/.claude'), { recursive: true });
      symlinkSync(scene.path('nowhere'), scene.path('app/.claude/settings.json'));
      const folders = ['relative', 'a\0b', '', scene.path('app'), scene.path('a\0b')];
      const retention = readRetention({
        configDir: scene.path('config'),
        projectFolders: folders,
        managedFolder: scene.path('managed'),
        homeFolder: scene.path('home'),
      });
      assert.equal(retention.shortest?.days, 30);
      assert.equal(retention.problems.size, 0);
    }));
});

describe('The time from which on a transcript is deleted', () => {
  /** Days between `NOW` and that time, for a transcript that was written at `NOW`; null for never. */
  function daysLeft(scene: Scene, exemption: Exemption): number | null {
    const at = sweptAtMs(scene.read(), { mtimeMs: NOW, ...exemption });
    return at === null ? null : (at - NOW) / DAY_MS;
  }
  const exempt: Exemption = { isExempt: true, releasedMs: null };

  it('comes when it has not been written for the period', () =>
    withScene((scene) => {
      assert.equal(daysLeft(scene, PLAIN), 30);
      scene.write('config/settings.json', days(1e9));
      assert.equal(daysLeft(scene, PLAIN), null);
      scene.write('config/settings.json', days(0));
      assert.equal(daysLeft(scene, PLAIN), null);
    }));

  it('never comes for a session of the desktop app, unless a ceiling is set', () =>
    withScene((scene) => {
      assert.equal(daysLeft(scene, exempt), null);
      scene.write('app/.claude/settings.json', ceiling(60));
      assert.equal(daysLeft(scene, exempt), null);
      for (const [set, left] of [
        [60, 60],
        [10, 30],
        [0, null],
      ] as const) {
        scene.write('config/settings.json', ceiling(set));
        assert.equal(daysLeft(scene, exempt), left);
        assert.equal(daysLeft(scene, PLAIN), 30);
      }
      scene.write('managed/managed-settings.json', ceiling(70));
      assert.equal(daysLeft(scene, exempt), 70);
    }));

  it('is the same for all sessions if the administrator sets the period, or has set something invalid', () =>
    withScene((scene) => {
      for (const value of [5, 0]) {
        scene.write('managed/managed-settings.json', days(value));
        assert.equal(daysLeft(scene, exempt), value === 0 ? 30 : value);
        assert.equal(daysLeft(scene, { isExempt: false, releasedMs: NOW + DAY_MS }), value === 0 ? 30 : value);
      }
    }));

  it('counts from the release by the desktop app, up to the ceiling', () =>
    withScene((scene) => {
      assert.equal(daysLeft(scene, { isExempt: true, releasedMs: 0 }), 30);
      assert.equal(daysLeft(scene, { isExempt: true, releasedMs: NOW + 9 * DAY_MS }), 39);
      assert.equal(daysLeft(scene, { isExempt: false, releasedMs: NOW + 9 * DAY_MS }), 39);
      scene.write('config/settings.json', ceiling(35));
      assert.equal(daysLeft(scene, { isExempt: true, releasedMs: NOW + 9 * DAY_MS }), 35);
    }));
});

describe('A transcript', () => {
  const row = (entrypoint: string): string => `${JSON.stringify({ type: 'user', entrypoint, message: {} })}\n`;
  const filler = `${JSON.stringify({ type: 'system', text: 'x'.repeat(1000) })}\n`.repeat(200);

  /** The content, and whether it is exempt. */
  const cases: readonly [string, string, boolean][] = [
    ['is exempt if the desktop app wrote it', row('claude-desktop'), true],
    ['is exempt if another host of the desktop app wrote it', row('claude-desktop-3p'), true],
    ['is exempt if an agent of the desktop app wrote it', row('local-agent'), true],
    ['is exempt if that agent has its other name', row('local_agent'), true],
    ['is not exempt if VS Code wrote it', row('claude-vscode'), false],
    ['is not exempt without an entrypoint', '{"type":"user"}\nno JSON "entrypoint":"claude-desktop"\n', false],
    ['is exempt if the desktop app started it', row('claude-desktop') + filler + row('cli'), true],
    ['is exempt if the desktop app wrote last', row('cli') + filler + row('claude-desktop'), true],
    ['is not exempt if the desktop app wrote only in between', row('cli') + row('claude-desktop') + row('cli'), false],
    ['is not exempt if the ends do not tell', filler + row('claude-desktop') + filler, false],
    ['is not exempt by a value in a deeper object', '{"message":{"entrypoint":"claude-desktop"}}\n', false],
    ['is exempt while it is empty', '', true],
  ];
  for (const [sentence, text, isExempt] of cases) {
    it(sentence, () =>
      withScene(async (scene) => {
        assert.deepEqual(await readExemption(scene.transcript(text)), { isExempt, releasedMs: null });
      }),
    );
  }

  it('is not exempt if it is empty and its folder is not, or if it cannot be read', () =>
    withScene(async (scene) => {
      const path = scene.transcript('');
      scene.write(`config/projects/-w-app/${ID}/tool-results/a.txt`, 'a');
      assert.deepEqual(await readExemption(path), PLAIN);
      assert.deepEqual(await readExemption(scene.path('missing.jsonl')), PLAIN);
      assert.deepEqual(await readExemption(scene.root), PLAIN);
    }));

  it('is released by a mark of the desktop app', () =>
    withScene(async (scene) => {
      const path = scene.transcript(row('claude-desktop'));
      for (const [text, releasedMs] of [
        ['{"reason":"delete"}', 0],
        ['{"reason":"archive"}', NOW - 3 * DAY_MS],
        ['{"reason":"moved"}', null],
        ['{"reason":', null],
        [`{"reason":"delete"}${' '.repeat(4096)}`, null],
      ] as const) {
        scene.mark(text, 3);
        assert.deepEqual(await readExemption(path), { isExempt: true, releasedMs });
      }
    }));
});
