import assert from 'node:assert/strict';
import { assistant, prompt, type RowFields, transcript } from '../../../support/transcriptBuilder';
import type { ScannerProbe } from './scannerProbe';

/** The token counts of the messages. */
export function describeUsage(name: string, { dump, dumpWithUsage }: ScannerProbe): void {
  const row = (usage: string, message = 'm'): string =>
    `{"type":"assistant","uuid":"u","message":{"id":"${message}","model":"one","content":[],"usage":${usage}}}\n`;
  const countsOf = (usage: string): readonly number[] => dumpWithUsage(row(usage)).usage?.[0]?.counts ?? [];

  describe(`${name}: usage`, () => {
    it('is left out unless it is requested', () => {
      assert.equal(dump(row('{"input_tokens":1}')).usage, null);
    });

    it('is read from assistant rows and grouped by message', () => {
      const used = (name_: string, id: string, usage: RowFields) =>
        assistant(name_, null, [], { message: { id, model: `model of ${id}`, content: [], usage } });
      const bytes = transcript([
        prompt('p', null, { message: { content: 'x', usage: { input_tokens: 99 } } }),
        used('a', 'm1', { input_tokens: 5, output_tokens: 1 }),
        used('b', 'm2', { cache_read_input_tokens: 7 }),
        used('c', 'm1', { input_tokens: 4, output_tokens: 12 }),
      ]);
      assert.deepEqual(dumpWithUsage(bytes).usage, [
        { row: 3, message: 0, model: 'model of m1', counts: [5, 12, 0, 0, 0, 0, 0, 0] },
        { row: 2, message: 1, model: 'model of m2', counts: [0, 0, 0, 7, 0, 0, 0, 0] },
      ]);
    });

    it('has an entry for each row whose message has no id', () => {
      const nameless = row('{"input_tokens":1}').replace('"id":"m",', '');
      assert.deepEqual(
        dumpWithUsage(nameless + nameless).usage?.map((entry) => [entry.row, entry.message]),
        [
          [0, null],
          [1, null],
        ],
      );
    });

    it('accepts only whole numbers as counts', () => {
      for (const [count, value] of [
        ['7', 7],
        ['1e3', 1000],
        ['12e-1', 0],
        ['2.0', 2],
        ['-1', 0],
        ['-0', 0],
        ['0.5', 0],
        ['4294967295', 4_294_967_295],
        ['4294967296', 0],
        ['9999999999', 0],
        ['"7"', 0],
        ['null', 0],
        ['[7]', 0],
      ] as const) {
        assert.equal(countsOf(`{"input_tokens":${count}}`)[0], value, count);
      }
    });

    it('takes details only from the object they belong to', () => {
      const usage =
        '{"ephemeral_5m_input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":2,"web_search_requests":3,"input_tokens":4},' +
        '"server_tool_use":{"web_search_requests":5,"web_fetch_requests":6},"other":{"input_tokens":7}}';
      assert.deepEqual(countsOf(usage), [0, 0, 0, 0, 2, 0, 5, 6]);
    });

    it('takes the last of two counts or objects with the same name', () => {
      const details = '{"ephemeral_5m_input_tokens":5}';
      for (const last of ['null', 'false', '"x"', '{}', '[]']) {
        assert.equal(countsOf(`{"cache_creation":${details},"cache_creation":${last}}`)[4], 0, last);
        assert.equal(countsOf(`{"cache_creation":${last},"cache_creation":${details}}`)[4], 5, last);
        assert.equal(countsOf(`{"output_tokens":3,"output_tokens":${last}}`)[1], 0, last);
        assert.equal(countsOf(`{"output_tokens":${last},"output_tokens":3}`)[1], 3, last);
      }
      assert.equal(countsOf('{"input_tokens":3,"\\u0069nput_tokens":4}')[0], 4);
    });
  });
}
