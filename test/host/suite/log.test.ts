import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { choosing } from './answers';
import { closeEditors, watchingPanels } from './conversationWindow';
import { eventually } from './eventually';
import { fixture, scanAll, sessionAt } from './rethread';

/** Shorter texts, such as "ok", occur in logs for other reasons. */
const MIN_TEXT_LENGTH = 12;

describe('The log', () => {
  const { sessions, logsFolder } = readHostTestEnvironment();

  afterEach(closeEditors);

  it('records a repair with the path of the file, and never contains conversation text', async () => {
    const texts = (await Promise.all(sessions.map(({ filePath }) => messageTexts(filePath)))).flat();
    assert.ok(texts.length > 50);
    const { filePath, title } = fixture('Fix the wind chart axis');
    await scanAll();
    const panel = await watchingPanels(() => choosing('rethread.repairSession', title));
    await panel.start();
    assert.deepEqual(await panel.call('repair', 'all', false), { kind: 'done' });
    await eventually('the session is shown as repaired', () => sessionAt(filePath).health === 'repaired');
    await vscode.commands.executeCommand('rethread.undoRepair');
    await eventually('the session is shown as corrupted', () => sessionAt(filePath).health === 'corrupted');

    const log = await eventually('the log tells of the undoing', async () => {
      const text = await rethreadLog(logsFolder);
      return text.includes(`Undid the repair of ${filePath}`) && text;
    });

    assert.ok(log.includes(`Repaired ${filePath}`));
    for (const text of texts) assert.ok(!log.includes(text), text);
  });
});

async function rethreadLog(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => basename(name) === 'Rethread.log');
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}

/** The texts of prompts, replies and tool results, cut into lines as a log would hold them. */
async function messageTexts(filePath: string): Promise<string[]> {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(...value.split('\n').map((line) => line.trim()));
    else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) {
      const { text, content, thinking } = value as Record<string, unknown>;
      [text, content, thinking].forEach(collect);
    }
  };
  for (const line of (await readFile(filePath, 'utf8')).split('\n')) {
    const row = parse(line);
    if (row?.message) collect(row.message);
  }
  return found.filter((text) => text.length >= MIN_TEXT_LENGTH);
}

function parse(line: string): { message?: unknown } | null {
  try {
    return JSON.parse(line) as { message?: unknown };
  } catch {
    return null;
  }
}
