import assert from 'node:assert/strict';
import type { ScannerFactory } from '../../../rooms/transcript';
import { repeating } from '../../../support/repeating';
import { dumpFacts } from '../dumpFacts';
import { A, B, BOM, C } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';

const pretty = (row: string): string => JSON.stringify(JSON.parse(row), null, 2);
const linesOf = (text: string): number => text.split('\n').length;

/** Rows of several lines, and what a line that is not complete does to the lines after it. */
export function describeSpreadRows(
  name: string,
  { dump, uuids, flagsOf, faultsOf, scanInPieces }: ScannerProbe,
  createScanner: ScannerFactory,
): void {
  describe(`${name}: rows of several lines`, () => {
    const all = [A, B, C].map(pretty).join('\n') + '\n';

    it('are read like rows of one line, and count for no line', () => {
      const [spread, plain] = [all, `${A}\n${B}\n${C}\n`].map((bytes) => dump(bytes));
      assert.deepEqual(
        spread?.rows.map(({ uuid, parent, kind }) => ({ uuid, parent, kind })),
        plain?.rows.map(({ uuid, parent, kind }) => ({ uuid, parent, kind })),
      );
      assert.deepEqual(spread?.titles, plain?.titles);
      assert.deepEqual(
        ['a', 'b', 'c'].map((uuid) => flagsOf(all, uuid).filter((flag) => /counted|sharesLine|hidden/.test(flag))),
        [['sharesLine'], ['sharesLine'], ['sharesLine']],
      );
    });

    it('are named by their first line and its first byte', () => {
      const { rows, lineCount, lineFaults } = dump(`${A}\n${pretty(B)}\n${C}\n`);
      const last = 2 + linesOf(pretty(B));
      assert.deepEqual(
        rows.map(({ line, offset }) => [line, offset]),
        [
          [1, 0],
          [2, A.length + 1],
          [last, A.length + pretty(B).length + 2],
        ],
      );
      assert.equal(lineCount, last);
      assert.deepEqual(
        lineFaults.map(({ kind, line, hidesRow }) => [kind, line, hidesRow]),
        [['spread', 2, false]],
      );
    });

    it('are read in pieces of any size', () => {
      for (const size of [1, 7, 64]) {
        assert.deepEqual(
          scanInPieces(Buffer.from(all), () => repeating(size)),
          dump(all),
          `pieces of ${size}`,
        );
      }
    });

    for (const [what, bytes] of Object.entries({
      'CRLF at the ends of lines': all.replaceAll('\n', '\r\n'),
      'empty lines between and within them': all.replaceAll('\n', '\n\n \t\n'),
      'no newline at the end': all.trimEnd(),
      'a byte order mark at the start of the file': BOM + all,
      'white space before them': all.replaceAll(/^\{/gm, ' \t{'),
      'rows of one line between them': `${pretty(A)}\n${B}\n${pretty(C)}\n`,
    })) {
      it(`are read with ${what}`, () => {
        assert.deepEqual(uuids(bytes), ['a', 'b', 'c']);
        assert.ok(['a', 'b', 'c'].every((uuid) => !flagsOf(bytes, uuid).includes('hidden')));
        assert.deepEqual(
          faultsOf(bytes).filter(([kind]) => kind !== 'spread' && kind !== 'bom'),
          [],
        );
      });
    }

    it('are not read behind NULs or a byte order mark in the middle of the file', () => {
      for (const before of ['\0', BOM, 'x']) assert.deepEqual(uuids(`${A}\n${before}${pretty(B)}\n`), ['a']);
    });

    it('are not read if they break off, and the lines after the first are read by themselves', () => {
      const torn = pretty(B).split('\n').slice(0, 4).join('\n');
      const bytes = `${A}\n${torn}\n${C}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'c']);
      assert.deepEqual(
        faultsOf(bytes),
        [2, 3, 4, 5].map((line) => ['torn', line, false]),
      );
    });

    it('end at a string that goes over the end of a line', () => {
      const bytes = `${B.replace('two', 'tw\no')}\n${C}\n`;
      assert.deepEqual(uuids(bytes), ['c']);
    });

    it('hide what follows them on their last line', () => {
      const glued = `${pretty(A)}${B}\n${C}\n`;
      assert.deepEqual(uuids(glued), ['a', 'b', 'c']);
      assert.ok(flagsOf(glued, 'b').includes('hidden') && !flagsOf(glued, 'b').includes('counted'));
      const last = linesOf(pretty(A));
      assert.deepEqual(faultsOf(glued), [
        ['glued', last, true],
        ['spread', 1, false],
      ]);
      assert.deepEqual(faultsOf(`${pretty(A)} x${B}x\n${C}\n`), [
        ['torn', last, false],
        ['spread', 1, false],
      ]);
    });

    it('may have other text behind them on their last line, by which nothing is lost', () => {
      assert.deepEqual(faultsOf(`${pretty(A)} x\n${B}\n`), [
        ['glued', linesOf(pretty(A)), false],
        ['spread', 1, false],
      ]);
    });

    it('are not the rows of a list: the client reads none of those', () => {
      for (const list of [`[${A},\n${B}\n]\n`, `[\n${A}\n]\n`, JSON.stringify([JSON.parse(A)], null, 1)]) {
        const { rows } = dump(`${C}\n${list}`);
        assert.ok(
          rows.every(({ uuid, flags }) => uuid === 'c' || flags.includes('hidden')),
          list,
        );
        assert.ok(faultsOf(`${C}\n${list}`).some(([kind, line]) => kind === 'torn' && line === 2));
      }
    });

    it('swallow the row after a line that ends where a value is due, if that is the last one', () => {
      for (const torn of ['{"type":"user","message":', '{"x":[', '[', '{"x":[1,']) {
        const bytes = `${A}\n${torn}\n${B}\n`;
        assert.ok(flagsOf(bytes, 'b').includes('hidden') && flagsOf(bytes, 'b').includes('counted'), torn);
        assert.deepEqual(faultsOf(bytes), [['torn', 2, true]]);
        const more = `${bytes}${C}\n`;
        assert.ok(!flagsOf(more, 'b').includes('hidden'), torn);
        assert.deepEqual(faultsOf(more), [['torn', 2, false]]);
      }
    });

    it('are not read in files over 5 MiB, where it is noted that there are some', () => {
      const scan = (bytes: string): ReturnType<typeof dumpFacts> => {
        const scanner = createScanner({ isLarge: true });
        scanner.push(Buffer.from(bytes));
        return dumpFacts(scanner.end());
      };
      const { rows, lineFaults, hasUnreadRow, hasRow } = scan(all);
      assert.deepEqual([rows, hasUnreadRow, hasRow], [[], true, false]);
      assert.equal(lineFaults.length, linesOf(all) - 1);
      for (const bytes of [`${A}\n`, '{\n', `{"x":[\n${A}\n`, '[\n1\n]\n', pretty(A).slice(0, -2)]) {
        assert.equal(scan(bytes).hasUnreadRow, false, bytes);
      }
    });

    it('are missing from the facts until their last line is there', () => {
      const scanner = createScanner();
      const [start, end] = [pretty(B).slice(0, 60), pretty(B).slice(60)];
      scanner.push(Buffer.from(`${A}\n${start.slice(0, start.lastIndexOf('\n') + 1)}`));
      const open = scanner.index();
      assert.deepEqual([open.isOpen, open.lineCount, open.fileSize, open.rows.count], [true, 1, A.length + 1, 1]);
      scanner.push(Buffer.from(`${start.slice(start.lastIndexOf('\n') + 1)}${end}\n`));
      const closed = scanner.index();
      assert.deepEqual([closed.isOpen, closed.rows.count], [false, 2]);
    });

    it('are read within a time that depends on the size of the file, whatever it holds', () => {
      const { lineFaults } = dump('[\n'.repeat(100_000) + '}\n');
      assert.equal(lineFaults.length, 100_001);
    });

    it('count as content if they are not empty', () => {
      for (const [bytes, hasRow] of [
        ['', false],
        ['\n \n', false],
        ['x\n[1]\n{}\n', false],
        ['{"x":1}\n', true],
        [`${A}\n`, true],
        [`\n\n${C}`, true],
        ['{\n"x":1}\n', true],
        ['{\n}\n', false],
      ] as const) {
        assert.equal(dump(bytes).hasRow, hasRow, JSON.stringify(bytes));
      }
    });
  });
}
