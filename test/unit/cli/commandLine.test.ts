import assert from 'node:assert/strict';
import { fakeEngine, repaired, scanned } from './fakeEngine';
import { runCli } from './runCli';

describe('The command line', () => {
  it('prints its version', async () => {
    assert.deepEqual(await runCli(['--version']), { code: 0, stdout: '1.2.3\n', stderr: '' });
  });

  it('prints help for itself and for each command, on stdout and within 90 characters a line', async () => {
    for (const argv of [['--help'], ['-h'], ['scan', '--help'], ['repair', '-h'], ['--help', 'repair']]) {
      const { code, stdout, stderr } = await runCli(argv);
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(stdout, /^Usage: rethread /);
      for (const line of stdout.split('\n')) assert.ok(line.length <= 90, line);
    }
  });

  it('lists every option of a command in its help', async () => {
    assert.match((await runCli(['scan', '--help'])).stdout, /--json/);
    const repairHelp = (await runCli(['repair', '--help'])).stdout;
    for (const option of ['--dry-run', '--undo', '--json', '--help']) assert.ok(repairHelp.includes(option), option);
  });

  it('takes "help" as a command, too', async () => {
    assert.equal((await runCli(['help'])).stdout, (await runCli(['--help'])).stdout);
    assert.equal((await runCli(['help', 'scan'])).stdout, (await runCli(['scan', '--help'])).stdout);
  });

  it('shows help even if PATHs are given, and touches nothing', async () => {
    const engine = fakeEngine([], [repaired('/p/a.jsonl')]);
    assert.equal((await runCli(['repair', '/p/a.jsonl', '--help'], engine)).code, 0);
    assert.deepEqual(engine.calls, []);
  });

  const wrong: [string, string[], RegExp][] = [
    ['no command', [], /command is needed/],
    ['an unknown command', ['scna'], /There is no command "scna"/],
    ['an unknown option', ['scan', '--fast'], /Unknown option '--fast'\.\nTry "rethread scan --help"/],
    ['an unknown option before the command', ['--fast', 'scan'], /Unknown option '--fast'/],
    ['an option of another command', ['scan', '--undo'], /Unknown option '--undo'/],
    ['a value for a flag', ['scan', '--json=yes'], /--json/],
    ['repair without a PATH', ['repair'], /needs a PATH/],
    ['repair with an empty PATH', ['repair', ''], /PATH is empty/],
    ['a PATH with a NUL byte', ['scan', 'a\0b'], /NUL byte/],
    ['an option without its value', ['scan', 'x', '--client'], /^--client needs a value;/],
    ['a negative number as another word', ['show', 'x', '--from', '-1'], /^--from needs a value; .*--from=-1\.\n/],
    ['an empty code of a finding', ['repair', 'x', '--class', ''], /^--class needs the code of a finding/],
    ['help on an unknown command', ['help', 'scna'], /There is no command "help"/],
    ['a dry run of an undo', ['repair', 'x', '--dry-run', '--undo'], /exclude each other/],
  ];
  for (const [what, argv, said] of wrong) {
    it(`refuses ${what} with one sentence, exit code 2 and an empty stdout`, async () => {
      const engine = fakeEngine([scanned('/p/a.jsonl')]);
      const { code, stdout, stderr } = await runCli(argv, engine);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /\n\s+at /);
      assert.deepEqual(engine.calls, []);
    });
  }

  it('takes no second value of an option, which would silently win', async () => {
    for (const [command, option] of [
      ['repair', 'class'],
      ['fork', 'at'],
      ['scan', 'client'],
    ] as const) {
      const { code, stdout, stderr } = await runCli([command, '/c', `--${option}`, 'a', `--${option}=b`]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, new RegExp(`^--${option} takes one value\\.\n`));
    }
    assert.equal((await runCli(['search', 'x', '--role', 'user', '--role', 'assistant', '--help'])).code, 0);
    assert.equal((await runCli(['scan', '--json', '--json', '--help'])).code, 0);
  });

  it('reports an unexpected failure in one sentence, with exit code 2', async () => {
    const engine = fakeEngine([scanned('/p/a.jsonl')], [], {
      scan: () => Promise.reject(new Error('the disk \u001b[31mcaught fire')),
    });
    const { code, stderr } = await runCli(['scan', '/p/a.jsonl'], engine);
    assert.equal(code, 2);
    assert.equal(stderr, 'Rethread could not go on: the disk [31mcaught fire\n');
  });
});
