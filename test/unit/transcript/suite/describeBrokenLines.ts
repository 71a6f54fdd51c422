import assert from 'node:assert/strict';
import { A, B, C } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';

/** Lines that hold no row, or more than one. */
export function describeBrokenLines(name: string, { scan, dump, uuids, flagsOf, faultsOf }: ScannerProbe): void {
  describe(`${name}: broken lines`, () => {
    it('finds both rows when there are NULs between them', () => {
      const bytes = `${A}\0\0${B}\n${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
      assert.ok(flagsOf(bytes, 'b').includes('hidden'));
      assert.deepEqual(faultsOf(bytes), [['glued', 1, true]]);
    });

    it('finds all rows that are joined on one line, and reports that the client sees only the first', () => {
      const bytes = `${A}${B}  ${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
      assert.deepEqual(
        ['a', 'b', 'c'].map((uuid) => flagsOf(bytes, uuid).includes('hidden')),
        [false, true, true],
      );
      assert.ok(!flagsOf(bytes, 'a').includes('counted'), 'a line with more than a row counts for none');
      assert.deepEqual(faultsOf(bytes), [['glued', 1, true]]);
    });

    it('finds the row after a torn one, and reports that the client does not see it', () => {
      for (let cut = 1; cut < A.length; cut += 7) {
        const bytes = `${A.slice(0, cut)}${B}\n${C}\n`;
        assert.deepEqual(uuids(bytes), ['b', 'c'], `cut at ${cut}`);
        assert.ok(flagsOf(bytes, 'b').includes('hidden'));
        assert.deepEqual(faultsOf(bytes), [['glued', 1, true]]);
      }
    });

    it('keeps the row before a torn one', () => {
      for (let cut = 1; cut < B.length; cut += 7) {
        const bytes = `${A}${B.slice(0, cut)}\n${C}\n`;
        assert.deepEqual(uuids(bytes), ['a', 'c'], `cut at ${cut}`);
        assert.ok(!flagsOf(bytes, 'a').includes('hidden'));
        assert.deepEqual(faultsOf(bytes), [['glued', 1, false]]);
      }
    });

    it('reports a torn line, wherever it is torn', () => {
      for (let cut = 1; cut < A.length; cut++) {
        const bytes = `${A.slice(0, cut)}\n${B}\n${C}\n`;
        assert.deepEqual(uuids(bytes), ['b', 'c'], `cut at ${cut}`);
        assert.deepEqual(faultsOf(bytes), [['torn', 1, false]], `cut at ${cut}`);
      }
    });

    it('distinguishes a last line that was cut off from one that ends with a newline', () => {
      const [cut, whole] = [`${A}\n${B.slice(0, 40)}`, `${A}\n${B.slice(0, 40)}\n`].map(
        (bytes) => dump(bytes).lineFaults,
      );
      assert.deepEqual([cut?.[0]?.isUnfinished, whole?.[0]?.isUnfinished], [true, false]);
    });

    it('treats JSON that is not an object as a torn line', () => {
      for (const text of ['42', 'null', '[1,2]', '"text"', `[${A}]`, 'garbage', '{', '{}}', 'true']) {
        assert.deepEqual(uuids(`${text}\n${B}\n`), ['b'], text);
        const { lineFaults } = scan(`${text}\n${B}\n`);
        assert.equal(lineFaults.count('torn') + lineFaults.count('glued'), 1, text);
      }
    });

    it('does not mistake a row inside a message text for a row after a torn one', () => {
      const quoted = JSON.stringify({ type: 'user', uuid: 'q', message: { content: A } });
      assert.deepEqual(uuids(`${quoted.slice(0, -3)}\n${B}\n`), ['b']);
    });
  });
}
