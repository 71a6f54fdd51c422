import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../../src/core/engine';
import { listPoisonCases, withRefusedPrompt } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

const HEALTHY = listPoisonCases().find(({ name }) => name === 'h0-healthy')?.text ?? '';

/** The sentence of the finding with the code. */
function sentenceOf(code: string, text: string): Promise<string> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, text);
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const { result } = await engine.scan(filePath, { isThorough: true });
    return result.findings.find((finding) => finding.code === code)?.message ?? '';
  });
}

describe('The sentence of a finding about a request', () => {
  it('names all lines if only all of them together are too many', async () => {
    const rows = HEALTHY.replaceAll(
      '"type":"tool_use"',
      '"cache_control":{"type":"ephemeral"},"type":"tool_use"',
    ).split('\n');
    const marked = rows.flatMap((row, at) => (row.includes('cache_control') ? [at + 1] : []));
    assert.ok(marked.length > 1 && marked.length <= 3);
    const sentence = await sentenceOf('cache-control', rows.join('\n'));
    assert.ok(sentence.includes(`(lines ${marked.join(', ')})`), sentence);
  });

  it('does not say how large a request is that was refused because of its size', async () => {
    const long = HEALTHY.replaceAll('"role":"user","content":"', `"role":"user","content":"${'lorem '.repeat(5000)}`);
    assert.notEqual(long, HEALTHY);
    const shown =
      'Request too large (max 32MB). Accumulated images and attachments in the conversation pushed it over the limit.';
    const sentence = await sentenceOf('request-size', withRefusedPrompt(long, shown));
    assert.match(
      sentence,
      /^The API has refused the history because of its size; its largest part is named \(line \d+\)\./,
    );
  });
});
