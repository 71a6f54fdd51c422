import assert from 'node:assert/strict';
import { call, prompt, reply, result, transcript } from '../../../support/transcriptBuilder';
import { A, B } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';

/** What is read of a row, and what links rows. */
export function describeRows(name: string, { scan, dump, dumpAfterEach, uuids }: ScannerProbe): void {
  describe(`${name}: rows`, () => {
    it('takes the last of two keys with the same name, as JSON.parse does', () => {
      assert.deepEqual(uuids(A.replace('"uuid":"a"', '"uuid":"first","uuid":"last"')), ['last']);
    });

    it('reads keys and values that contain escapes', () => {
      const [row] = dump(A.replace('"uuid":"a"', '"\\u0075uid":"\\u0061\\/"').replace('"user"', '"us\\u0065r"')).rows;
      assert.deepEqual([row?.uuid, row?.kind], ['a/', 'user']);
    });

    it('ignores nested fields of the same name', () => {
      const nested = JSON.stringify({
        message: { uuid: 'x', content: '"uuid":"y"' },
        toolUseResult: { parentUuid: 'z', type: 'user' },
        type: 'user',
        uuid: 'n',
      });
      const [row] = dump(nested).rows;
      assert.deepEqual([row?.uuid, row?.parent, row?.parentForm], ['n', null, 'absent']);
    });

    it('distinguishes the forms of a parent', () => {
      const formOf = (parent: string) => {
        const [row] = dump(A.replace('"parentUuid":null', `"parentUuid":${parent}`)).rows;
        return [row?.parentForm, row?.parent];
      };
      for (const empty of ['null', '""', '0', 'false']) assert.deepEqual(formOf(empty), ['null', null], empty);
      for (const odd of ['{}', '[]', '["a"]']) assert.deepEqual(formOf(odd), ['other', null], odd);
      for (const id of ['42', 'true']) assert.deepEqual(formOf(id), ['other', id], id);
      assert.deepEqual(formOf('"p"'), ['text', 'p']);
      assert.equal(dump(A.replace('"parentUuid":null,', '')).rows[0]?.parentForm, 'absent');
    });

    it('treats an upper-case uuid and its lower-case form as different', () => {
      const lower = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
      const bytes = [lower, lower.toUpperCase()].map((uuid) => A.replace('"a"', `"${uuid}"`)).join('\n');
      assert.deepEqual(uuids(bytes), [lower, lower.toUpperCase()]);
      const index = scan(bytes);
      assert.notEqual(index.rows.uuid(0), index.rows.uuid(1));
    });

    it('lists unknown types, and keeps their rows if they have a uuid', () => {
      const bytes = `${A}\n{"type":"novelty","uuid":"n","parentUuid":"a"}\n{"type":"novelty"}\n{"type":"summary"}\n`;
      const facts = dump(bytes);
      assert.deepEqual(facts.unknownTypes, [{ type: 'novelty', count: 2, lines: [2, 3] }]);
      assert.deepEqual(
        facts.rows.map(({ uuid, kind }) => [uuid, kind]),
        [
          ['a', 'user'],
          ['n', 'other'],
        ],
      );
    });

    it('records where the bytes of each row begin', () => {
      const [a, b] = [Buffer.byteLength(A), Buffer.byteLength(B)];
      const places = (bytes: string) => dump(bytes).rows.map(({ offset }) => offset);
      assert.deepEqual(places(`${A}\n\n${B}`), [0, a + 2]);
      assert.deepEqual(places(`\uFEFF${A}\n\0\0 ${B}\n`), [3, 3 + a + 4]);
      assert.deepEqual(places(`${A}${B}\n{"type":"mode"}\n${A.replace('one', 'é')}\n`), [0, a, a + b + 17]);
    });

    it('can be read at any time, and then covers the complete lines', () => {
      const known = dumpAfterEach([A, '\n', B.slice(0, 50), `${B.slice(50)}\r\n{"type`, '":"mode"}\n']);
      assert.deepEqual(
        known.map(({ lineCount, fileSize, rows }) => [lineCount, fileSize, rows.map(({ uuid }) => uuid)]),
        [
          [0, 0, []],
          [1, A.length + 1, ['a']],
          [1, A.length + 1, ['a']],
          [2, A.length + B.length + 3, ['a', 'b']],
          [3, A.length + B.length + 19, ['a', 'b']],
        ],
      );
      assert.ok(known.every(({ lineFaults }) => lineFaults.length === 0));
    });

    it('distinguishes identical copies from different rows', () => {
      const rows = dump(`${A}\n${A.replace('one', 'uno')}\n${A}\n`).rows;
      assert.deepEqual(
        rows.map(({ sameAs }) => sameAs),
        [0, 1, 0],
      );
    });

    it('distinguishes copies of a message from others, however they are written', () => {
      const copy = JSON.stringify({ version: '9.9.9', ...(JSON.parse(A) as object) });
      const bytes = `${A}\n${copy} \n${A.replace('one', 'uno')}\n${A}${A}\n${B}\n`;
      assert.deepEqual(
        dump(bytes).rows.map(({ sameAs }) => sameAs),
        [0, 0, 2, 0, 0, 5],
      );
    });

    it('links calls and results with the same id, and the rows of one message', () => {
      const bytes = transcript([
        prompt('p', null),
        call('c1', 'p', 't1', { message: 'm' }),
        call('c2', 'c1', 't2', { message: 'm' }),
        result('r2', 'c2', 't2'),
        result('r1', 'c1', 't1'),
        reply('e', 'r1'),
      ]);
      const [, first, second, resultOfSecond, resultOfFirst, end] = dump(bytes).rows;
      assert.equal(first?.message, second?.message);
      assert.notEqual(first?.message, end?.message);
      assert.deepEqual(resultOfSecond?.toolResults, second?.toolUses);
      assert.deepEqual(resultOfFirst?.toolResults, first?.toolUses);
      assert.notDeepEqual(first?.toolUses, second?.toolUses);
    });
  });
}
