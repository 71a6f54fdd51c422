import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import type { RepairOutcome } from '../../../src/protocol/repair';
import { quietMachine } from '../../support/quietMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { boundary, call, lines, prompt, reply, transcript } from '../../support/transcriptBuilder';
import { fakeEngine, outcome, repaired, SESSION_ID } from './fakeEngine';
import { runCli } from './runCli';

const FILE = `/home/person/p/${SESSION_ID}.jsonl`;
const OTHER = '/home/person/p/22222222-2222-4222-8222-222222222222.jsonl';

interface RepairDocument {
  results: Record<string, unknown>[];
}

function parseRepair(stdout: string): RepairDocument {
  // SAFETY: the tests below check what the document holds.
  return JSON.parse(stdout) as RepairDocument;
}

const live = (file: string): RepairOutcome =>
  outcome(file, { status: 'failed', reason: 'live' }, 'Claude Code has this session open.');
const unreadable = (file: string): RepairOutcome =>
  outcome(file, { status: 'failed', reason: 'unreadable' }, 'Permission denied.');
const noBackup = (file: string): RepairOutcome =>
  outcome(file, { status: 'failed', reason: 'no-backup' }, 'There is no backup of this session.');

describe('repair', () => {
  it('says that the summary comes in where the number of messages stays', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, `${SESSION_ID}.jsonl`);
      const rows = [
        prompt('p', null),
        reply('r', 'p'),
        boundary('b', null),
        prompt('s', 'b', { isCompactSummary: true }),
      ];
      await writeFile(file, transcript([...rows, prompt('q', 'gone'), reply('t', 'q')]));
      const engine = createEngine({ configDir: folder, machine: quietMachine() });
      const { stdout } = await runCli(['repair', '--dry-run', file], engine, { home: folder, cwd: folder });
      assert.match(
        stdout,
        /^ {2}Claude would remember the summary and the last 2 messages; before: 2 of 4 messages, without the summary\.$/m,
      );
    });
  });

  it('promises what it then says, also where a call without a result shares its line with the next prompt', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, `${SESSION_ID}.jsonl`);
      const rows = lines([prompt('p', null), call('c', 'p', 't'), prompt('q', 'c'), reply('r', 'q')]);
      await writeFile(file, `${rows[0]}\n${rows[1]}${rows[2]}\n${rows[3]}\n`);
      const engine = createEngine({ configDir: folder, machine: quietMachine() });
      const run = async (...argv: string[]) =>
        (await runCli(['repair', ...argv, file], engine, { home: folder, cwd: folder })).stdout;
      const counts = '3 of 4 messages; before: 1 of 4 messages.';
      assert.ok((await run('--dry-run')).includes(`Claude would remember ${counts}`));
      assert.ok((await run()).includes(`Claude remembers ${counts}`));
    });
  });

  it('prints the command that changes a session that may be running, which --allow-live passes on', async () => {
    const maybe = outcome(FILE, { status: 'failed', reason: 'maybe-live' }, 'It cannot be seen.');
    const asked: unknown[] = [];
    const engine = fakeEngine([], [maybe], {
      repair: (_, options) => {
        asked.push(options);
        return Promise.resolve(maybe);
      },
    });
    const refused = await runCli(['repair', FILE], engine);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout, /Not repaired: It cannot be seen\.\n {2}\S.* repair --allow-live ~\/p\/11111111/);
    await runCli(['repair', FILE, '--allow-live'], engine);
    assert.deepEqual(asked, [
      { mayBeLive: false, code: null },
      { mayBeLive: true, code: null },
    ]);
  });

  it('passes on the code of --class, and refuses one that no finding has', async () => {
    const asked: unknown[] = [];
    const engine = fakeEngine([], [noBackup(FILE)], {
      planRepair: (_, options) => {
        asked.push(options);
        return Promise.resolve(noBackup(FILE));
      },
    });
    await runCli(['repair', FILE, '--dry-run', '--class', 'tool-input'], engine);
    await runCli(['repair', FILE, '--dry-run', '--class', 'cycle'], engine);
    assert.deepEqual(asked, [{ code: 'tool-input' }, { code: 'cycle' }]);
    const planned = fakeEngine([], [], { planRepair: () => Promise.resolve(repaired(FILE)) });
    const { stdout } = await runCli(['repair', FILE, '--dry-run', '--class', 'image'], planned);
    assert.match(stdout, /\nRepair: \S+ repair --class image ~/);
    const unknown = await runCli(['repair', FILE, '--class', 'nothing'], engine);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /No finding has the code nothing\./);
  });

  describe('--json', () => {
    it('prints one document with the fields of the contract in their order, and nothing else', async () => {
      const extended = repaired(FILE);
      const engine = fakeEngine([], [{ ...extended, result: Object.assign({ internal: 1 }, extended.result) }]);
      const { code, stdout, stderr } = await runCli(['repair', FILE, '--json'], engine);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      const document = parseRepair(stdout);
      assert.deepEqual(Object.keys(document), ['results']);
      assert.deepEqual(Object.keys(document.results[0] ?? {}), [
        'sessionId',
        'filePath',
        'status',
        'backupPath',
        'orphansFixed',
        'newChainDepth',
        'edits',
        'resumeBefore',
        'resumeAfter',
      ]);
      const [edit] = document.results[0]?.['edits'] as object[];
      assert.deepEqual(Object.keys(edit ?? {}), ['line', 'uuid', 'field', 'from', 'to', 'why']);
      assert.deepEqual(document.results[0]?.['resumeBefore'], { loads: 3, of: 10 });
    });

    it('prints the reason of a refusal in the document and its sentence on stderr', async () => {
      const { code, stdout, stderr } = await runCli(['repair', FILE, '--json'], fakeEngine([], [live(FILE)]));
      assert.equal(code, 1);
      const [result] = parseRepair(stdout).results;
      assert.deepEqual(Object.keys(result ?? {}).slice(0, 4), ['sessionId', 'filePath', 'status', 'reason']);
      assert.equal(result?.['reason'], 'live');
      assert.equal(stderr, `~/p/${SESSION_ID}.jsonl: Claude Code has this session open.\n`);
    });

    it('prints null for a value that a row did not have', async () => {
      const absent = outcome(FILE, {
        status: 'repaired',
        edits: [{ line: 1, uuid: null, field: 'uuid', from: undefined, to: 'x', why: 'It had none.' }],
      });
      const { stdout } = await runCli(['repair', FILE, '--json'], fakeEngine([], [absent]));
      assert.equal((parseRepair(stdout).results[0]?.['edits'] as { from: unknown }[])[0]?.from, null);
    });
  });

  describe('exit code', () => {
    const cases: [string, string[], RepairOutcome[], number][] = [
      ['0 when everything was repaired', [], [repaired(FILE)], 0],
      ['0 when everything was healthy already', [], [outcome(FILE)], 0],
      ['1 when a dry run finds something to repair', ['--dry-run'], [repaired(FILE)], 1],
      ['0 when a dry run finds nothing to repair', ['--dry-run'], [outcome(FILE)], 0],
      ['1 when one is refused', [], [repaired(FILE), live(OTHER)], 1],
      ['2 when all that failed could not be read', [], [repaired(FILE), unreadable(OTHER)], 2],
      ['1 when one is refused and another cannot be read', [], [live(FILE), unreadable(OTHER)], 1],
      [
        '2 when a dry run finds something to repair and another cannot be read',
        ['--dry-run'],
        [repaired(FILE), unreadable(OTHER)],
        2,
      ],
      ['0 when an undo put a backup back', ['--undo'], [repaired(FILE)], 0],
    ];
    for (const [what, options, outcomes, expected] of cases) {
      it(`is ${what}`, async () => {
        const paths = outcomes.map(({ result }) => result.filePath);
        assert.equal((await runCli(['repair', ...paths, ...options], fakeEngine([], outcomes))).code, expected);
        assert.equal(
          (await runCli(['repair', ...paths, ...options, '--json'], fakeEngine([], outcomes))).code,
          expected,
        );
      });
    }

    it('is 2 for a missing PATH and for a path with too many ../', async () => {
      for (const path of ['nowhere.jsonl', '../../nowhere/../x', `../${SESSION_ID}`]) {
        const { code, stderr } = await runCli(['repair', path]);
        assert.equal(code, 2);
        assert.match(stderr, /: There is no such file\./);
      }
    });
  });

  it('requests only a plan in a dry run', async () => {
    const engine = fakeEngine([], [repaired(FILE)]);
    await runCli(['repair', FILE, '--dry-run'], engine);
    assert.deepEqual(engine.calls, [`plan ${FILE}`]);
  });

  it('repairs for the client that is named, else for the installed one', async () => {
    const clients: string[] = [];
    const options: Parameters<typeof runCli>[2] = {
      createEngine: ({ diagnostics: { client } }) => {
        clients.push(client.version);
        return fakeEngine([], [repaired(FILE)]);
      },
      findClient: () => Promise.resolve('2.1.320'),
    };
    await runCli(['repair', FILE, '--client', '2.1.300'], undefined, options);
    await runCli(['repair', FILE, '--dry-run'], undefined, options);
    assert.deepEqual([...new Set(clients)], ['2.1.300', '2.1.320']);
  });

  it('repairs sessions one after another', async () => {
    const engine = fakeEngine([], [repaired(FILE), repaired(OTHER)]);
    await runCli(['repair', '/home/person/p'], engine);
    assert.deepEqual(engine.calls, [`repair ${FILE}`, `repair ${OTHER}`]);
  });

  it('checks the registry of the session’s config folder for running sessions', async () => {
    const file = `/other/projects/p/${SESSION_ID}.jsonl`;
    const engines = new Map(
      ['/home/person/.claude', '/other'].map((configDir) => [
        configDir,
        fakeEngine([], [repaired(FILE), repaired(file)]),
      ]),
    );
    const none = fakeEngine([]);
    await runCli(['repair', FILE, file], none, { createEngine: ({ configDir }) => engines.get(configDir) ?? none });
    assert.deepEqual(engines.get('/home/person/.claude')?.calls, [`repair ${FILE}`]);
    assert.deepEqual(engines.get('/other')?.calls, [`repair ${file}`]);
  });

  it('skips sessions without a backup when a folder is undone', async () => {
    const engine = fakeEngine([], [repaired(FILE), noBackup(OTHER)]);
    const { code, stdout } = await runCli(['repair', '--undo', '/home/person/p', '--json'], engine);
    assert.equal(code, 0);
    assert.deepEqual(
      parseRepair(stdout).results.map((result) => result['filePath']),
      [FILE],
    );
  });

  it('refuses to undo a named session without a backup', async () => {
    const { code, stdout } = await runCli(['repair', '--undo', OTHER], fakeEngine([], [noBackup(OTHER)]));
    assert.equal(code, 1);
    assert.match(stdout, /Not restored: There is no backup of this session\./);
  });

  describe('report', () => {
    it('shows each edit, what Claude remembers, the backup and how to undo it', async () => {
      const { stdout, stderr } = await runCli(['repair', FILE], fakeEngine([], [repaired(FILE)]));
      assert.equal(stderr, '');
      assert.equal(
        stdout,
        [
          `✓ ~/p/${SESSION_ID}.jsonl`,
          '  The row before it is the nearest one of the same conversation.',
          '    line 8  parentUuid  dddddddd… → aaaaaaaa…',
          '  Claude remembers all of this conversation; before: a part of this conversation.',
          `  The original is kept as ~/p/${SESSION_ID}.jsonl.backup-1`,
          `  Resume:    claude --resume ${SESSION_ID}`,
          `  Take back: rethread repair --undo ~/p/${SESSION_ID}.jsonl`,
          '',
          '1 session repaired, as Claude Code 2.1.330 reads it.',
          '',
        ].join('\n'),
      );
    });

    it('announces in a dry run, states that nothing was changed, and names the command that applies it', async () => {
      const { stdout } = await runCli(['repair', FILE, '--dry-run'], fakeEngine([], [repaired(FILE)]));
      assert.match(stdout, /Claude would remember all of this conversation; before: a part of this conversation\./);
      assert.match(
        stdout,
        /1 session can be repaired, as Claude Code 2\.1\.330 reads it\. Nothing was changed\.\nRepair: rethread repair ~\/p/,
      );
      assert.doesNotMatch(stdout, /backup/);
    });

    it('names the client that it is for, and how far its rules are known', async () => {
      const of = async (...options: string[]): Promise<string> =>
        (await runCli(['repair', FILE, ...options], fakeEngine([], [repaired(FILE)]))).stdout;
      const planned = await of('--dry-run', '--client', '2.1.400');
      assert.match(planned, /^1 session can be repaired, as Claude Code 2\.1\.400 reads it\. Nothing was changed\.$/m);
      assert.match(planned, /^Approximate: 2\.1\.400 is newer than 2\.1\.330/m);
      assert.match(planned, /^Repair: rethread repair --client 2\.1\.400 /m);
      assert.match(await of('--client', '2.1.150'), /^Approximate: the rules of 2\.1\.150 were not measured\.$/m);
      assert.doesNotMatch(await of('--client', '2.1.300'), /Approximate/);
    });

    it('shows the warnings of a successful repair, in the report or beside the document', async () => {
      const engine = fakeEngine([], [{ ...repaired(FILE), problem: 'Rows came late.' }]);
      assert.match(
        (await runCli(['repair', FILE], engine)).stdout,
        /before: a part of this conversation\.\n {2}Rows came late\.\n/,
      );
      const { code, stderr } = await runCli(['repair', FILE, '--json'], engine);
      assert.equal(code, 0);
      assert.equal(stderr, `~/p/${SESSION_ID}.jsonl: Rows came late.\n`);
    });

    it('is one line if there is nothing to do', async () => {
      const { stdout } = await runCli(['repair', FILE], fakeEngine([], [outcome(FILE)]));
      assert.equal(stdout, '1 session already healthy, as Claude Code 2.1.330 reads it.\n');
    });

    it('calls no session healthy of which Claude loads nothing', async () => {
      const nothing = outcome(FILE, { resumeBefore: { loads: 0, of: 5 }, resumeAfter: { loads: 0, of: 5 } });
      const { code, stdout } = await runCli(['repair', FILE], fakeEngine([], [nothing]));
      assert.equal(code, 0);
      assert.equal(stdout, '1 session unchanged, of which Claude loads nothing, as Claude Code 2.1.330 reads it.\n');
    });

    it('says that there is nothing of the kind that was asked for, which is not that the session is healthy', async () => {
      const engine = fakeEngine([], [outcome(FILE)]);
      const { code, stdout, stderr } = await runCli(['repair', FILE, '--class', 'request-refused'], engine);
      assert.deepEqual([code, stderr], [0, '']);
      assert.equal(stdout, '1 session with nothing of request-refused to repair, as Claude Code 2.1.330 reads it.\n');
    });

    it('groups the edits with the same cause under one sentence', async () => {
      const whys = ['One cause.', 'Another.', 'One cause.'];
      const edits = whys.map((why, at) => ({ line: 8 + at, uuid: null, field: 'line', from: 'a', to: '', why }));
      const plan = outcome(FILE, { status: 'repaired', edits });
      const { stdout } = await runCli(['repair', FILE, '--dry-run'], fakeEngine([], [plan]));
      assert.deepEqual(stdout.split('\n').slice(1, 6), [
        '  One cause.',
        '    line  8  a → nothing',
        '    line 10  a → nothing',
        '  Another.',
        '    line  9  a → nothing',
      ]);
    });

    it('shows how values of a content differ, and what is removed', async () => {
      const long = 'x'.repeat(100);
      const values: readonly (readonly [from: unknown, to: unknown])[] = [
        ['a b', 'a_b'],
        [{ a: 1 }, null],
        [null, ''],
        [5, '5'],
        [`${long} y`, `${long}_y`],
      ];
      const edits = values.map(([from, to]) => ({
        line: 8,
        uuid: null,
        field: 'message.content.0',
        from,
        to,
        why: 'Why.',
      }));
      const plan = outcome(FILE, { status: 'repaired', edits });
      const { stdout } = await runCli(['repair', FILE, '--dry-run'], fakeEngine([], [plan]));
      assert.deepEqual(
        stdout.split('\n').slice(2, 7),
        ['a b → a_b', '{"a":1} → (removed)', 'null → ""', '5 → "5"', '…xxxxxxxxxx y" → …xxxxxxxxxx_y"'].map(
          (text) => `    line 8  message.content.0  ${text}`,
        ),
      );
    });

    it('leaves stdout empty if no given path could be read', async () => {
      assert.equal((await runCli(['repair', 'nowhere.jsonl'])).stdout, '');
    });

    it('explains why a session was refused', async () => {
      const { stdout } = await runCli(['repair', FILE], fakeEngine([], [live(FILE)]));
      assert.match(stdout, /✗ ~\/p\/.*\n {2}Not repaired: Claude Code has this session open\./);
    });

    it('quotes a PATH that needs quoting in a shell', async () => {
      const file = "/home/person/my 'own' $x.jsonl";
      const { stdout } = await runCli(['repair', file, '--dry-run'], fakeEngine([], [repaired(file)]));
      assert.ok(stdout.includes(String.raw`rethread repair '/home/person/my '\''own'\'' $x.jsonl'`), stdout);
    });

    it('prints no control characters from a row', async () => {
      const evil = outcome(FILE, {
        status: 'repaired',
        edits: [{ line: 1, uuid: null, field: 'parentUuid', from: '\u001b[2J', to: { a: '\u009b1m' }, why: '\u0007!' }],
      });
      const { stdout } = await runCli(['repair', FILE], fakeEngine([], [evil]));

      // eslint-disable-next-line no-control-regex -- control characters are what this searches for
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    });
  });
});
