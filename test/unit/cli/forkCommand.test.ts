import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { lastPrompt, prompt, reply, transcript, uuidOf, type RowFields } from '../../support/transcriptBuilder';
import { runCli, type CliRun } from './runCli';
import { quietMachine } from '../../support/quietMachine';

const ID = '44444444-4444-4444-8444-444444444444';
const TALK: readonly RowFields[] = [
  prompt('one', null, { cwd: '/home/person/an app' }),
  reply('answer', 'one', { cwd: '/home/person/an app' }),
  prompt('two', 'answer', { cwd: '/home/person/an app' }),
  reply('last', 'two', { cwd: '/home/person/an app' }),
  lastPrompt('last'),
];

interface ForkRun extends CliRun {
  readonly file: string;
  /** Names beside the transcript. */
  readonly made: readonly string[];
}

async function fork(argv: readonly string[], bytes: Buffer | null = transcript(TALK)): Promise<ForkRun> {
  return withTemporaryFolder(async (folder) => {
    const file = join(folder, 'projects', '-p', `${ID}.jsonl`);
    await mkdir(dirname(file), { recursive: true });
    if (bytes !== null) await writeFile(file, bytes);
    const run = await runCli(['fork', file, ...argv], createEngine({ machine: quietMachine(), configDir: folder }), {
      home: '/home/person',
    });
    if (bytes !== null) assert.deepEqual(await readFile(file), bytes);
    return { ...run, file, made: (await readdir(dirname(file))).filter((name) => join(dirname(file), name) !== file) };
  });
}

describe('fork', () => {
  it('reports what was created, how much of it Claude remembers, and how to continue there', async () => {
    const { code, stdout, stderr, made } = await fork([]);
    assert.deepEqual([code, stderr, made.length], [0, '', 1]);
    const id = (made[0] ?? '').replace('.jsonl', '');
    const lines = stdout.split('\n');
    assert.equal(lines[0], '✓ x (fork)');
    assert.equal(lines[2], '  4 lines copied; Claude remembers all 4 messages.');
    assert.equal(lines[3], `  Resume:  cd '/home/person/an app' && claude --resume ${id}`);
  });

  it('prints one document with the fields of its contract', async () => {
    const { code, stdout, stderr, made, file } = await fork(['--json', '--at', uuidOf('answer')]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(JSON.parse(stdout), {
      sessionId: (made[0] ?? '').replace('.jsonl', ''),
      filePath: join(dirname(file), made[0] ?? ''),
      parentSessionId: ID,
      rowsCopied: 2,
    });
  });

  it('ends with the row on a line, as findings and messages name rows', async () => {
    const { stdout } = await fork(['--json', '--at', '2']);
    assert.equal((JSON.parse(stdout) as { rowsCopied: number }).rowsCopied, 2);
    for (const line of ['5', '99']) {
      const { code, stderr } = await fork(['--at', line]);
      assert.equal(code, 2);
      assert.ok(stderr.endsWith(`No message of this conversation is on line ${line}.\n`), stderr);
    }
  });

  it('ends before a row if requested, and accepts a title', async () => {
    const { stdout } = await fork(['--at', uuidOf('two'), '--before', '--title', 'Another way']);
    assert.match(stdout, /^✓ Another way\n.*\n {2}2 lines copied; Claude remembers all 2 messages\.\n/);
  });

  it('reports an unknown row, and creates nothing', async () => {
    const { code, stdout, stderr, made } = await fork(['--at', uuidOf('nobody')]);
    assert.deepEqual([code, stdout, made], [2, '', []]);
    assert.match(stderr, /: No message of this conversation has this id\.\n$/);
  });

  it('gives the reason for a refusal in JSON', async () => {
    const { code, stdout, made } = await fork(['--json', '--at', uuidOf('one'), '--before']);
    assert.deepEqual([code, made], [1, []]);
    // SAFETY: checked in the next line.
    const document = JSON.parse(stdout) as { reason: string; problem: string };
    assert.equal(document.reason, 'empty');
    assert.match(document.problem, /^There is no message above this one/);
  });

  it('reports a missing transcript', async () => {
    const { code, stdout, stderr, file } = await fork([], null);
    assert.deepEqual([code, stdout, stderr], [2, '', `${file} does not exist.\n`]);
  });

  for (const argv of [[], ['a.jsonl', 'b.jsonl'], ['a.jsonl', '--before'], ['a.jsonl', '--at', '']]) {
    it(`is a usage error: fork ${argv.join(' ')}`, async () => {
      const { code, stdout, stderr } = await runCli(['fork', ...argv]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /Try "rethread fork --help"/);
    });
  }
});
