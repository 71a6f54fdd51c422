import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../src/core/engine';
import { thisMachine } from '../../rooms/providers';
import { keptOriginalPath, nodeWriteFs, unfinishedPath, type WriteFs } from '../../rooms/storage';
import { asUnprivileged } from '../../support/asUnprivileged';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, timeOf, transcript } from '../../support/transcriptBuilder';
import { FaultyFs } from '../storage/faultyFs';
import { quietMachine } from '../../support/quietMachine';

const ID = '44444444-4444-4444-8444-444444444444';
const LINK = '55555555-5555-4555-8555-555555555555';
const BROKEN = transcript([prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'lost'), reply('r2', 'p2')]);
const NOBODY = 65534;

interface Bench {
  /** A temporary config folder. */
  readonly folder: string;
  readonly filePath: string;
  readonly engine: Engine;
}

/** A config folder with one session that a repair would fix. */
async function withBrokenSession(use: (bench: Bench) => Promise<void>, fs?: WriteFs): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const project = join(folder, 'projects', '-p');
    await mkdir(project, { recursive: true });
    const filePath = join(project, `${ID}.jsonl`);
    await writeFile(filePath, BROKEN);
    const engine = createEngine({ machine: quietMachine(), configDir: folder, ...(fs === undefined ? {} : { fs }) });
    await use({ folder, filePath, engine });
  });
}

async function register(folder: string, entry: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(join(folder, 'sessions'), { recursive: true });
  await writeFile(join(folder, 'sessions', `${String(entry['pid'])}.json`), JSON.stringify(entry));
}

