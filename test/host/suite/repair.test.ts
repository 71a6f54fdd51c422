import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { answering, choosing } from './answers';
import { eventually } from './eventually';
import { fixture, scanAll, sessionAt } from './rethread';

describe('Repair Session…', () => {
  const { filePath, title } = fixture('Add a rain sensor');
  // An hour that the repair itself cannot produce.
  const mtime = new Date('2026-06-01T10:00:00Z');
  let original: Buffer;

  before(async () => {
    original = await readFile(filePath);
    await utimes(filePath, mtime, mtime);
    await scanAll();
  });

  it('shows each edit and its effect, and changes nothing when the person declines', async () => {
    const { questions } = await answering(null, () => choosing('rethread.repairSession', title));

    assert.equal(questions.length, 1);
    assert.deepEqual(questions[0]?.buttons, ['Repair']);
    assert.match(questions[0].detail, /28 of 28 messages instead of 9/);
    const preview = questions[0].editors.join('\n');
    assert.match(preview, /28 of 28 messages instead of 9/);
    assert.match(preview, /^- parentUuid: "[^"]+"\n\+ parentUuid: "[^"]+"$/m);
    assert.ok(original.equals(await readFile(filePath)));
    assert.deepEqual(await backupsOf(filePath), []);
  });

  it('repairs when the person agrees, keeps a byte-exact backup, and leaves the file time unchanged', async () => {
    await answering('Repair', () => choosing('rethread.repairSession', title));

    await eventually('the session is shown as repaired', () => sessionAt(filePath).health === 'repaired');
    const { loads, of, hasBackup } = sessionAt(filePath);
    assert.deepEqual({ loads, of, hasBackup }, { loads: 28, of: 28, hasBackup: true });
    const [backup = ''] = await backupsOf(filePath);
    assert.ok(original.equals(await readFile(backup)));
    assert.equal((await readFile(filePath)).length, original.length);
    assert.ok(!original.equals(await readFile(filePath)));
    // Node sets times as doubles: less than a microsecond is lost.
    assert.equal(Math.trunc((await stat(filePath)).mtimeMs), mtime.getTime());
  });

  it('closes the preview once the repair is done', () => {
    const previews = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ label }) => label.includes(title));
    assert.deepEqual(previews, []);
  });

  it('is reverted by Undo Repair, byte for byte', async () => {
    await choosing('rethread.undoRepair', title);

    await eventually('the session is shown as corrupted', () => sessionAt(filePath).health === 'corrupted');
    assert.ok(original.equals(await readFile(filePath)));
  });

  it('refuses a session that Claude Code is running, and explains why', async () => {
    const registry = join(dirname(dirname(dirname(filePath))), 'sessions');
    await mkdir(registry, { recursive: true });
    const entry = join(registry, `${process.pid}.json`);
    const { sessionId } = fixture(title);
    await writeFile(entry, JSON.stringify({ pid: process.pid, sessionId, status: 'idle' }));
    try {
      const { errors } = await answering('Repair', () => choosing('rethread.repairSession', title));
      assert.equal(errors.length, 1);
      assert.match(errors[0] ?? '', /still running/);
      assert.ok(original.equals(await readFile(filePath)));
    } finally {
      await rm(entry);
    }
  });
});

async function backupsOf(filePath: string): Promise<string[]> {
  const folder = dirname(filePath);
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(`${basename(filePath)}.backup-`)).map((name) => join(folder, name));
}
