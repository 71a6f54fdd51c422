import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileComparison } from '../../../../src/protocol/history';
import { compareFile } from '../../../rooms/history';
import { nodeWriteFs } from '../../../rooms/storage';
import { temporaryFolder } from '../../../support/temporaryFolder';

describe('The comparison of a file with its state after a rewind', () => {
  let folder = '';
  let remove = (): void => undefined;
  before(async () => {
    const made = await temporaryFolder();
    folder = made.path;
    remove = () => {
      made.remove();
    };
  });
  after(() => {
    remove();
  });

  /** `null`: the file does not exist on that side. */
  function compare(before: string | Buffer | null, after: string | Buffer | null): Promise<FileComparison> {
    const [path, contentPath] = [join(folder, 'now'), join(folder, 'then')];
    if (before !== null) writeFileSync(path, before);
    if (after !== null) writeFileSync(contentPath, after);
    const file = { path, exists: before !== null, contentPath: after === null ? null : contentPath };
    return compareFile(file, nodeWriteFs);
  }

  /** Lines with their signs, each hunk after the lines where it begins. */
  function shown(comparison: FileComparison): readonly string[] {
    assert.equal(comparison.kind, 'lines');
    const signs = { context: ' ', added: '+', removed: '-' };
    return comparison.hunks.flatMap(({ oldStart, newStart, lines }) => [
      `@ ${oldStart} ${newStart}`,
      ...lines.map(({ kind, text }) => signs[kind] + text),
    ]);
  }

  it('has the lines that differ, and three around them', async () => {
    const lines = (changed: string): string => ['1', '2', '3', '4', changed, '6', '7', '8', '9', ''].join('\n');
    assert.deepEqual(shown(await compare(lines('five'), lines('5'))), [
      '@ 2 2',
      ...[' 2', ' 3', ' 4', '-five', '+5', ' 6', ' 7', ' 8'],
    ]);
  });

  it('has all lines of a file that comes back or goes', async () => {
    assert.deepEqual(shown(await compare(null, 'a\nb\n')), ['@ 1 1', '+a', '+b']);
    assert.deepEqual(shown(await compare('a\nb\n', null)), ['@ 1 1', '-a', '-b']);
  });

  it('has no lines if both sides are equal or empty', async () => {
    assert.deepEqual(shown(await compare('same\n', 'same\n')), []);
    assert.deepEqual(shown(await compare('', null)), []);
  });

  it('says which side does not end with a newline', async () => {
    assert.deepEqual(shown(await compare('a', 'a\n')), ['@ 1 1', '-a', '-\\ No newline at end of file', '+a']);
  });

  it('is limited, and says how many lines are left out', async () => {
    const comparison = await compare(null, 'x\n'.repeat(1500));
    assert.equal(comparison.kind, 'lines');
    assert.deepEqual([shown(comparison).length, comparison.more], [1001, 500]);
  });

  it('shows a file that differs everywhere as replaced', async () => {
    const lines = (word: string): string => Array.from({ length: 3000 }, (_, at) => `${word} ${at}\n`).join('');
    const comparison = await compare(lines('now'), lines('then'));
    assert.equal(comparison.kind, 'lines');
    assert.deepEqual(shown(comparison).slice(0, 2), ['@ 1 1', '-now 0']);
    assert.equal(comparison.more, 5000);
  });

  it('cuts a very long line between two characters', async () => {
    const [, line = ''] = shown(await compare(null, `${'x'.repeat(1998)}😀${'y'.repeat(5000)}\n`));
    assert.equal(line, `+${'x'.repeat(1998)}…`);
  });

  it('is not made of binary files and of those over 16 MiB', async () => {
    assert.deepEqual(await compare(Buffer.from([1, 0, 2]), 'text'), { kind: 'binary' });
    assert.deepEqual(await compare('text', Buffer.alloc(16 * 1024 * 1024 + 1, 'x')), { kind: 'tooLarge' });
  });

  it('is not made if a side is gone, or is no file any more', async () => {
    const gone = { path: join(folder, 'gone'), exists: true, contentPath: null };
    assert.deepEqual(await compareFile(gone, nodeWriteFs), { kind: 'unreadable' });
    const place = join(folder, 'folder');
    mkdirSync(place);
    symlinkSync(place, join(folder, 'link'));
    for (const path of [place, join(folder, 'link')])
      assert.deepEqual(await compareFile({ ...gone, path }, nodeWriteFs), { kind: 'unreadable' });
  });
});
