import assert from 'node:assert/strict';
import { A, B, BOM } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';
import { withoutBytes } from './withoutBytes';

/** Byte order marks and NULs around rows. */
export function describePadding(name: string, { dump, uuids, flagsOf, faultsOf }: ScannerProbe): void {
  describe(`${name}: byte order marks and NULs`, () => {
    const clean = dump(`${A}\n${B}\n`);

    it('skips a byte order mark at the start of the file, and reports it', () => {
      const bytes = `${BOM}${A}\n${B}\n`;
      assert.deepEqual(dump(bytes).rows.map(withoutBytes), clean.rows.map(withoutBytes));
      assert.deepEqual(faultsOf(bytes), [['bom', 1, false]]);
    });

    it('reports that a byte order mark anywhere else hides its row', () => {
      const bytes = `${A}\n${BOM}${B}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b']);
      assert.ok(flagsOf(bytes, 'b').includes('hidden'));
      assert.ok(flagsOf(bytes, 'b').includes('counted'), 'it still counts as a row');
      assert.deepEqual(faultsOf(bytes), [['bom', 2, true]]);
    });

    it('treats a row after two byte order marks at the start of the file as hidden', () => {
      assert.ok(flagsOf(`${BOM}${BOM}${A}\n`, 'a').includes('hidden'));
    });

    it('reports a line of NULs, which hides nothing', () => {
      const bytes = `${A}\n\0\0\0\n${B}\n`;
      assert.deepEqual(
        dump(bytes).rows.map(({ uuid, line }) => [uuid, line]),
        [
          ['a', 1],
          ['b', 3],
        ],
      );
      assert.deepEqual(faultsOf(bytes), [['nul', 2, false]]);
    });

    it('reports that NULs before a row hide it from the reader for small files', () => {
      for (const padding of ['\0'.repeat(4096), '\0 ', '\0\0\t \r']) {
        const bytes = `${A}\n${padding}${B}\n`;
        assert.ok(flagsOf(bytes, 'b').includes('nulPrefixed'));
        assert.ok(!flagsOf(bytes, 'b').includes('hidden'));
        assert.ok(flagsOf(bytes, 'b').includes('counted'));
        assert.deepEqual(faultsOf(bytes), [['nul', 2, true]]);
      }
    });

    it('reports that NULs with other characters before a row hide it from every reader', () => {
      for (const padding of [' \0', '\0 \0', `\0${BOM}`, `${BOM}\0`, '\v', '\u2028']) {
        const flags = flagsOf(`${A}\n${padding}${B}\n`, 'b');
        assert.ok(flags.includes('hidden') && !flags.includes('nulPrefixed'), JSON.stringify(padding));
      }
    });

    it('reports NULs after a row, which hide nothing', () => {
      const bytes = `${A}\0\0\n${B}\n`;
      assert.deepEqual(uuids(bytes), ['a', 'b']);
      assert.ok(!flagsOf(bytes, 'a').includes('hidden'));
      assert.deepEqual(faultsOf(bytes), [['nul', 1, false]]);
    });

    it('reports white space behind a row that JSON does not know as other text', () => {
      for (const space of [BOM, '\v', '\f', '\u00a0', '\u2028', ` ${BOM} `, '\v\r']) {
        const bytes = `${A}${space}\n${B}\n`;
        const flags = flagsOf(bytes, 'a');
        assert.ok(flags.includes('sharesLine') && flags.includes('counted'), JSON.stringify(space));
        assert.deepEqual(faultsOf(bytes), [['glued', 1, false]], JSON.stringify(space));
      }
    });

    it('reports that such white space before a row hides it', () => {
      for (const space of ['\v', '\f', '\u00a0', '\u2028', ' \v\t']) {
        const bytes = `${A}\n${space}${B}\n`;
        const flags = flagsOf(bytes, 'b');
        assert.ok(flags.includes('hidden') && flags.includes('counted'), JSON.stringify(space));
        assert.deepEqual(faultsOf(bytes), [['glued', 2, true]], JSON.stringify(space));
      }
    });

    it('reports NULs between a row and trailing white space', () => {
      for (const space of ['\r', ' ', '\t\r']) {
        assert.deepEqual(faultsOf(`${A}\0\0${space}\n${B}\n`), [['nul', 1, false]], JSON.stringify(space));
      }
    });
  });
}
