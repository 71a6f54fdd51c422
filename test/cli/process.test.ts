import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FIXTURES, listCorruptCases } from '../support/fixtures';
import { withTemporaryFolder } from '../support/temporaryFolder';
import type { RepairDocument, ScanDocument } from './documents';
import { BuiltCli, resultOf } from './spawnCli';
import { fullPath, shortPath } from '../support/sessionPaths';

const ORPHAN = listCorruptCases().find(({ name, spacing }) => name === 'b2-user-orphan-mid' && spacing === 'far');

describe('The built command line', () => {
  function withCli(check: (cli: BuiltCli, folder: string) => Promise<void>): Promise<void> {
    return withTemporaryFolder(async (folder) => check(await BuiltCli.install(folder), folder));
  }

  it('prints the version of the package', () =>
    withCli(async (cli) => {
      const manifest = JSON.parse(await readFile(join(FIXTURES, '..', 'package.json'), 'utf8')) as { version: string };
      assert.deepEqual(await cli.run(['--version']), { code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    }));

  it('scans every session under a folder that is not a project, as JSON and as a table, with the same counts', () =>
    withCli(async (cli) => {
      const json = await cli.scan([FIXTURES]);
      const { sessions, totals } = json.document;
      assert.equal(json.code, 1);
      assert.equal(json.stderr, '');
      assert.ok(totals.sessions > 100, String(totals.sessions));
      assert.equal(totals.sessions, sessions.length);
      assert.equal(totals.healthy + totals.corrupted, totals.sessions);
      assert.ok(!sessions.some(({ filePath }) => /\/agent-[^/]+$|\/subagents\//u.test(filePath)));
      const table = await cli.run(['scan', FIXTURES]);
      assert.equal(table.code, 1);
      assert.equal(table.stderr, '');
      const { healthy, corrupted } = totals;
      const summary = `${totals.sessions} sessions: ${healthy} healthy, ${corrupted} broken`;
      assert.ok(table.stdout.includes(summary), table.stdout.slice(-500));
      assert.ok(!table.stdout.includes('\u001b'));
    }));

  it('finds the sessions of the config folder if no PATH is given', () =>
    withCli(async (cli, folder) => {
      const project = join(folder, '.claude', 'projects', '-home-user-project');
      await mkdir(project, { recursive: true });
      assert.ok(ORPHAN);
      await writeFile(join(project, `${ORPHAN.sessionId}.jsonl`), ORPHAN.bytes);
      const { document, code } = await cli.scan([]);
      assert.equal(code, 1);
      const [session] = document.sessions;
      assert.deepEqual([session?.resume.loads, session?.resume.of], [ORPHAN.verdict.loaded, ORPHAN.verdict.total]);
    }));

  it('speaks for the client on the PATH, which is asked once, or for the one that is named', function () {
    if (process.platform === 'win32') this.skip();
    return withCli(async (cli, folder) => {
      assert.ok(ORPHAN);
      const file = join(folder, `${ORPHAN.sessionId}.jsonl`);
      await writeFile(file, ORPHAN.bytes);
      await mkdir(join(folder, 'bin'));
      const program = `#!/bin/sh\necho asked >> '${join(folder, 'asked')}'\necho '2.1.331 (Claude Code)'\n`;
      await writeFile(join(folder, 'bin', 'claude'), program, { mode: 0o755 });
      const clientOf = async (...args: readonly string[]): Promise<unknown> => {
        const { client, isExact } = (await cli.scan([file, ...args])).document.sessions[0]?.resume ?? {};
        return [client, isExact];
      };
      assert.deepEqual(await clientOf(), ['2.1.331', false]);
      assert.deepEqual(await clientOf(), ['2.1.331', false]);
      assert.deepEqual(await clientOf('--client', '2.1.300'), ['2.1.300', true]);
      assert.equal(await readFile(join(folder, 'asked'), 'utf8'), 'asked\n');
    });
  });

  it('previews a repair, applies it, finds nothing more to do, and undoes it', () =>
    withCli(async (cli, folder) => {
      assert.ok(ORPHAN);
      const file = join(folder, `${ORPHAN.sessionId}.jsonl`);
      await writeFile(file, ORPHAN.bytes);
      const before = await readFile(file);

      const plan = await cli.repair([file, '--dry-run']);
      assert.equal(plan.code, 1);
      assert.deepEqual(await readFile(file), before);

      const repair = await cli.repair([file]);
      assert.equal(repair.code, 0);
      assert.equal(repair.document.results[0]?.status, 'repaired');
      assert.deepEqual(repair.document.results[0].resumeAfter, { loads: 28, of: 28 });
      assert.deepEqual(repair.document.results[0].edits, plan.document.results[0]?.edits);
      assert.deepEqual(await readFile(repair.document.results[0].backupPath ?? ''), before);
      assert.equal((await cli.run(['scan', file])).code, 0);

      const again = await cli.repair([file]);
      assert.equal(again.code, 0);
      assert.equal(again.document.results[0]?.status, 'already_healthy');

      assert.equal((await cli.run(['repair', '--undo', file])).code, 0);
      assert.deepEqual(await readFile(file), before);
    }));

  it('refuses a running session, by the registry of its own config folder', () =>
    withCli(async (cli, folder) => {
      assert.ok(ORPHAN);
      const project = join(folder, 'other-config', 'projects', 'p');
      const registry = join(folder, 'other-config', 'sessions');
      await mkdir(project, { recursive: true });
      await mkdir(registry);
      const file = join(project, `${ORPHAN.sessionId}.jsonl`);
      await writeFile(file, ORPHAN.bytes);
      const entry = { pid: process.pid, sessionId: ORPHAN.sessionId, status: 'idle' };
      await writeFile(join(registry, `${process.pid}.json`), JSON.stringify(entry));
      const { code, document, stderr } = await cli.repair([file]);
      assert.equal(code, 1);
      assert.equal(document.results[0]?.reason, 'live');
      assert.match(stderr, /Close it/u);
      assert.deepEqual(await readFile(file), ORPHAN.bytes);
    }));

  it('is quiet when the reader of its output closes the pipe', () =>
    withCli(async (cli) => {
      const child = cli.spawn(['scan', FIXTURES, '--json']);
      assert.ok(child.stdout && child.stderr);
      const stderr = text(child.stderr);
      await once(child.stdout, 'data');
      child.stdout.destroy();
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 141);
      assert.equal(await stderr, '');
    }));

  it('exits with 130 on Ctrl-C in the middle of a large transcript, and leaves nothing behind', () =>
    withCli(async (cli, folder) => {
      assert.ok(ORPHAN);
      const project = join(folder, 'config', 'projects', 'p');
      await mkdir(project, { recursive: true });
      const [small, big] = ['1', '2'].map((number) => join(project, fullPath(`${number}.jsonl`)));
      assert.ok(small !== undefined && big !== undefined);
      await writeFile(small, ORPHAN.bytes);
      // A sparse file: it takes no disk space, but seconds to read.
      const large = await open(big, 'w');
      await large.truncate(8 * 2 ** 30);
      await large.close();
      const child = cli.spawn(['scan', small, big, '--json']);
      assert.ok(child.stdout);
      const result = resultOf(child);
      // Its first result is printed, so it is working on the large one.
      await once(child.stdout, 'data');
      child.kill('SIGINT');
      const { code, stdout, stderr } = await result;
      assert.equal(code, 130);
      assert.equal(stderr, 'Stopped.\n');
      assert.equal((JSON.parse(stdout) as ScanDocument).sessions.length, 1);
      assert.deepEqual((await readdir(project)).map(shortPath), ['1.jsonl', '2.jsonl']);
    }));

  it('lets the current repair finish on Ctrl-C, and starts no other', () =>
    withCli(async (cli, folder) => {
      assert.ok(ORPHAN);
      const project = join(folder, 'project');
      await mkdir(project);
      const files = Array.from({ length: 200 }, (_, at) => join(project, fullPath(`${at}.jsonl`)));
      for (const file of files) await writeFile(file, ORPHAN.bytes);
      const child = cli.spawn(['repair', project, '--json']);
      assert.ok(child.stdout);
      const result = resultOf(child);
      await once(child.stdout, 'data');
      child.kill('SIGINT');
      const { code, stdout } = await result;
      assert.equal(code, 130);
      const { results } = JSON.parse(stdout) as RepairDocument;
      assert.ok(results.length > 0 && results.length < files.length, String(results.length));
      const repaired = new Set(results.map(({ filePath }) => filePath));
      for (const file of files) {
        assert.equal((await readFile(file)).equals(ORPHAN.bytes), !repaired.has(file), file);
      }
      const names = await readdir(project);
      assert.deepEqual(
        names.map(shortPath).filter((name) => !/^\d+\.jsonl(\.backup-\d+)?$/u.test(name)),
        [],
      );
    }));
});
