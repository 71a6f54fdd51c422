import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readRows } from '../../../rooms/history';
import { appendRow, nodeWriteFs } from '../../../rooms/storage';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

const deps = { fs: nodeWriteFs, random: () => 'x' };
const append = (path: string, row: object): Promise<void> => appendRow(path, 'test', { ...row }, deps);
const rowsOf = async (path: string) => readRows(path, nodeWriteFs);

const anyRow = fc.dictionary(
  fc.string({ unit: 'binary' }).filter((key) => key !== 'rethread' && key !== '__proto__'),
  fc.jsonValue(),
);
/** As JSON represents them: negative zero loses its sign. */
const asJson = (rows: readonly object[]): unknown => JSON.parse(JSON.stringify(rows));

describe('Appended rows', function () {
  this.timeout(30_000);

  it('are read as they were appended', () =>
    withTemporaryFolder(async (folder) => {
      let at = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(anyRow, { maxLength: 8 }), async (rows) => {
          const path = join(folder, `${at++}.jsonl`);
          for (const row of rows) await append(path, row);
          assert.deepEqual(await rowsOf(path), { rows: asJson(rows), torn: 0 });
        }),
        { numRuns: 60 },
      );
    }));

  it('survive a writer that died at any byte: only its own row is lost', () =>
    withTemporaryFolder(async (folder) => {
      const [path, cut] = [join(folder, 'whole.jsonl'), join(folder, 'cut.jsonl')];
      const rows = [
        { uuid: 'a', body: { text: 'é"\\\n{"uuid":"x"}' } },
        { uuid: 'b', body: { list: [[{}], '✓'] } },
      ];
      for (const row of rows) await append(path, row);
      const whole = readFileSync(path);
      const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a);
      for (let end = 0; end <= whole.length; end++) {
        copyFileSync(path, cut);
        truncateSync(cut, end);
        // A row is complete when the file ends with it, or continues after it.
        const before = rows.filter((_, at) => end >= (ends[at + 1] ?? whole.length));
        assert.deepEqual((await rowsOf(cut)).rows, before, `cut at ${end}`);
        await append(cut, { uuid: 'next' });
        await append(cut, { uuid: 'last' });
        const healed = await rowsOf(cut);
        assert.deepEqual(healed.rows, [...before, { uuid: 'next' }, { uuid: 'last' }], `appended after ${end}`);
        assert.ok(healed.torn <= 1);
      }
    }));

  it('survive several writers that died, and zeros left by a power failure', () =>
    withTemporaryFolder(async (folder) => {
      let at = 0;
      const text = (row: object): string => `\n${JSON.stringify(row)}`;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ row: anyRow, cut: fc.option(fc.nat(), { nil: null }), zeros: fc.nat(3) }), {
            maxLength: 12,
          }),
          async (writes) => {
            const path = join(folder, `${at++}.jsonl`);
            const whole = writes.filter(({ cut }) => cut === null).map(({ row }) => row);
            const pieces = writes.map(({ row, cut, zeros }) => {
              const bytes = Buffer.from(text({ uuid: 'u', ...row }));
              // At least the closing brace is missing.
              return cut === null ? bytes : Buffer.concat([bytes.subarray(0, cut % bytes.length), Buffer.alloc(zeros)]);
            });
            writeFileSync(path, Buffer.concat([Buffer.from('{"rethread":"test"}'), ...pieces]));
            assert.deepEqual((await rowsOf(path)).rows, asJson(whole.map((row) => ({ uuid: 'u', ...row }))));
          },
        ),
        { numRuns: 100 },
      );
    }));

  it('can be long', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'long.jsonl');
      const rows = [{ text: 'x'.repeat(9_000_000) }, { text: 'short' }, { text: '✓'.repeat(1_500_000) }];
      for (const row of rows) await append(path, row);
      assert.deepEqual((await rowsOf(path)).rows, rows);
      await assert.rejects(appendRow(path, 'test', { text: 'x'.repeat(990) }, deps, 1000), { code: 'EFBIG' });
      assert.equal((await rowsOf(path)).rows.length, 3);
    }));
});
