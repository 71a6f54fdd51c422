import assert from 'node:assert/strict';
import pc from 'picocolors';
import { rewindReport } from '../../../src/cli/report/rewindReport';
import type { CoverageNote } from '../../../src/protocol/history';
import { plan, plannedFile } from '../extension/rewindFakes';

const page = { colors: pc.createColors(false), width: 100, home: '', nowMs: 0, commandName: 'rethread' };

function reported(coverage: readonly CoverageNote[], why?: string): readonly string[] {
  const skipped = why === undefined ? {} : { action: 'skipped' as const, why };
  const looked = plan({ files: [plannedFile(skipped)], coverage });
  const { path, action } = plannedFile(skipped);
  const result = {
    canRewind: true,
    files: [{ path, action, ...(why === undefined ? {} : { why }) }],
    coverage: { notCovered: coverage.map(({ message }) => message) },
  };
  const text = rewindReport({ result, plan: looked, mode: 'dry-run', undo: null, warning: null }, page);
  return text.split('\n').filter((line) => /^(?:To be known|[! ] )/.test(line));
}

const hand = (at: number): CoverageNote => ({
  kind: 'byHand',
  path: `/f${at}`,
  line: null,
  message: `/f${at} was changed by hand.`,
});

describe('The rewind report of the command line', () => {
  it('shows commands before files changed by hand, and limits each kind with a count of the rest', () => {
    const command = { kind: 'command', path: null, line: 4, message: 'A command: rm -rf data' } as const;
    const lines = reported([...Array.from({ length: 25 }, (_, at) => hand(at)), command]);
    const from = lines.indexOf('To be known');
    assert.equal(lines[from + 1], '! A command: rm -rf data');
    assert.equal(lines.filter((line) => line.includes('by hand')).length, 10);
    assert.equal(lines.at(-1), '  … 15 more like these; --json prints all');
  });

  it('mentions a skipped file once', () => {
    const why = 'It is a hard link: the file has other names, too.';
    const { path } = plannedFile();
    const lines = reported([{ kind: 'hardLink', path, line: null, message: `${path} is left as it is. ${why}` }], why);
    assert.equal(lines.filter((line) => line.includes('hard link')).length, 1);
    assert.ok(!lines.includes('To be known'));
  });
});
