import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { slimOutcome } from '../../support/fakeProvider';
import { quietMachine } from '../../support/quietMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { chainRow, prompt, reply, type RowFields, transcript } from '../../support/transcriptBuilder';
import { fakeEngine, SESSION_ID } from './fakeEngine';
import { type CliRun, runCli } from './runCli';

const FILE = `/home/person/.claude/projects/-p/${SESSION_ID}.jsonl`;
const SLIMMED = {
  status: 'slimmed',
  backupPath: `${FILE}.backup-1`,
  bytesBefore: 500_000_000,
  bytesAfter: 4_900_000,
  kinds: [{ kind: 'progress', rows: 98_304, bytesBefore: 495_100_000, bytesAfter: 0 }],
  relinked: 12,
} as const;

function run(argv: readonly string[], outcome = slimOutcome(FILE)): Promise<CliRun> {
  const answer = (): Promise<typeof outcome> => Promise.resolve(outcome);
  return runCli(['slim', ...argv], fakeEngine([], [], { planSlim: answer, slim: answer, undoSlim: answer }));
}

describe('slim', () => {
  it('prints what was removed by kind, and when the disk space is freed', async () => {
    const { code, stdout, stderr } = await run([FILE], slimOutcome(FILE, SLIMMED));
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(stdout.split('\n'), [
      `✓ ~/.claude/projects/-p/${SESSION_ID}.jsonl`,
      '                               Entries  Before   After',
      '  Progress of tools and hooks   98,304  495 MB     0 B',
      '  Everything else                       4.9 MB  4.9 MB',
      '  The file                              500 MB  4.9 MB',
      '',
      '  Claude remembers all of this conversation, as before.',
      `  The original is kept as ~/.claude/projects/-p/${SESSION_ID}.jsonl.backup-1`,
      '  It has 500 MB. Disk space is freed once you delete it; after that, this cannot be undone.',
      `  Resume:    claude --resume ${SESSION_ID}`,
      `  Take back: rethread slim --undo ~/.claude/projects/-p/${SESSION_ID}.jsonl`,
      '',
    ]);
  });

  it('prints each kind, and where long outputs are', async () => {
    const kinds = [
      ...SLIMMED.kinds,
      { kind: 'attachments', rows: 3, bytesBefore: 120_000, bytesAfter: 0 },
      { kind: 'outputs', rows: 1, bytesBefore: 2_400_000, bytesAfter: 130 },
    ] as const;
    const { stdout } = await run([FILE], slimOutcome(FILE, { ...SLIMMED, kinds }));
    assert.deepEqual(stdout.split('\n').slice(1, 11), [
      '                               Entries  Before   After',
      '  Progress of tools and hooks   98,304  495 MB     0 B',
      '  Repeated system prompts            3  120 kB     0 B',
      '  Long outputs of tools              1  2.4 MB   130 B',
      '  Everything else                       2.4 MB  4.9 MB',
      '  The file                              500 MB  4.9 MB',
      '',
      '  Claude remembers all of this conversation, as before.',
      "  Long outputs are in files beside the transcript, which the texts in their places name. Only Claude Code's own display",
      '  reads them.',
    ]);
  });

  it('prints what a dry run would remove, and how to do it, and exits with 1', async () => {
    const { code, stdout } = await run([FILE, '--dry-run'], slimOutcome(FILE, SLIMMED));
    assert.equal(code, 1);
    assert.match(stdout, /Claude would remember all of this conversation, as before\./);
    assert.match(stdout, /Nothing was changed\.\nSlim: rethread slim ~\/\.claude/);
  });

  it('prints one document with the fields of its contract', async () => {
    const { code, stdout } = await run([FILE, '--json'], slimOutcome(FILE, SLIMMED));
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      sessionId: SESSION_ID,
      filePath: FILE,
      ...SLIMMED,
      resumeBefore: { loads: 10, of: 10 },
      resumeAfter: { loads: 10, of: 10 },
    });
  });

  it('says that there is nothing to remove', async () => {
    const { code, stdout } = await run([FILE]);
    assert.deepEqual([code, stdout.split('\n')[1]], [0, '  There is nothing to remove.']);
  });

  it('says why it was refused, and how to insist if nobody knows whether a client runs the session', async () => {
    const refused = slimOutcome(FILE, { status: 'failed', reason: 'maybe-live' }, 'A client may run it.');
    const { code, stdout } = await run([FILE], refused);
    assert.equal(code, 1);
    assert.match(stdout, /Not slimmed: A client may run it\.\n {2}rethread slim --allow-live ~/);
  });

  it('puts a missing transcript on stderr and exits with 2', async () => {
    const missing = slimOutcome(FILE, { status: 'failed', reason: 'missing' }, 'There is no such file.');
    const { code, stdout, stderr } = await run([FILE], missing);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /There is no such file\./);
  });

  it('rejects several files, and a dry run of an undo', async () => {
    assert.equal((await run([FILE, FILE])).code, 2);
    assert.match((await run([FILE, '--dry-run', '--undo'])).stderr, /exclude each other/);
  });

  it('slims a real transcript, finds nothing to do a second time, and restores it', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'projects', '-p', `${SESSION_ID}.jsonl`);
      await mkdir(dirname(file), { recursive: true });
      const rows: RowFields[] = [prompt('p', null), chainRow('progress', 'g', 'p', { data: {} }), reply('r', 'g')];
      await writeFile(file, transcript(rows));
      const engine = createEngine({ machine: quietMachine(), configDir: folder });
      const statuses: unknown[] = [];
      for (const options of [['--dry-run'], [], [], ['--undo'], ['--undo']]) {
        const { code, stdout } = await runCli(['slim', file, '--json', ...options], engine);
        // SAFETY: the shape is the contract of the command; its values are checked here.
        const { status, reason } = JSON.parse(stdout) as { status: string; reason?: string };
        statuses.push([code, status, reason]);
      }
      assert.deepEqual(statuses, [
        [1, 'slimmed', undefined],
        [0, 'slimmed', undefined],
        [0, 'already_slim', undefined],
        [0, 'restored', undefined],
        [1, 'failed', 'no-backup'],
      ]);
      assert.ok((await readFile(file)).equals(transcript(rows)));
    });
  });
});
