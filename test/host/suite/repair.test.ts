import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { PanelStart, RepairAnswer, RepairProposal, RepairSeam } from '../../../src/protocol/channels/panel';
import { watchingMessages, choosing } from './answers';
import { closeEditors, type WatchedPanel, watchingPanels } from './conversationWindow';
import { eventually } from './eventually';
import { fixture, scanAll, sessionAt } from './rethread';

describe('Repair Session…', () => {
  const { filePath, title } = fixture('Add a rain sensor');
  // An hour that the repair itself cannot produce.
  const mtime = new Date('2026-06-01T10:00:00Z');
  let original: Buffer;
  let panel: WatchedPanel;

  before(async () => {
    original = await readFile(filePath);
    await utimes(filePath, mtime, mtime);
    await scanAll();
  });

  after(closeEditors);

  it('opens the conversation, which offers the repair with each edit and its effect, and changes nothing', async () => {
    panel = await watchingPanels(() => choosing('rethread.repairSession', title));
    assert.equal((await panel.start()).offersRepair, 'all');
    const proposal = (await panel.call('repairProposal', 'all')) as RepairProposal;
    assert.ok(proposal.kind === 'repair');
    assert.match(proposal.effect, /^Reconnect here: Claude remembers 15 of 15 messages instead of 7\.$/);
    assert.match(proposal.change, /^- parentUuid: "[^"]+"\n\+ parentUuid: "[^"]+"$/m);
    assert.ok(original.equals(await readFile(filePath)));
    assert.deepEqual(await backupsOf(filePath), []);
  });

  it('repairs when the person reconnects, keeps a byte-exact backup, and leaves the file time unchanged', async () => {
    const { reported } = await watchingMessages(async () => {
      assert.deepEqual(await panel.call('repair', 'all', false), { kind: 'done' });
    });

    await eventually('the session is shown as repaired', () => sessionAt(filePath).health === 'repaired');
    const { loads, of, hasBackup } = sessionAt(filePath);
    assert.deepEqual({ loads, of, hasBackup }, { loads: 28, of: 28, hasBackup: true });
    const [backup = ''] = await backupsOf(filePath);
    assert.ok(original.equals(await readFile(backup)));
    assert.equal((await readFile(filePath)).length, original.length);
    assert.ok(!original.equals(await readFile(filePath)));
    // Node sets times as doubles: less than a microsecond is lost.
    assert.equal(Math.trunc((await stat(filePath)).mtimeMs), mtime.getTime());
    assert.deepEqual(reported, [], 'no message covers the conversation');
  });

  it('leaves a seam in the conversation', async () => {
    const [seam] = panel.reported('repaired') as readonly RepairSeam[];
    assert.equal(seam?.lines.length, 1);
    await eventually('the window knows the backup', () => sessionAt(filePath).hasBackup);
    const again = (await panel.call('ready')) as PanelStart;
    assert.deepEqual([again.seam, again.offersRepair], [seam, null]);
  });

  it('is reverted by Undo Repair, byte for byte', async () => {
    await vscode.commands.executeCommand('rethread.undoRepair');

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
      const answer = (await panel.call('repair', 'all', true)) as RepairAnswer;
      assert.ok(answer.kind === 'refused' && !answer.canInsist);
      assert.match(answer.why, /still running/);
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
