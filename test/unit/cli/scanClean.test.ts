import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { keptOriginalPath, unfinishedPath } from '../../rooms/storage';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { SESSION_ID } from './fakeEngine';
import { runCli } from './runCli';

describe('scan --clean', () => {
  it('removes the files that an interrupted repair left, and says why they cannot be removed', async () => {
    await withTemporaryFolder(async (configDir) => {
      const project = join(configDir, 'projects', '-p');
      const unfinished = join(project, `.${SESSION_ID}.jsonl.rethread-0e28b314-436f-4465-9660-732c709f4216.tmp`);
      await mkdir(join(configDir, 'sessions'), { recursive: true });
      await mkdir(project, { recursive: true });
      await writeFile(join(project, `${SESSION_ID}.jsonl`), '{"type":"summary"}\n');
      await writeFile(unfinished, '');
      const record = { pid: 1, sessionId: SESSION_ID, pidDomain: 'linux:elsewhere:pid:[1]' };
      await writeFile(join(configDir, 'sessions', '1.json'), JSON.stringify(record));
      const scan = async (...options: string[]): Promise<string> =>
        (await runCli(['scan', configDir, ...options], createEngine({ configDir }))).stderr;
      const left = 'Interrupted repairs or forks have left files beside 1 session';
      assert.equal(await scan(), `${left}: scan --clean removes them.\n`);
      const refusal = await scan('--clean');
      assert.ok(refusal.startsWith(`${left}: they could not be removed. A client has this session open`), refusal);
      assert.ok((await readdir(project)).includes(basename(unfinished)));
      await rm(join(configDir, 'sessions', '1.json'));
      assert.match(await scan('--clean'), /^Removed what interrupted repairs or forks had left beside 1 session\.$/m);
      assert.ok(!(await readdir(project)).includes(basename(unfinished)));
    });
  });

  it('puts back a session that an interrupted repair has set aside, and says so', async () => {
    await withTemporaryFolder(async (configDir) => {
      const filePath = join(configDir, 'projects', '-p', `${SESSION_ID}.jsonl`);
      await mkdir(dirname(filePath), { recursive: true });
      await writeFile(filePath, '{"type":"summary"}\n');
      const { size, mtimeNs } = await stat(filePath, { bigint: true });
      await rename(filePath, keptOriginalPath(filePath, 'killed', { size: Number(size), mtimeNs, replacedBySize: 10 }));
      await writeFile(unfinishedPath(filePath, 'killed'), '{}\n');
      const scan = async (...options: string[]): Promise<string> =>
        (await runCli(['scan', configDir, ...options], createEngine({ configDir }))).stderr;
      const left = 'Interrupted repairs or forks have left files beside 1 session';
      assert.ok((await scan()).includes(`${left}: scan --clean puts back what was set aside, and removes the rest.\n`));
      const said = await scan('--clean');
      assert.ok(said.includes('Put back 1 session that an interrupted repair had set aside. Removed what'), said);
      assert.equal(await readFile(filePath, 'utf8'), '{"type":"summary"}\n');
    });
  });

  it('removes what interrupted rewinds and checkpoints left in the config folder, which a scan only names', async () => {
    await withTemporaryFolder(async (configDir) => {
      const files = join(configDir, 'rethread', 'checkpoints', 'sessions', SESSION_ID, 'files');
      await mkdir(files, { recursive: true });
      await mkdir(join(configDir, 'projects', '-p'), { recursive: true });
      const unfinished = join(files, 'half.tmp');
      await writeFile(unfinished, 'half');
      await utimes(unfinished, 1, 1);
      const scan = async (...options: string[]): Promise<string> =>
        (await runCli(['scan', ...options], createEngine({ configDir }), { env: { CLAUDE_CONFIG_DIR: configDir } }))
          .stderr;
      const left = `Interrupted rewinds or checkpoints have left files in ${configDir}`;
      assert.equal(await scan(), `${left}: scan --clean removes them.\n`);
      assert.deepEqual(await readdir(files), ['half.tmp']);
      const said = `Removed what interrupted rewinds or checkpoints had left in ${configDir}.\n`;
      assert.equal(await scan('--clean'), said);
      assert.deepEqual(await readdir(files), []);
      assert.equal(await scan('--clean'), '');
    });
  });
});
