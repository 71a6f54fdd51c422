import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createEngine, type Engine } from '../../../src/core/engine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { fullPath } from '../../support/sessionPaths';
import { runCli } from './runCli';
import { RunningCli } from './runningCli';

const HEALTHY = transcript([prompt('p', null), reply('r', 'p')]);
const BROKEN = transcript([prompt('p', null), reply('r', 'p'), prompt('q', 'nowhere'), reply('s', 'q')]);

interface Result {
  readonly sessionId: string;
  readonly filePath: string;
  readonly status: string;
  readonly live: string;
  readonly messageCount: number;
}

interface Place {
  readonly home: string;
  /** Absolute path of a transcript of the config folder; the session of `p/1` has the id 00000001-…. */
  readonly path: (name: string) => string;
  readonly write: (name: string, content?: Buffer) => void;
  readonly watch: (...argv: readonly string[]) => RunningCli;
  /** The scans of the engine that `watch` uses. */
  readonly scans: string[];
}

async function withPlace(check: (place: Place) => Promise<void>): Promise<void> {
  await withTemporaryFolder(async (home) => {
    const projects = join(home, '.claude', 'projects');
    mkdirSync(projects, { recursive: true });
    const path = (name: string): string => fullPath(join(projects, `${name}.jsonl`));
    const started: RunningCli[] = [];
    const scans: string[] = [];
    const engine = createEngine({ configDir: join(home, '.claude') });
    const counting: Engine = {
      ...engine,
      scan: (filePath, options) => {
        scans.push(filePath);
        return engine.scan(filePath, options);
      },
    };
    try {
      await check({
        home,
        path,
        scans,
        write: (name, content = HEALTHY) => {
          mkdirSync(join(path(name), '..'), { recursive: true });
          writeFileSync(path(name), content);
        },
        watch: (...argv) => {
          const cli = new RunningCli(home, ['scan', '--watch', ...argv], { createEngine: () => counting });
          started.push(cli);
          return cli;
        },
      });
    } finally {
      for (const cli of started) await cli.stop();
    }
  });
}

/** The sessions and their statuses, in the order of the lines. */
function told(cli: RunningCli): string[] {
  // SAFETY: the shape is the contract of this command.
  return (cli.documents as Result[]).map(({ sessionId, status }) => `${Number(sessionId.slice(0, 8))} ${status}`);
}

async function expect(cli: RunningCli, ...lines: readonly string[]): Promise<void> {
  await cli.until(() => told(cli).length >= lines.length);
  assert.deepEqual(told(cli), lines);
}

