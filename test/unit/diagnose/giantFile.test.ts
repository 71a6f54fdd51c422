import assert from 'node:assert/strict';
import type { Finding } from '../../../src/protocol/repair';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import { chainRow, prompt, reply, type RowFields, transcript } from '../../support/transcriptBuilder';
import { diagnose } from '../../rooms/diagnose';
import { LoadedTranscript } from '../../rooms/loader';

const ROW_BYTES = 1_000_000;

function findings(sizes: { readonly progress: number; readonly output: number }): Finding[] {
  const rows: RowFields[] = [prompt('p', null)];
  const output = 'x'.repeat(ROW_BYTES);
  let above = 'p';
  for (let at = 0; at < sizes.progress; at++) {
    rows.push(chainRow('progress', `g${at}`, above, { data: { output } }));
    above = `g${at}`;
  }
  rows.push(reply('r', above, { toolUseResult: 'y'.repeat(sizes.output) }));
  const loaded = new LoadedTranscript(scanBytes(transcript(rows)), DIAGNOSTICS.rules);
  return diagnose(loaded, DIAGNOSTICS.checks);
}

describe('A giant file', () => {
  it('is found if more than half of it is progress', () => {
    const [finding, ...others] = findings({ progress: 101, output: 0 });
    assert.deepEqual([finding?.code, finding?.severity, finding?.action, others], ['giant-file', 'warning', 'ask', []]);
    assert.match(finding?.message ?? '', /^About 99 % of this file of 101 MB is progress that an old client wrote: /);
  });

  it('is not found if it is small, or if most of it is something else', () => {
    assert.deepEqual(findings({ progress: 95, output: 0 }), []);
    assert.deepEqual(findings({ progress: 40, output: 65_000_000 }), []);
  });
});
