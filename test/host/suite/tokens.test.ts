import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually } from './eventually';
import { extension, fixture } from './rethread';
import { workerThreads } from './workerThreads';

describe('Tokens', () => {
  const target = vscode.Uri.file(join(tmpdir(), `rethread-tokens-${process.pid}.csv`));

  afterEach(async () => {
    await vscode.workspace
      .getConfiguration('rethread')
      .update('tokens.priceOverrides', undefined, vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.delete(target).then(undefined, () => undefined);
  });

  /** Runs the export, answers its questions, and reads the file by columns. */
  async function exportBy(label: string): Promise<readonly Readonly<Record<string, string>>[]> {
    const { showQuickPick, showSaveDialog } = vscode.window;
    Object.assign(vscode.window, {
      showQuickPick: (items: readonly vscode.QuickPickItem[]) =>
        Promise.resolve(items.find((item) => item.label === label)),
      showSaveDialog: () => Promise.resolve(target),
    });
    try {
      await vscode.commands.executeCommand('rethread.exportTokens');
    } finally {
      Object.assign(vscode.window, { showQuickPick, showSaveDialog });
    }
    const [head = '', ...lines] = (await readFile(target.fsPath, 'utf8')).trimEnd().split('\r\n');
    const names = head.split(',');
    return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])));
  }

  it('are exported session by session, with the usage of each', async () => {
    const rows = await exportBy('By Session');
    const wind = rows.find(({ title }) => title === 'Show the wind on a map');
    assert.equal(wind?.['file'], fixture('Show the wind on a map').filePath);
    assert.equal(wind['input_tokens'], '96');
    assert.equal(wind['shared_tokens'], '0');
    assert.ok(Number(wind['cost_usd']) > 0);
  });

  it('cost what the settings state, field by field, with invalid prices skipped', async () => {
    const before = await exportBy('By Model');
    const model = before.find(({ model }) => model === 'claude-opus-5-5');
    assert.ok(model !== undefined);
    await vscode.workspace.getConfiguration('rethread').update(
      'tokens.priceOverrides',
      {
        'claude-opus-5': { input: 0, output: 1e6, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, webSearch: 'free' },
      },
      vscode.ConfigurationTarget.Global,
    );
    const after = await exportBy('By Model');
    const dear = after.find(({ model }) => model === 'claude-opus-5-5');
    assert.equal(Number(dear?.['cost_usd']), Number(model['output_tokens']));
  });

  it('are counted again by the worker that replaces a dead one', async () => {
    const before = await exportBy('By Day');
    const threads = workerThreads.length;
    await workerThreads.at(-1)?.terminate();
    await eventually('another thread is started', () => workerThreads.length === threads + 1);
    assert.deepEqual(await exportBy('By Day'), before);
  });

  it('are shown in a separate view, which a command can open', async () => {
    await vscode.commands.executeCommand('rethread.tokens.focus');
    assert.equal(extension().isActive, true);
  });
});
