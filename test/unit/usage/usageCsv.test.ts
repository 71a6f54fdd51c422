import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { usageCsv } from '../../rooms/usage';
import type { UsageReport, UsageRow } from '../../../src/protocol/usage';
import { spending } from '../extension/usageFakes';

function row(change: Partial<UsageRow> = {}): UsageRow {
  return {
    key: '2026-11-22',
    title: null,
    filePath: null,
    models: ['a', 'b'],
    sharedTokens: 0,
    ...spending(),
    ...change,
  };
}

const report = (...rows: UsageRow[]): UsageReport => ({ rows, totals: spending() });

/** A parser for RFC 4180 that shares no code with the tested module. */
function parse(csv: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < csv.length) {
    const match = field.exec(csv);
    assert.ok(match !== null, 'every field is quoted, or holds nothing that has to be');
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    lines.push(line);
    line = [];
  }
  assert.deepEqual(line, []);
  return lines;
}

/** The apostrophe that a reader of the file removes. */
const ADDED = /^'(?='*(?:[\t\r]|[\s\p{Z}\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]))/u;

describe('The token table as a CSV file', () => {
  it('has a header and a line for each row, with line ends as in RFC 4180 and plain numbers', () => {
    assert.equal(
      usageCsv('day', report(row())),
      'day,models,messages,total_tokens,input_tokens,output_tokens,cache_read_tokens,cache_write_5m_tokens,cache_write_1h_tokens,web_searches,web_fetches,cost_usd,unpriced_tokens\r\n' +
        '2026-11-22,a; b,31,973600,1200,5400,910000,48000,9000,1,0,1.0237,0\r\n',
    );
  });

  it('names sessions by their titles and files, and states what they share', () => {
    const csv = usageCsv(
      'session',
      report(row({ key: 'id', title: 'Plan, "today"', filePath: '/p/id.jsonl', sharedTokens: 7 })),
    );
    const [head, line] = parse(csv);
    assert.deepEqual(head?.slice(0, 4), ['session', 'title', 'file', 'models']);
    assert.deepEqual(line?.slice(0, 4), ['id', 'Plan, "today"', '/p/id.jsonl', 'a; b']);
    assert.equal(head.at(-1), 'shared_tokens');
    assert.equal(line.at(-1), '7');
  });

  it('leaves the cost empty if the price is unknown', () => {
    const [head, line] = parse(usageCsv('model', report(row({ key: 'x', ...spending(1, false) }))));
    assert.equal(line?.[head?.indexOf('cost_usd') ?? -1], '');
    assert.equal(line[head?.indexOf('unpriced_tokens') ?? -1], '973600');
    assert.ok(!head?.includes('models'));
  });

  it('contains no formulas that a spreadsheet would run', () => {
    for (const evil of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://a","b")']) {
      const [, line] = parse(usageCsv('session', report(row({ key: evil, title: evil, models: [evil] }))));
      for (const cell of line?.slice(0, 4) ?? []) if (cell !== '') assert.equal(cell, `'${evil}`);
    }
  });

  it('contains no formulas after spaces and invisible characters, or with full-width signs', () => {
    for (const before of ['', ' ', '  ', '\u00a0', '\u3000', '\u200b', '\ufeff', '\t ', '\n', ' \u202d']) {
      for (const sign of [
        '=',
        '+',
        '-',
        '@',
        '\uff1d',
        '\uff0b',
        '\uff0d',
        '\uff20',
        '\ufe66',
        '\ufe62',
        '\ufe63',
        '\ufe6b',
      ]) {
        const evil = `${before}${sign}1+1`;
        const [, line] = parse(usageCsv('session', report(row({ key: evil, title: evil }))));
        assert.deepEqual(line?.slice(0, 2), [`'${evil}`, `'${evil}`]);
      }
    }
    const [, line] = parse(usageCsv('session', report(row({ key: ' a=b', title: 'x -1' }))));
    assert.deepEqual(line?.slice(0, 2), [' a=b', 'x -1']);
  });

  it('preserves a text that begins with an apostrophe and a formula character', () => {
    const [, line] = parse(usageCsv('session', report(row({ key: "'+1", title: "''=a" }))));
    assert.deepEqual(line?.slice(0, 2), ["''+1", "'''=a"]);
  });

  it('preserves every text, and has the same number of cells in each line', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string()), { maxLength: 5 }), (texts) => {
        const lines = parse(usageCsv('session', report(...texts.map(([key, title]) => row({ key, title })))));
        assert.equal(lines.length, texts.length + 1);
        for (const line of lines) assert.equal(line.length, lines[0]?.length);
        for (const [at, [key, title]] of texts.entries()) {
          assert.equal(lines[at + 1]?.[0]?.replace(ADDED, ''), key);
          assert.equal(lines[at + 1]?.[1]?.replace(ADDED, ''), title);
        }
      }),
    );
  });
});
