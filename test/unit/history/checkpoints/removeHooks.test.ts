import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCheckpointHooks, removeHooks } from '../../../rooms/history';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { storeParts } from '../sessionStore/storeFixture';

const EXTENSIONS = '/home/person/.vscode/extensions';
const OTHERS = '/home/person/.cursor/extensions';

/** The command of an editor's installation. */
function programOf(editor: string): string {
  return `sh '/home/person/.config/${editor}/User/globalStorage/rethread.rethread/checkpoints/checkpoint.sh'`;
}

interface Scene {
  readonly home: string;
  readonly configDir: string;
  /** Absolute path of a project's settings. */
  readonly settingsOf: (project: string) => string;
  readonly enable: (project: string, extensionsFolder?: string, program?: string) => Promise<void>;
  readonly disable: (project: string) => Promise<void>;
  /** As VS Code does after the extension was uninstalled. */
  readonly uninstall: (configDirs?: readonly string[]) => ReturnType<typeof removeHooks>;
}

function withScene<T>(use: (scene: Scene) => Promise<T>): Promise<T> {
  return withTemporaryFolder((home) => {
    const configDir = join(home, '.claude');
    mkdirSync(configDir);
    const deps = { ...storeParts(configDir), home };
    const hooks = createCheckpointHooks(deps);
    const folderOf = (project: string): string => join(home, project);
    const change = async (project: string, isEnabled: boolean, extensions: string, program: string): Promise<void> => {
      mkdirSync(folderOf(project), { recursive: true });
      assert.equal(
        await hooks.applyHook(await hooks.planHook(folderOf(project), isEnabled, program, 100), extensions),
        null,
      );
    };
    return use({
      home,
      configDir,
      settingsOf: (project) => join(folderOf(project), '.claude', 'settings.local.json'),
      enable: (project, extensions = EXTENSIONS, program = programOf('Code')) =>
        change(project, true, extensions, program),
      disable: (project) => change(project, false, EXTENSIONS, programOf('Code')),
      uninstall: (configDirs = [configDir]) => removeHooks(configDirs, EXTENSIONS, deps),
    });
  });
}

describe('Uninstalling the extension', () => {
  it('takes its hook out of every project, with the files and folders that came with it', () =>
    withScene(async ({ settingsOf, enable, uninstall }) => {
      await enable('one');
      mkdirSync(dirname(settingsOf('two')), { recursive: true });
      writeFileSync(settingsOf('two'), '{\n  "model": "x"\n}\n');
      await enable('two');
      const { removed, failed } = await uninstall();
      assert.deepEqual([removed, failed], [[settingsOf('one'), settingsOf('two')], []]);
      assert.equal(existsSync(dirname(settingsOf('one'))), false);
      assert.equal(readFileSync(settingsOf('two'), 'utf8'), '{\n  "model": "x"\n}\n');
      assert.deepEqual(await uninstall(), { removed: [], failed: [] });
    }));

  it('leaves the hook of another editor, and one that the person wrote', () =>
    withScene(async ({ settingsOf, enable, uninstall }) => {
      await enable('theirs', OTHERS, programOf('Cursor'));
      await enable('replaced');
      await enable('replaced', OTHERS, programOf('Cursor'));
      await enable('by hand');
      const byHand = readFileSync(settingsOf('by hand'), 'utf8').replace(programOf('Code'), 'rethread');
      writeFileSync(settingsOf('by hand'), byHand);
      const texts = ['theirs', 'replaced', 'by hand'].map((each) => readFileSync(settingsOf(each), 'utf8'));
      await uninstall();
      assert.deepEqual(
        ['theirs', 'replaced', 'by hand'].map((each) => readFileSync(settingsOf(each), 'utf8')),
        texts,
      );
    }));

  it('passes over projects that are gone or where checkpoints were disabled, and names settings that it cannot change', () =>
    withScene(async ({ home, settingsOf, enable, disable, uninstall }) => {
      await enable('gone');
      rmSync(join(home, 'gone'), { recursive: true });
      await enable('disabled');
      await disable('disabled');
      await enable('broken');
      writeFileSync(settingsOf('broken'), '{ "hooks": ');
      const { removed, failed } = await uninstall();
      assert.deepEqual(removed, []);
      assert.equal(failed.length, 1);
      assert.match(failed[0] ?? '', /broken.*settings\.local\.json is not valid JSON/u);
      assert.equal(readFileSync(settingsOf('broken'), 'utf8'), '{ "hooks": ');
    }));

  it('finds hooks that were noted in a config folder that only a setting names', () =>
    withScene(async ({ home, configDir, settingsOf, uninstall }) => {
      const elsewhere = { ...storeParts(join(home, 'elsewhere')), home };
      const hooks = createCheckpointHooks(elsewhere);
      mkdirSync(join(home, 'project'));
      const change = await hooks.planHook(join(home, 'project'), true, programOf('Code'), 100);
      assert.equal(await hooks.applyHook(change, EXTENSIONS), null);
      assert.deepEqual((await uninstall([configDir])).removed, [settingsOf('project')]);
    }));

  it('keeps checkpoints and everything else in the config folder', () =>
    withScene(async ({ configDir, enable, uninstall }) => {
      await enable('one');
      const copy = join(configDir, 'rethread', 'checkpoints', 'content', 'ab', 'copy');
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, 'kept');
      await uninstall();
      assert.equal(readFileSync(copy, 'utf8'), 'kept');
    }));
});
