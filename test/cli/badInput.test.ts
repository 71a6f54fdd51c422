import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listCorruptCases } from '../support/fixtures';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { BuiltCli, type CliResult } from './spawnCli';

const SESSION_ID = '44444444-4444-4444-8444-444444444444';

/** One sentence for people, without implementation details. */
function assertIsForPeople({ stderr }: CliResult): void {
  assert.doesNotMatch(stderr, /^\s+at |cli\.js:\d|node:internal|Error:/mu);
  assert.ok(stderr.length < 1000, stderr);
}

function corruptBytes(name: string): Buffer {
  const found = listCorruptCases().find((each) => each.name === name && each.spacing === 'far');
  assert.ok(found, name);
  return found.bytes;
}

describe('Bad input to the built command line', () => {
  /** Runs a check with the built program and a project folder that holds one damaged session. */
  async function withSession(check: (cli: BuiltCli, file: string) => Promise<void>): Promise<void> {
    await withTemporaryFolder(async (folder) => {
      const cli = await BuiltCli.install(folder);
      const project = join(folder, 'config', 'projects', '-home-user-project');
      await mkdir(project, { recursive: true });
      const file = join(project, `${SESSION_ID}.jsonl`);
      await writeFile(file, corruptBytes('b2-user-orphan-mid'));
      await check(cli, file);
    });
  }

  it('a missing PATH is reported on stderr and in the document, with exit code 2', () =>
    withSession(async (cli) => {
      const scan = await cli.scan(['nowhere.jsonl']);
      assert.equal(scan.code, 2);
      assert.equal(scan.document.sessions[0]?.status, 'missing');
      assertIsForPeople(scan);
      assert.match(scan.stderr, /nowhere\.jsonl.* does not exist|no such/iu);
      const repair = await cli.repair(['nowhere.jsonl']);
      assert.equal(repair.code, 2);
      assert.equal(repair.document.results[0]?.reason, 'missing');
      assertIsForPeople(repair);
    }));

  it('a file that is not named by a session id is left out of folders, and unreadable if it is named', () =>
    withSession(async (cli, file) => {
      const notes = join(dirname(file), 'notes.jsonl');
      await copyFile(file, notes);
      for (const path of [dirname(file), join(file, '..', '..', '..')]) {
        const scan = await cli.scan([path]);
        assert.deepEqual(
          scan.document.sessions.map(({ filePath }) => filePath),
          [file],
        );
      }
      const scan = await cli.scan([notes]);
      assert.equal(scan.code, 2);
      assert.deepEqual([scan.document.sessions.length, scan.document.sessions[0]?.status], [1, 'unreadable']);
      assert.match(
        scan.stderr,
        /notes\.jsonl is not the transcript of a session: those are named by the id of the session\./u,
      );
      assertIsForPeople(scan);
      const repair = await cli.repair([notes]);
      assert.equal(repair.code, 2);
      assert.equal(repair.document.results[0]?.reason, 'unreadable');
      assert.ok((await readFile(notes)).equals(await readFile(file)));
    }));

  it('a file without a row that parses is unreadable, and an empty one or one with metadata only is healthy', () =>
    withSession(async (cli, file) => {
      const summary = JSON.stringify({ type: 'summary', summary: 'x' });
      for (const [bytes, status, code] of [
        ['', 'healthy', 0],
        ['\n \n', 'healthy', 0],
        [`${summary}\n`, 'healthy', 0],
        [`${JSON.stringify(JSON.parse(summary), null, 2)}\n`, 'healthy', 0],
        ['<html></html>\n', 'unreadable', 2],
        ['[1]\n', 'unreadable', 2],
        ['\0\0', 'unreadable', 2],
        [`${summary.slice(0, 9)}\n${summary.slice(0, 20)}\n`, 'unreadable', 2],
      ] as const) {
        await writeFile(file, bytes);
        const scan = await cli.scan([file]);
        assert.deepEqual([scan.code, scan.document.sessions[0]?.status], [code, status], JSON.stringify(bytes));
        assert.equal(scan.document.sessions[0]?.fileSize, Buffer.byteLength(bytes));
        if (code === 2) assert.match(scan.stderr, /contains no message: .* JSON object\./u);
      }
      const repair = await cli.repair([file]);
      assert.deepEqual([repair.code, repair.document.results[0]?.reason], [2, 'unreadable']);
    }));

  it('a missing fast scanner is reported in one line, and the scan has the same result', () =>
    withSession(async (cli, file) => {
      const fast = await cli.scan([file]);
      assert.equal(fast.stderr, '');
      await cli.removeScanner();
      const plain = await cli.scan([file, file]);
      assert.deepEqual(plain.document, fast.document);
      assert.match(plain.stderr, /^Failed to load the fast scanner, so scans take longer: .*scanner\.wasm'\n$/u);
      assertIsForPeople(plain);
      assert.equal((await cli.run(['--version'])).stderr, '');
    }));

  it('an unknown option and an unknown command are usage errors', () =>
    withSession(async (cli, file) => {
      for (const args of [['scan', '--force', file], ['fix', file], []]) {
        const result = await cli.run(args);
        assert.equal(result.code, 2);
        assert.equal(result.stdout, '');
        assertIsForPeople(result);
      }
    }));

  it('a missing config folder is named, with exit code 2', () =>
    withSession(async (cli) => {
      const result = await cli.run(['scan'], { env: { CLAUDE_CONFIG_DIR: join('/', 'nowhere', 'claude') } });
      assert.equal(result.code, 2);
      assert.match(result.stderr, /There is no Claude Code config folder .*nowhere/u);
      assertIsForPeople(result);
    }));

  it('a session id that leaves its folder reaches nothing', () =>
    withSession(async (cli, file) => {
      for (const id of [`../${SESSION_ID}`, `../../../etc/passwd-of-nobody`]) {
        for (const command of ['scan', 'repair']) {
          const result = await cli.run([command, id], { cwd: dirname(file) });
          assert.equal(result.code, 2);
          assertIsForPeople(result);
        }
      }
    }));

  it('an unreadable transcript is reported as unreadable, and the others are still scanned', () =>
    withSession(async (cli, file) => {
      const secret = join(dirname(file), '55555555-5555-4555-8555-555555555555.jsonl');
      await copyFile(file, secret);
      await chmod(secret, 0o000);
      const scan = await cli.scan([dirname(file)], { isUnprivileged: true });
      assert.equal(scan.code, 2);
      assert.deepEqual(scan.document.sessions.map(({ status }) => status).sort(), ['corrupted', 'unreadable']);
      assert.match(scan.stderr, /55555555.*permission/iu);
      assertIsForPeople(scan);
      const repair = await cli.repair([secret], { isUnprivileged: true });
      assert.equal(repair.code, 2);
      assert.equal(repair.document.results[0]?.reason, 'unreadable');
      assertIsForPeople(repair);
    }));

  it('a project folder that cannot be listed is not treated as empty', () =>
    withSession(async (cli, file) => {
      await chmod(dirname(file), 0o000);
      try {
        const result = await cli.run(['scan', dirname(file)], { isUnprivileged: true });
        assert.equal(result.code, 2);
        assertIsForPeople(result);
      } finally {
        await chmod(dirname(file), 0o755);
      }
    }));

  it('a session in a read-only folder is refused and left unchanged', () =>
    withSession(async (cli, file) => {
      const before = await readFile(file);
      await chmod(dirname(file), 0o555);
      try {
        const repair = await cli.repair([file], { isUnprivileged: true });
        assert.equal(repair.code, 1);
        assert.equal(repair.document.results[0]?.reason, 'read-only');
        assertIsForPeople(repair);
        assert.deepEqual(await readFile(file), before);
        assert.deepEqual(await readdir(dirname(file)), [`${SESSION_ID}.jsonl`]);
      } finally {
        await chmod(dirname(file), 0o755);
      }
    }));

  it('a folder in place of a transcript is reported, and the others are still scanned', () =>
    withSession(async (cli, file) => {
      const folder = join(dirname(file), '66666666-6666-4666-8666-666666666666.jsonl');
      await mkdir(folder);
      const scan = await cli.scan([dirname(file)]);
      assert.equal(scan.code, 2);
      assert.deepEqual(scan.document.sessions.map(({ status }) => status).sort(), ['corrupted', 'unreadable']);
      assert.match(scan.stderr, /66666666\S* is a folder, not a transcript/u);
      assertIsForPeople(scan);
      const repair = await cli.repair([dirname(file)]);
      assert.equal(repair.code, 2);
      assert.deepEqual(repair.document.results.map(({ reason }) => reason).sort(), ['not-a-file', undefined]);
    }));

  it('a pipe in place of a transcript is reported, and no command waits for it', function () {
    if (process.platform === 'win32') this.skip();
    return withSession(async (cli, file) => {
      execFileSync('mkfifo', [join(dirname(file), '66666666-6666-4666-8666-666666666666.jsonl')]);
      const scan = await cli.scan([dirname(file)]);
      assert.equal(scan.code, 2);
      assert.match(scan.stderr, /66666666\S* is a FIFO, not a transcript/u);
      assertIsForPeople(scan);
      const search = await cli.run(['search', 'prompt', dirname(dirname(dirname(file)))]);
      assert.notEqual(search.code, null);
    });
  });

  it('a symbolic link is read, but its target is repaired only under its own name', () =>
    withSession(async (cli, file) => {
      const link = join(dirname(file), '77777777-7777-4777-8777-777777777777.jsonl');
      await symlink(file, link);
      const scan = await cli.scan([link]);
      assert.equal(scan.document.sessions[0]?.status, 'corrupted');
      const repair = await cli.repair([link]);
      assert.equal(repair.code, 1);
      assert.equal(repair.document.results[0]?.reason, 'symlink');
      assertIsForPeople(repair);
    }));

  it('a dangling link is missing', () =>
    withSession(async (cli, file) => {
      const link = join(dirname(file), '88888888-8888-4888-8888-888888888888.jsonl');
      await symlink(join(dirname(file), 'gone'), link);
      const scan = await cli.scan([link]);
      assert.equal(scan.code, 2);
      assert.equal(scan.document.sessions[0]?.status, 'missing');
      assertIsForPeople(scan);
    }));

  it('an empty transcript loads nothing and needs no repair', () =>
    withSession(async (cli, file) => {
      await writeFile(file, '');
      const scan = await cli.scan([file]);
      assert.deepEqual(
        { ...scan.document.sessions[0]?.resume },
        { loads: 0, of: 0, leafUuid: null, missingLines: [], client: '2.1.330', isExact: true },
      );
      assertIsForPeople(scan);
      const repair = await cli.repair([file]);
      assert.equal(repair.document.results[0]?.status, 'already_healthy');
      assert.equal(repair.code, 0);
    }));

  it('invalid UTF-8 is harmless', () =>
    withSession(async (cli, file) => {
      await writeFile(file, corruptBytes('e5-invalid-utf8'));
      const scan = await cli.scan([file]);
      assert.equal(scan.code, 0);
      assert.deepEqual([scan.document.sessions[0]?.resume.loads, scan.document.sessions[0]?.resume.of], [28, 28]);
    }));
});