async function startOfThisProcess(): Promise<string> {
  const stat = await readFile(`/proc/${process.pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Asserts that nothing was written: the bytes are unchanged, and there are no new files beside them. */
async function assertUntouched(filePath: string, bytes = BROKEN): Promise<void> {
  assert.ok((await readFile(filePath)).equals(bytes));
  assert.equal((await readdir(join(filePath, '..'))).length, 1);
}

describe('The engine with a running client', () => {
  it('refuses to repair a running session, but plans the repair', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const procStart = process.platform === 'linux' ? await startOfThisProcess() : undefined;
      await register(folder, { pid: process.pid, sessionId: ID, status: 'idle', procStart });
      assert.deepEqual([...(await engine.liveSessions())], [ID]);
      const { result, problem } = await engine.repair(filePath);
      assert.deepEqual([result.status, result.reason, result.edits], ['failed', 'live', []]);
      assert.match(problem ?? '', /Claude is using this session/);
      await assertUntouched(filePath);
      assert.equal((await engine.planRepair(filePath)).result.edits.length, 1);
    }));

  it('refuses to undo the repair of a running session', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      await engine.repair(filePath);
      const repaired = await readFile(filePath);
      await register(folder, { pid: process.pid, sessionId: ID });
      assert.equal((await engine.undoRepair(filePath)).result.reason, 'live');
      assert.ok((await readFile(filePath)).equals(repaired));
    }));

  it('repairs a session whose process has ended', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
      await once(child, 'exit');
      await register(folder, { pid: child.pid, sessionId: ID, pidDomain: thisMachine().pidDomain });
      assert.equal((await engine.liveSessions()).size, 0);
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
    }));

  it('repairs a session whose pid was reused', async function () {
    if (process.platform !== 'linux') this.skip();
    await withBrokenSession(async ({ folder, filePath, engine }) => {
      await register(folder, { pid: process.pid, sessionId: ID, procStart: '1', pidDomain: thisMachine().pidDomain });
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
    });
  });

  it('changes a session that may be running only if the person accepts that, and never without asking', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const before = await readFile(filePath);
      await register(folder, { pid: process.pid, sessionId: ID, pidDomain: 'linux:another:pid:[1]' });
      const refused = await engine.repair(filePath);
      assert.equal(refused.result.reason, 'maybe-live');
      assert.match(refused.problem ?? '', /cannot be seen from here\. If you are sure/);
      assert.equal((await engine.repair(filePath, { isAutomatic: true, mayBeLive: true })).result.reason, 'maybe-live');
      await assertUntouched(filePath);
      assert.equal((await engine.repair(filePath, { mayBeLive: true })).result.status, 'repaired');
      assert.equal((await engine.undoRepair(filePath)).result.reason, 'maybe-live');
      assert.equal((await engine.undoRepair(filePath, { mayBeLive: true })).result.status, 'repaired');
      assert.ok((await readFile(filePath)).equals(before));
    }));

  it('repairs a session whose repair was undone only on request, also after a restart', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      await engine.repair(filePath, { isAutomatic: true });
      await engine.undoRepair(filePath);
      const restarted = createEngine({ machine: quietMachine(), configDir: folder });
      assert.equal((await restarted.repair(filePath, { isAutomatic: true })).result.reason, 'declined');
      assert.equal((await restarted.repair(filePath)).result.status, 'repaired');
      await rename(filePath, `${filePath}.kept`);
      await writeFile(filePath, BROKEN);
      assert.equal((await restarted.repair(filePath, { isAutomatic: true })).result.status, 'repaired');
    }));

  it('finds a session whose repair died in the middle of the exchange, says so, and puts it back', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const { size, mtimeNs } = await stat(filePath, { bigint: true });
      const kept = keptOriginalPath(filePath, 'killed', { size: Number(size), mtimeNs, replacedBySize: 10 });
      await rename(filePath, kept);
      await writeFile(unfinishedPath(filePath, 'killed'), '{}\n');
      for (const place of [folder, join(folder, 'projects')]) {
        const found: string[] = [];
        for await (const { path } of engine.find([place])) found.push(path);
        assert.deepEqual(found, [filePath]);
      }
      const { result, problem } = await engine.scan(filePath);
      assert.equal(result.status, 'missing');
      assert.match(problem ?? '', /set aside by a repair that was interrupted/);
      assert.equal((await engine.planRepair(filePath)).result.reason, 'missing');
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
      const [name = '', backup = '', ...others] = (await readdir(join(filePath, '..'))).sort();
      assert.deepEqual([name, others], [`${ID}.jsonl`, []]);
      assert.ok((await readFile(join(filePath, '..', backup))).equals(BROKEN));
    }));

  it('puts a session back that was set aside before it slims it, and a dry run says that it was set aside', () =>
    withBrokenSession(async ({ filePath, engine }) => {
      const { size, mtimeNs } = await stat(filePath, { bigint: true });
      const kept = keptOriginalPath(filePath, 'killed', { size: Number(size), mtimeNs, replacedBySize: 10 });
      await rename(filePath, kept);
      await writeFile(unfinishedPath(filePath, 'killed'), '{}\n');
      const planned = await engine.planSlim(filePath);
      assert.deepEqual([planned.result.status, planned.result.reason], ['failed', 'missing']);
      assert.match(planned.problem ?? '', /set aside by a repair that was interrupted/);
      assert.equal((await engine.slim(filePath)).result.status, 'already_slim');
      assert.ok((await readFile(filePath)).equals(BROKEN));
    }));

  it('clears what a killed repair has left, also beside a healthy session', () =>
    withBrokenSession(async ({ filePath, engine }) => {
      await engine.repair(filePath);
      const before = await readdir(join(filePath, '..'));
      await writeFile(unfinishedPath(filePath, 'killed'), 'half');
      assert.equal((await engine.repair(filePath)).result.status, 'already_healthy');
      assert.deepEqual(await readdir(join(filePath, '..')), before);
    }));

  it('clears the backup of a killed repair, which has the content of its own', () =>
    withBrokenSession(async ({ filePath, engine }) => {
      await writeFile(`${filePath}.backup-5`, BROKEN);
      const { result } = await engine.repair(filePath);
      assert.equal(result.status, 'repaired');
      const names = (await readdir(join(filePath, '..'))).map((name) => join(filePath, '..', name));
      assert.deepEqual(names.sort(), [filePath, result.backupPath]);
    }));

  it('finds what a killed fork has left for an hour, and clears it with its backups', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const project = join(filePath, '..');
      const before = await readdir(project);
      const fork = join(project, `${LINK}.jsonl`);
      const unfinished = unfinishedPath(fork, 'killed-fork');
      const histories = join(folder, 'file-history');
      for (const id of [ID, LINK]) {
        await mkdir(join(histories, id), { recursive: true });
        await writeFile(join(histories, id, 'a@v1'), 'x');
      }
      await writeFile(unfinished, 'half');
      assert.deepEqual(await engine.findDebris(project), [], 'it may still be written');
      await utimes(unfinished, 1, 1);
      assert.deepEqual(await engine.findDebris(project), [fork]);
      assert.equal(await engine.clearDebris(fork), null);
      assert.deepEqual([await readdir(project), await readdir(histories)], [before, [ID]]);
      assert.deepEqual(await engine.findDebris(project), []);
    }));

  it('does not remember an undo that was refused', () =>
    withBrokenSession(async ({ filePath, engine }) => {
      assert.equal((await engine.undoRepair(filePath)).result.reason, 'no-backup');
      assert.equal((await engine.repair(filePath, { isAutomatic: true })).result.status, 'repaired');
    }));

  it('brings back no late rows of a killed repair while a client runs the session', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const { size, mtimeNs } = await stat(filePath, { bigint: true });
      const kept = keptOriginalPath(filePath, 'killed', { size: Number(size), mtimeNs, replacedBySize: Number(size) });
      await writeFile(kept, `${await readFile(filePath, 'utf8')}{"type":"summary"}\n`);
      await register(folder, { pid: process.pid, sessionId: ID });
      assert.equal((await engine.repair(filePath)).result.reason, 'live');
      assert.ok((await readFile(filePath)).equals(BROKEN));
      assert.ok(existsSync(kept));
    }));

  it('repairs a session while another one is running', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      await register(folder, { pid: process.pid, sessionId: '55555555-5555-4555-8555-555555555555' });
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
    }));
});

describe('The engine with a changing file', () => {
  /** Runs an action at the moment when the repair opens the file that it has planned for. */
  function meanwhile(change: (path: string) => Promise<void>): FaultyFs {
    const fs = new FaultyFs();
    const open = fs.open.bind(fs);
    let isDone = false;
    fs.open = async (path, mode) => {
      if (!isDone && path.endsWith(`${ID}.jsonl`)) {
        isDone = true;
        await change(path);
      }
      return open(path, mode);
    };
    return fs;
  }

  it('refuses if rows were appended between the plan and the repair', () => {
    const row = JSON.stringify(prompt('p3', 'r2', { timestamp: timeOf(9) }));
    const fs = meanwhile((path) => appendFile(path, `${row}\n`));
    return withBrokenSession(async ({ filePath, engine }) => {
      const { result, problem } = await engine.repair(filePath);
      assert.deepEqual([result.status, result.reason], ['failed', 'changed-while-repairing']);
      assert.ok(problem !== null && problem !== '');
      await assertUntouched(filePath, Buffer.concat([BROKEN, Buffer.from(`${row}\n`)]));
    }, fs);
  });

  it('refuses if the file was deleted, and does not create it again', () => {
    const fs = meanwhile((path) => rm(path));
    return withBrokenSession(async ({ filePath, engine }) => {
      const { result } = await engine.repair(filePath);
      assert.deepEqual([result.status, result.reason], ['failed', 'missing']);
      assert.deepEqual(await readdir(join(filePath, '..')), []);
    }, fs);
  });

  it('refuses if another file with the same bytes has its name', () => {
    const fs = meanwhile(async (path) => {
      await writeFile(`${path}.new`, BROKEN);
      await rename(`${path}.new`, path);
    });
    return withBrokenSession(async ({ filePath, engine }) => {
      assert.equal((await engine.repair(filePath)).result.reason, 'changed-while-repairing');
      await assertUntouched(filePath);
    }, fs);
  });

  it('can repair again after a refusal', () =>
    withBrokenSession(async ({ filePath, engine }) => {
      await appendFile(filePath, `${JSON.stringify(prompt('p3', 'r2', { timestamp: timeOf(9) }))}\n`);
      const { result } = await engine.repair(filePath);
      assert.deepEqual([result.status, result.resumeAfter], ['repaired', { loads: 5, of: 5 }]);
    }));
});

describe('The engine with something other than a transcript', () => {
  const reasonsOf = async (path: string, folder: string): Promise<(string | undefined)[]> => {
    const engine = createEngine({ machine: quietMachine(), configDir: folder });
    const outcomes = [await engine.repair(path), await engine.planRepair(path), await engine.undoRepair(path)];
    for (const { result, problem } of outcomes) {
      if (result.status === 'failed') assert.match(problem ?? '', /^[^\n]+\.$/);
    }
    return outcomes.map(({ result }) => result.reason);
  };

  it('reports missing', () =>
    withTemporaryFolder(async (folder) => {
      assert.deepEqual(await reasonsOf(join(folder, 'none.jsonl'), folder), ['missing', 'missing', 'missing']);
      assert.deepEqual(await readdir(folder), []);
    }));

  it('reports not-a-file for a folder', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'd.jsonl'));
      assert.deepEqual(await reasonsOf(join(folder, 'd.jsonl'), folder), ['not-a-file', 'not-a-file', 'not-a-file']);
    }));

  it('finds nothing to fix in an empty file', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, `${ID}.jsonl`), '');
      assert.deepEqual(await reasonsOf(join(folder, `${ID}.jsonl`), folder), [undefined, undefined, 'no-backup']);
    }));

  it('plans for a symbolic link, and does not write through it', () =>
    withBrokenSession(async ({ folder, filePath }) => {
      const link = join(folder, `${LINK}.jsonl`);
      await symlink(filePath, link);
      assert.deepEqual(await reasonsOf(link, folder), ['symlink', undefined, 'symlink']);
      await assertUntouched(filePath);
    }));

  it('scans a path with ../ in it as the file that it leads to', () =>
    withBrokenSession(async ({ filePath, engine }) => {
      const { result } = await engine.scan(join(filePath, '..') + `/x/../${ID}.jsonl`);
      assert.deepEqual([result.filePath, result.sessionId, result.status], [filePath, ID, 'corrupted']);
    }));
});

describe('The engine without permissions', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('reports read-only if the folder is not writable', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      await chmod(folder, 0o755);
      await chown(filePath, process.geteuid?.() === 0 ? NOBODY : -1, -1).catch(() => undefined);
      await chmod(join(filePath, '..'), 0o555);
      const { result, problem } = await asUnprivileged(() => engine.repair(filePath));
      await chmod(join(filePath, '..'), 0o755);
      assert.deepEqual([result.status, result.reason], ['failed', 'read-only']);
      assert.match(problem ?? '', /cannot be written to/);
      await assertUntouched(filePath);
    }));

  it('reports unreadable if the transcript is not readable', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      await chmod(folder, 0o755);
      await chmod(filePath, 0o000);
      const [scanned, repaired] = await asUnprivileged(
        async () => [await engine.scan(filePath), await engine.repair(filePath)] as const,
      );
      assert.deepEqual([scanned.result.status, repaired.result.reason], ['unreadable', 'unreadable']);
      assert.match(scanned.problem ?? '', /permission denied/);
    }));

  it('finds the sessions of the other projects if one cannot be listed, and yields that one as it is', () =>
    withBrokenSession(async ({ folder, filePath, engine }) => {
      const shut = join(folder, 'projects', '-shut');
      await mkdir(shut);
      await chmod(folder, 0o755);
      await chmod(shut, 0o000);
      const found = await asUnprivileged(async () => {
        const paths: string[] = [];
        for await (const { path: path } of engine.find([])) paths.push(path);
        return paths;
      });
      assert.deepEqual(found.sort(), [filePath, shut].sort());
      const { result, problem } = await asUnprivileged(() => engine.scan(shut));
      assert.equal(result.status, 'unreadable');
      assert.ok(problem !== null);
      await chmod(shut, 0o755);
    }));

  it('reports unreadable if no project can be listed', () =>
    withBrokenSession(async ({ folder, engine }) => {
      await chmod(folder, 0o755);
      await chmod(join(folder, 'projects'), 0o000);
      const found = await asUnprivileged(async () => {
        const paths: string[] = [];
        for await (const { path: path } of engine.find([])) paths.push(path);
        return paths;
      });
      assert.deepEqual(found, [join(folder, 'projects')]);
      await chmod(join(folder, 'projects'), 0o755);
    }));
});

describe('The engine and its disk', () => {
  it('reports no-space and leaves the transcript unchanged if the disk is full', () => {
    const fs = new FaultyFs();
    fs.faultOf = ({ name }) => (name === 'write' ? { kind: 'fails', code: 'ENOSPC' } : null);
    return withBrokenSession(async ({ filePath, engine }) => {
      assert.equal((await engine.repair(filePath)).result.reason, 'no-space');
      await assertUntouched(filePath);
    }, fs);
  });

  it('writes nothing while it finds, scans and plans', () => {
    const names = Object.keys(nodeWriteFs).sort();
    const fs = new Proxy(nodeWriteFs, {
      get: (_, name) => assert.fail(`${String(name)} of ${names.join()} is called`),
    });
    return withBrokenSession(async ({ filePath, engine }) => {
      for await (const { path: path } of engine.find([])) assert.equal(path, filePath);
      await engine.scan(filePath);
      assert.equal((await engine.planRepair(filePath)).result.status, 'repaired');
      await engine.liveSessions();
      await assertUntouched(filePath);
    }, fs);
  });
});
