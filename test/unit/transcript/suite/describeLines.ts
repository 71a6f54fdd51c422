import assert from 'node:assert/strict';
import { A, B, C } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';
import { withoutBytes } from './withoutBytes';

/** What a line is, and what a clean line may contain. */
export function describeLines(name: string, { scan, dump, uuids, flagsOf, faultsOf }: ScannerProbe): void {
  describe(`${name}: lines`, () => {
    const clean = dump(`${A}\n${B}\n`);

    it('has no rows and no lines for an empty file', () => {
      const index = scan('');
      assert.deepEqual([index.rows.count, index.lineCount, index.fileSize], [0, 0, 0]);
    });

    it('counts and reads a last line without a newline', () => {
      const facts = dump(`${A}\n${B}`);
      assert.deepEqual([facts.lineCount, facts.rows], [2, clean.rows]);
      assert.deepEqual(facts.lineFaults, []);
    });

    it('counts lines as an editor does', () => {
      for (const [text, count] of [
        ['\n', 1],
        ['\n\n', 2],
        ['x', 1],
        [`${A}\n\n${B}`, 3],
        [`${A}\n${B}\n`, 2],
      ] as const) {
        assert.equal(scan(text).lineCount, count, JSON.stringify(text));
        assert.equal(scan(text).fileSize, Buffer.byteLength(text));
      }
    });

    it('accepts CRLF', () => {
      const facts = dump(`${A}\r\n${B}\r\n`);
      assert.deepEqual(facts.rows.map(withoutBytes), clean.rows.map(withoutBytes));
      assert.deepEqual(facts.lineFaults, []);
    });

    it('skips blank lines, and numbers rows by the lines of the file', () => {
      const facts = dump(`\n${A}\n \t\n\r\n${B}\n\n`);
      assert.deepEqual(
        facts.rows.map(({ line, uuid }) => [line, uuid]),
        [
          [2, 'a'],
          [5, 'b'],
        ],
      );
      assert.deepEqual(facts.lineFaults, []);
      assert.equal(facts.lineCount, 6);
    });

    it('ignores spaces around a row', () => {
      const facts = dump(` \t${A} \n${B}\t\n`);
      assert.deepEqual(
        facts.rows.map(({ uuid }) => uuid),
        ['a', 'b'],
      );
      assert.ok(facts.rows.every(({ flags }) => flags.includes('counted') && !flags.includes('hidden')));
    });

    it('keeps a row with invalid UTF-8', () => {
      const bytes = Buffer.from(`${A}\n${B}\n`);
      bytes[A.indexOf('one')] = 0xff;
      bytes[A.indexOf('one') + 1] = 0xc3;
      assert.deepEqual(uuids(bytes), ['a', 'b']);
      assert.deepEqual(faultsOf(bytes), []);
      assert.ok(flagsOf(bytes, 'a').includes('counted'));
    });

    it('reads a line of 10 MB', () => {
      const bytes = `${A}\n${B.replace('two', 'x'.repeat(10_000_000))}\n${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
      assert.deepEqual(faultsOf(bytes), []);
    });

    it('reads a row with 10,000 nested brackets, and tolerates a torn one', () => {
      const deep = A.replace('"one"', `${'['.repeat(10_000)}${']'.repeat(10_000)}`);
      assert.deepEqual(uuids(`${deep}\n${B}\n`), ['a', 'b']);
      assert.deepEqual(uuids(`${deep.slice(0, 10_050)}\n${B}\n`), ['b']);
      assert.deepEqual(uuids(`${deep}${B}\n`), ['a', 'b']);
    });

    it('counts every fault, however many there are', () => {
      const index = scan(`${'torn\n'.repeat(1500)}${`\0\n`.repeat(1200)}`);
      const counts = (['torn', 'glued', 'nul', 'bom'] as const).map((kind) => index.lineFaults.count(kind));
      assert.deepEqual(counts, [1500, 0, 1200, 0]);
    });
  });
}
