import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { toldInConversation } from '../../rooms/diagnose';
import { quietMachine } from '../../support/quietMachine';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { assistant, prompt, reply, result, type RowFields, transcript } from '../../support/transcriptBuilder';

function told(rows: readonly RowFields[]): Promise<readonly string[]> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, transcript(rows));
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const scanned = await engine.scan(filePath, { isThorough: true });
    return toldInConversation(scanned.result).map(({ message }) => message);
  });
}

const call = (name: string, parent: string, id: string): RowFields =>
  assistant(name, parent, [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }]);

describe('What a conversation tells of a close look', () => {
  it('is why a message is not remembered that nothing else explains', async () => {
    const rows = [prompt('p', null), call('c', 'p', 't1'), reply('r', 'c'), prompt('q', 'r'), reply('s', 'q')];
    assert.deepEqual(await told(rows), ['A tool call has no result (line 2). Claude leaves out the call.']);
  });

  it('is nothing that costs nothing', async () => {
    const whole = [prompt('p', null), call('c', 'p', 't1'), result('x', 'c', 't1'), reply('r', 'x')];
    assert.deepEqual(await told(whole), []);
    // The client answers a call itself with which the session ends.
    assert.deepEqual(await told(whole.slice(0, 2)), []);
  });
});
