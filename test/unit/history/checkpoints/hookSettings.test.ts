import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { createCheckpointHooks, withHook, withoutHook } from '../../../rooms/history';
import { withTemporaryFolder } from '../../../support/temporaryFolder';
import { storeParts } from '../sessionStore/storeFixture';

const PROGRAM = `sh '/home/a person/Code/globalStorage/rethread.rethread/checkpoints/checkpoint.sh'`;
const COMMAND = `${PROGRAM} checkpoint --hook --max-file-size-mb 100`;
const EXTENSIONS = '/home/a person/.vscode/extensions';
const GROUP = {
  matcher: 'Edit|Write|MultiEdit|NotebookEdit',
  hooks: [{ type: 'command', command: COMMAND, timeout: 60 }],
};

function textOf(edited: ReturnType<typeof withHook>): string | null {
  assert.ok(edited.kind === 'edited', 'problem' in edited ? edited.problem : '');
  return edited.text;
}

const parse = (text: string | null): unknown => JSON.parse(text ?? 'null');

describe('The hook in settings.json', () => {
  it('is the only content where there were no settings', () => {
    const text = textOf(withHook(null, PROGRAM, 100));
    assert.deepEqual(parse(text), { hooks: { PreToolUse: [GROUP] } });
    assert.equal(text, `${JSON.stringify(parse(text), null, 2)}\n`);
    assert.equal(textOf(withoutHook(text, PROGRAM, true)), null);
    assert.deepEqual(parse(textOf(withoutHook(text, PROGRAM, false))), {});
  });

  it('is added after the other hooks, and leaves every other byte unchanged', () => {
    const before = `{\n\t"permissions": {"allow": [ "Bash(ls)" ]},\n\n\t"hooks": {\n\t\t"Stop": [],\n\t\t"PreToolUse": [\n\t\t\t{ "matcher": "Bash", "hooks": [] }\n\t\t]\n\t},\n\t"z": 1.50\n}`;
    const after = textOf(withHook(before, PROGRAM, 100)) ?? '';
    assert.deepEqual(parse(after), {
      permissions: { allow: ['Bash(ls)'] },
      hooks: { Stop: [], PreToolUse: [{ matcher: 'Bash', hooks: [] }, GROUP] },
      z: 1.5,
    });
    const kept = before.slice(0, before.indexOf('"Bash", "hooks": [] }') + '"Bash", "hooks": [] }'.length);
    assert.ok(after.startsWith(kept));
    assert.ok(after.endsWith('\n\t\t]\n\t},\n\t"z": 1.50\n}'));
    assert.match(after, /\n\t\t\t\{\n\t\t\t\t"matcher"/u);
    assert.equal(textOf(withoutHook(after, PROGRAM, true)), before);
  });

  it('is added once, and is recognised by its purpose when its path has changed', () => {
    const once = textOf(withHook('{"a":1}', PROGRAM, 100));
    assert.equal(textOf(withHook(once, PROGRAM, 100)), once);
    const moved = textOf(withHook(once, '/usr/local/bin/rethread', 100));
    assert.equal(moved, once?.replace(JSON.stringify(PROGRAM).slice(1, -1), '/usr/local/bin/rethread'));
    assert.equal(textOf(withoutHook(moved, PROGRAM, true)), '{"a":1}');
    const byHand = JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'rethread checkpoint' }] }] },
    });
    assert.deepEqual(parse(textOf(withHook(byHand, PROGRAM, 100))), {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: COMMAND }] }] },
    });
    assert.deepEqual(parse(textOf(withoutHook(byHand, PROGRAM, false))), {});
  });

  it('names the largest size of a file, and follows its setting without the question about another installation', () => {
    const once = withHook('{"a":1}', PROGRAM, 100);
    assert.ok(
      textOf(once)?.includes(`${JSON.stringify(PROGRAM).slice(1, -1)} checkpoint --hook --max-file-size-mb 100"`),
    );
    const more = withHook(textOf(once), PROGRAM, 250);
    assert.equal(textOf(more), textOf(once)?.replace('--max-file-size-mb 100', '--max-file-size-mb 250'));
    assert.equal('replaced' in more ? more.replaced : '', null);
    const old = textOf(once)?.replace(' --max-file-size-mb 100', '') ?? '';
    const updated = withHook(old, PROGRAM, 100);
    assert.equal(textOf(updated), textOf(once));
    assert.equal('replaced' in updated ? updated.replaced : '', null);
    for (const text of [textOf(more), old]) assert.equal(textOf(withoutHook(text ?? '', PROGRAM, false)), '{"a":1}');
  });

  it('keeps its limit and a matcher that covers all its tools, and is merged when there were two', () => {
    const other = { type: 'command', command: 'lint' };
    const own = { type: 'command', command: 'rethread checkpoint --hook', timeout: 5 };
    for (const matcher of ['*', '', 'Bash|Edit|Write|MultiEdit|NotebookEdit']) {
      const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [other, own] }, GROUP] } });
      assert.deepEqual(parse(textOf(withHook(text, PROGRAM, 100))), {
        hooks: { PreToolUse: [{ matcher, hooks: [other, { ...own, command: COMMAND }] }] },
      });
      assert.deepEqual(parse(textOf(withoutHook(text, PROGRAM, true))), {
        hooks: { PreToolUse: [{ matcher, hooks: [other] }] },
      });
    }
  });

  it('always keeps all the tools that it needs', () => {
    const lint = { type: 'command', command: 'lint' };
    const byHand = { type: 'command', command: 'rethread checkpoint' };
    const groups = [
      { matcher: 'Edit', hooks: [lint, byHand] },
      { matcher: 'Write', hooks: [byHand] },
    ];
    for (const [more, left] of [
      [[], [{ matcher: 'Edit', hooks: [lint] }, GROUP]],
      [[GROUP], [{ matcher: 'Edit', hooks: [lint] }, GROUP]],
    ]) {
      const text = JSON.stringify({ hooks: { PreToolUse: [...groups, ...(more ?? [])] } });
      assert.deepEqual(parse(textOf(withHook(text, PROGRAM, 100))), { hooks: { PreToolUse: left } });
    }
    const alone = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Write', hooks: [byHand] }], Stop: [] }, a: 1 });
    assert.deepEqual(parse(textOf(withHook(alone, PROGRAM, 100))), { hooks: { Stop: [], PreToolUse: [GROUP] }, a: 1 });
  });

  it('is recognised as the script in any of our storage folders, and as a program with our name', () => {
    for (const command of [
      'sh /home/p/.vscode-server/data/User/globalStorage/rethread.rethread/checkpoints/checkpoint.sh checkpoint --hook',
      `sh "C:/Users/A Person/globalStorage/rethread.rethread/checkpoints/checkpoint.sh" checkpoint --hook`,
      'rethread checkpoint',
      'rethread checkpoint --hook',
      'npx rethread checkpoint',
      `'/opt/My Tools/bin/rethread' checkpoint --hook`,
      'rethread.cmd checkpoint',
    ]) {
      const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
      assert.deepEqual(parse(textOf(withoutHook(text, PROGRAM, false))), {}, command);
    }
  });

  it('is not confused with hooks of others', () => {
    for (const command of [
      'echo checkpoint',
      'git checkpoint',
      'my-rethread-checkpoint',
      'rethread checkpoints x',
      'othertool checkpoint --hook',
      'node /opt/other/checkpoint.js checkpoint --hook',
      '/opt/other/checkpoints/checkpoint.sh checkpoint --hook',
      'my-rethread checkpoint',
      'rethread scan',
    ]) {
      const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
      assert.equal(textOf(withoutHook(text, PROGRAM, true)), text, command);
      const both = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }, GROUP] } };
      assert.deepEqual(parse(textOf(withHook(text, PROGRAM, 100))), both, command);
    }
  });

  it('is refused where Claude Code would ignore or misread the file', () => {
    const broken = [
      '{',
      '[]',
      '"x"',
      '{"a":1,}',
      '// why\n{}',
      '{"hooks":[]}',
      '{"hooks":{"PreToolUse":{}}}',
      '{"hooks":{},"hooks":{"a":1}}',
    ];
    for (const text of broken) {
      const edited = withHook(text, PROGRAM, 100);
      assert.equal(edited.kind, 'refused', text);
      assert.match('problem' in edited ? edited.problem : '', /^settings\.local\.json .*\.$/u);
    }
  });

  it('preserves line ends and a BOM, and treats an empty file as one without settings', () => {
    const before = '\uFEFF{\r\n    "a": 1\r\n}\r\n';
    const after = textOf(withHook(before, PROGRAM, 100)) ?? '';
    assert.equal(after.replaceAll('\r\n', '').includes('\n'), false);
    assert.ok(after.startsWith('\uFEFF{\r\n    "a": 1,\r\n    "hooks"'));
    assert.equal(textOf(withoutHook(after, PROGRAM, true)), before);
    assert.deepEqual(parse(textOf(withHook(' \n', PROGRAM, 100))), { hooks: { PreToolUse: [GROUP] } });
  });

  it('can be removed without a trace, whatever else is in the file and however it is formatted', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const groups = fc.array(
      fc.record({
        matcher: fc.string(),
        hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      { minLength: 1, maxLength: 3 },
    );
    const hooks = fc
      .record({ PreToolUse: groups, Stop: value }, { requiredKeys: [] })
      .filter((each) => Object.keys(each).length > 0);
    const settings = fc
      .tuple(
        fc.dictionary(
          fc.string().filter((key) => key !== 'hooks' && key !== '__proto__'),
          value,
        ),
        fc.option(hooks, { nil: undefined }),
      )
      .map(([others, own]) => (own === undefined ? others : { ...others, hooks: own }));
    const space = fc.constantFrom(undefined, 1, 2, 4, '\t');
    fc.assert(
      fc.property(
        settings,
        space,
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('', '\n'),
        (each, indent, eol, end) => {
          const before = (JSON.stringify(each, null, indent) + end).replaceAll('\n', eol);
          const after = textOf(withHook(before, PROGRAM, 100));
          assert.equal(JSON.stringify(parse(after)).includes('checkpoint --hook'), true);
          assert.equal(textOf(withHook(after, PROGRAM, 100)), after);
          assert.deepEqual(parse(textOf(withoutHook(after, PROGRAM, false))), parse(before));
          assert.equal(textOf(withoutHook(after, PROGRAM, false)), before);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('The checkpoints of a project', () => {
  function withProject<T>(
    use: (project: string, path: string, hooks: ReturnType<typeof createCheckpointHooks>) => Promise<T>,
  ) {
    return withTemporaryFolder(async (folder) => {
      const project = join(folder, 'project');
      mkdirSync(project);
      const hooks = createCheckpointHooks({ ...storeParts(join(folder, 'config')), home: folder });
      return use(project, join(project, '.claude', 'settings.local.json'), hooks);
    });
  }

  it('are previewed before they are enabled, and leave nothing behind when they are disabled', () =>
    withProject(async (project, path, hooks) => {
      const change = await hooks.planHook(project, true, PROGRAM, 100);
      assert.deepEqual([change.settingsPath, change.before, change.problem], [path, null, null]);
      assert.ok(!existsSync(dirname(path)), 'a plan writes nothing');
      assert.equal(await hooks.applyHook(change, EXTENSIONS), null);
      assert.equal(readFileSync(path, 'utf8'), change.after);
      assert.deepEqual(await hooks.planHook(project, true, PROGRAM, 100), { ...change, before: change.after });
      const disabling = await hooks.planHook(project, false, '', 100);
      assert.deepEqual([disabling.before, disabling.after], [change.after, null]);
      assert.equal(await hooks.applyHook(disabling, EXTENSIONS), null);
      assert.ok(!existsSync(dirname(path)));
      assert.equal((await hooks.planHook(project, false, '', 100)).after, null);
    }));

  it('keep an existing file and its folder when they are disabled', () =>
    withProject(async (project, path, hooks) => {
      mkdirSync(dirname(path));
      writeFileSync(path, '{}');
      chmodSync(path, 0o640);
      await hooks.applyHook(await hooks.planHook(project, true, PROGRAM, 100), EXTENSIONS);
      assert.equal(statSync(path).mode & 0o777, 0o640);
      await hooks.applyHook(await hooks.planHook(project, false, PROGRAM, 100), EXTENSIONS);
      assert.equal(readFileSync(path, 'utf8'), '{}');
      assert.equal(statSync(path).mode & 0o777, 0o640);
    }));

  it('keep what a person added to the file that we created', () =>
    withProject(async (project, path, hooks) => {
      await hooks.applyHook(await hooks.planHook(project, true, PROGRAM, 100), EXTENSIONS);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace('{', '{\n  "model": "x",'));
      await hooks.applyHook(await hooks.planHook(project, false, PROGRAM, 100), EXTENSIONS);
      assert.deepEqual(parse(readFileSync(path, 'utf8')), { model: 'x' });
    }));

  it('are not enabled when the file changed since the preview', () =>
    withProject(async (project, path, hooks) => {
      const change = await hooks.planHook(project, true, PROGRAM, 100);
      mkdirSync(dirname(path));
      writeFileSync(path, '{"mine":1}');
      assert.match((await hooks.applyHook(change, EXTENSIONS)) ?? '', /changed in the meantime/u);
      assert.equal(readFileSync(path, 'utf8'), '{"mine":1}');
      const later = await hooks.planHook(project, true, PROGRAM, 100);
      writeFileSync(path, '{"mine":2}');
      assert.match((await hooks.applyHook(later, EXTENSIONS)) ?? '', /changed in the meantime/u);
      assert.equal(readFileSync(path, 'utf8'), '{"mine":2}');
    }));

  it('keep a symbolic link in its place, and name the file that changes', () =>
    withProject(async (project, path, hooks) => {
      const target = join(project, 'dotfiles.json');
      mkdirSync(dirname(path));
      writeFileSync(target, '{\n  "a": 1\n}\n');
      symlinkSync('../dotfiles.json', path);
      const change = await hooks.planHook(project, true, PROGRAM, 100);
      assert.equal(change.settingsPath, target);
      assert.equal(await hooks.applyHook(change, EXTENSIONS), null);
      assert.ok(readFileSync(path, 'utf8').includes('checkpoint --hook'));
      await hooks.applyHook(await hooks.planHook(project, false, PROGRAM, 100), EXTENSIONS);
      assert.equal(readFileSync(target, 'utf8'), '{\n  "a": 1\n}\n');
    }));

  it('follow no link out of the project, neither when they are planned nor when they are written', () =>
    withProject(async (project, path, hooks) => {
      const outside = join(project, '..', 'outside');
      mkdirSync(outside);
      const change = await hooks.planHook(project, true, PROGRAM, 100);
      symlinkSync(outside, dirname(path));
      assert.match((await hooks.applyHook(change, EXTENSIONS)) ?? '', /over a link/u);
      const planned = await hooks.planHook(project, true, PROGRAM, 100);
      assert.match(planned.problem ?? '', /is not in the project: a link leads to .*outside/u);
      rmSync(dirname(path));
      mkdirSync(dirname(path));
      writeFileSync(join(outside, 'mine.json'), '{}');
      symlinkSync(join(outside, 'mine.json'), path);
      assert.match((await hooks.planHook(project, true, PROGRAM, 100)).problem ?? '', /is not in the project/u);
      assert.match((await hooks.applyHook(change, EXTENSIONS)) ?? '', /over a link/u);
      assert.deepEqual(readdirSync(outside), ['mine.json']);
      assert.equal(readFileSync(join(outside, 'mine.json'), 'utf8'), '{}');
    }));

  it('are refused where hooks are forbidden, by an administrator or by the person', () =>
    withTemporaryFolder(async (folder) => {
      const [project, managed, config] = ['project', 'managed', 'config'].map((name) => join(folder, name));
      if (project === undefined || managed === undefined || config === undefined) throw new Error('no folders');
      for (const each of [join(project, '.claude'), join(managed, 'managed-settings.d'), config]) {
        mkdirSync(each, { recursive: true });
      }
      const hooks = createCheckpointHooks({ ...storeParts(config), home: folder, managedFolder: managed });
      const problem = async (isEnabled = true): Promise<string | null> =>
        (await hooks.planHook(project, isEnabled, PROGRAM, 100)).problem;
      const cases: readonly (readonly [string, string])[] = [
        [join(managed, 'managed-settings.json'), 'allowManagedHooksOnly'],
        [join(managed, 'managed-settings.d', '10-hooks.json'), 'disableAllHooks'],
        [join(config, 'settings.json'), 'disableAllHooks'],
        [join(project, '.claude', 'settings.json'), 'disableAllHooks'],
        [join(project, '.claude', 'settings.local.json'), 'disableAllHooks'],
      ];
      for (const [path, setting] of cases) {
        writeFileSync(path, JSON.stringify({ [setting]: true }));
        assert.match(
          (await problem()) ?? '',
          new RegExp(`hook that would make checkpoints: .* has ${setting}\\.$`, 'u'),
        );
        assert.equal(await problem(false), null);
        rmSync(path);
      }
      writeFileSync(join(config, 'settings.json'), JSON.stringify({ allowManagedHooksOnly: true }));
      assert.equal(await problem(), null);
    }));

  it('name the hook of another installation that they would replace', () =>
    withProject(async (project, _path, hooks) => {
      const other = 'sh "/home/a/.cursor/rethread.rethread/checkpoints/checkpoint.sh"';
      await hooks.applyHook(await hooks.planHook(project, true, other, 100), EXTENSIONS);
      assert.equal(
        (await hooks.planHook(project, true, PROGRAM, 100)).replaces,
        `${other} checkpoint --hook --max-file-size-mb 100`,
      );
      assert.equal((await hooks.planHook(project, true, other, 100)).replaces, null);
    }));

  it('are refused with a one-sentence reason where they cannot be enabled', () =>
    withProject(async (project, path, hooks) => {
      const problemIn = async (folder: string): Promise<string> => {
        const change = await hooks.planHook(folder, true, PROGRAM, 100);
        assert.equal(await hooks.applyHook(change, EXTENSIONS), change.problem);
        assert.equal(change.after, change.before);
        return change.problem ?? '';
      };
      assert.match(await problemIn(join(project, 'missing')), /^There is no folder /u);
      assert.match(await problemIn('relative'), /^There is no folder /u);
      mkdirSync(dirname(path));
      symlinkSync('nowhere', path);
      assert.equal(await problemIn(project), 'settings.local.json is a link that leads nowhere.');
      const other = join(project, 'other');
      mkdirSync(join(other, '.claude', 'settings.local.json'), { recursive: true });
      assert.equal(await problemIn(other), 'settings.local.json is not a file.');
      const broken = join(project, 'broken');
      mkdirSync(join(broken, '.claude'), { recursive: true });
      writeFileSync(join(broken, '.claude', 'settings.local.json'), '{ "a": ');
      assert.match(await problemIn(broken), /is not valid JSON/u);
      writeFileSync(join(broken, '.claude', 'settings.local.json'), Buffer.from([0x7b, 0xff, 0x7d]));
      assert.equal(await problemIn(broken), 'settings.local.json is not UTF-8 text.');
    }));
});