describe('scan --watch', () => {
  it('prints the objects of scan --json, one on a line, and ends with exit code 0 when it is interrupted', () =>
    withPlace(async ({ write, watch, home }) => {
      write('p/1');
      write('q/2', BROKEN);
      const cli = watch('--json');
      await expect(cli, '1 healthy', '2 corrupted');
      const { stdout } = await runCli(['scan', '--json'], undefined, { home, cwd: home, createEngine });
      assert.deepEqual(cli.documents, (JSON.parse(stdout) as { sessions: unknown[] }).sessions);
      assert.deepEqual([await cli.stop('SIGTERM'), cli.stderr.text], [0, '']);
    }));

  it('prints a session again when its result changes, a new one, and one that vanishes', () =>
    withPlace(async ({ write, watch, path }) => {
      write('p/1');
      const cli = watch('--json');
      await expect(cli, '1 healthy');
      appendFileSync(path('p/1'), BROKEN.subarray(HEALTHY.length));
      await expect(cli, '1 healthy', '1 corrupted');
      write('new/2');
      await expect(cli, '1 healthy', '1 corrupted', '2 healthy');
      rmSync(path('p/1'));
      await expect(cli, '1 healthy', '1 corrupted', '2 healthy', '1 missing');
      write('p/1');
      await expect(cli, '1 healthy', '1 corrupted', '2 healthy', '1 missing', '1 healthy');
    }));

  it('prints a session again that was truncated, replaced, or moved to another project', () =>
    withPlace(async ({ write, watch, path }) => {
      write('p/1', BROKEN);
      write('q/2', BROKEN);
      const cli = watch('--json', path('p/1'), join(path('q/2'), '..'));
      await expect(cli, '1 corrupted', '2 corrupted');
      truncateSync(path('p/1'), HEALTHY.length);
      await expect(cli, '1 corrupted', '2 corrupted', '1 healthy');
      writeFileSync(`${path('p/1')}.x`, BROKEN);
      renameSync(`${path('p/1')}.x`, path('p/1'));
      await expect(cli, '1 corrupted', '2 corrupted', '1 healthy', '1 corrupted');
      renameSync(path('p/1'), path('q/1'));
      await cli.until(() => told(cli).length === 6);
      assert.deepEqual(told(cli).slice(4).sort(), ['1 corrupted', '1 missing']);
    }));

  it('scans only what was written to, and prints nothing if the result is the same', () =>
    withPlace(async ({ write, watch, path, scans }) => {
      for (let at = 1; at <= 20; at++) write(`p/${at}`);
      const cli = watch('--json');
      await cli.until(() => told(cli).length === 20);
      await delay(30);
      assert.equal(scans.length, 20);
      utimesSync(path('p/7'), 1, 1);
      await cli.until(() => scans.length === 21);
      await delay(10);
      assert.deepEqual([scans.length, scans[20], told(cli).length], [21, path('p/7'), 20]);
    }));

  it('prints the last result of a session that is written to ten thousand times', () =>
    withPlace(async ({ write, watch, path, scans }) => {
      write('p/1');
      const cli = watch('--json');
      await expect(cli, '1 healthy');
      for (let at = 0; at < 10_000; at++) {
        appendFileSync(path('p/1'), transcript([prompt(`x${at}`, at === 0 ? 'r' : `x${at - 1}`)]));
        if (at % 500 === 0) await delay(1);
      }
      // SAFETY: the shape is the contract of this command.
      await cli.until(() => (cli.documents.at(-1) as Result).messageCount === 10_002);
      assert.ok(scans.length < 100, String(scans.length));
    }));

  it('prints a session again when a client starts to run it, and when that ends', () =>
    withPlace(async ({ home, write, watch, path }) => {
      write('p/1');
      const cli = watch('--json');
      const states = (): string[] => (cli.documents as Result[]).map(({ live }) => live);
      await cli.until(() => states().length === 1);
      const registry = join(home, '.claude', 'sessions');
      mkdirSync(registry);
      const sessionId = path('p/1').slice(-42, -6);
      const entry = join(registry, `${process.pid}.json`);
      writeFileSync(entry, JSON.stringify({ pid: process.pid, sessionId, status: 'idle' }));
      await cli.until(() => states().length === 2);
      assert.equal(states()[1], 'live');
      rmSync(entry);
      await cli.until(() => states().length === 3);
      assert.notEqual(states()[2], 'live');
    }));

  it('prints what cannot be read as such, and a named PATH that does not exist as missing until it does', () =>
    withPlace(async ({ write, watch, path }) => {
      mkdirSync(path('p/1'), { recursive: true });
      const cli = watch('--json', path('p/1'), path('p/2'));
      await expect(cli, '1 unreadable', '2 missing');
      assert.match(cli.stderr.text, /is a folder, not a transcript\.\n$/u);
      await delay(10);
      write('p/2');
      await expect(cli, '1 unreadable', '2 missing', '2 healthy');
    }));

  it('is not held up by a FIFO', function () {
    if (process.platform === 'win32') this.skip();
    return withPlace(async ({ write, watch, path }) => {
      write('p/2');
      execFileSync('mkfifo', [path('p/1')]);
      const cli = watch('--json');
      await cli.until(() => told(cli).length === 2);
      assert.deepEqual(told(cli).sort(), ['1 unreadable', '2 healthy']);
    });
  });

  it('prints one line for people per change without --json', () =>
    withPlace(async ({ write, watch, path }) => {
      write('p/1');
      const cli = watch();
      await cli.until(() => cli.stdout.text.endsWith('\n'));
      appendFileSync(path('p/1'), BROKEN.subarray(HEALTHY.length));
      await cli.until(() => cli.stdout.text.includes('broken'));
      rmSync(path('p/1'));
      await cli.until(() => cli.stdout.text.includes('missing'));
      const lines = cli.stdout.text.split('\n');
      assert.match(lines[0] ?? '', /^\d\d:\d\d {2}✓ healthy {6}all {2}00000001 {2}\S/u);
      assert.match(lines[1] ?? '', /^\d\d:\d\d {2}✗ broken {6}part {2}00000001 {2}\S/u);
      assert.match(
        lines[2] ?? '',
        /^\d\d:\d\d {2}\? missing {5}~\/\.claude\/projects\/p\/00000001-\S+ does not exist\./u,
      );
      assert.equal(lines.length, 4);
      for (const line of lines) assert.ok(line.length <= 120, line);
    }));

  it('reports a config folder that does not exist', () =>
    withTemporaryFolder(async (home) => {
      const { code, stdout, stderr } = await runCli(['scan', '--watch', '--json'], undefined, { home });
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^There is no Claude Code config folder/u);
    }));

  it('prints the sessions of a config folder that vanishes as missing, and again when it is back', () =>
    withPlace(async ({ write, watch, home }) => {
      write('p/1');
      const cli = watch('--json');
      await expect(cli, '1 healthy');
      const [configDir, away] = [join(home, '.claude'), join(home, 'away')];
      renameSync(configDir, away);
      await expect(cli, '1 healthy', '1 missing');
      renameSync(away, configDir);
      await expect(cli, '1 healthy', '1 missing', '1 healthy');
    }));

  it('ends when the reader of its output closes the pipe', () =>
    withPlace(async ({ write, home }) => {
      write('p/1');
      const stdout = new Writable({
        write(_chunk, _encoding, done) {
          done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
        },
      });
      const { code, stderr } = await runCli(['scan', '--watch'], undefined, { home, createEngine, stdout });
      assert.deepEqual([code, stderr], [141, '']);
    }));

  it('does not go with --clean', async () => {
    const { code, stderr } = await runCli(['scan', '--watch', '--clean']);
    assert.equal(code, 2);
    assert.match(stderr, /^--watch does not go with --clean\.\n/u);
  });
});
