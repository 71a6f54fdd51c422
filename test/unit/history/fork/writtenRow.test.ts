import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { carriedRow, type RowChange, writtenRow } from '../../../rooms/history';
import { FIXTURES, listRecordings } from '../../../support/fixtures';
import { hasField, readRow, setField, splitRows } from '../../../support/rowText';

const FORKED_FROM = { sessionId: 'parent', messageUuid: 'row' };
const KEPT: RowChange = {
  link: { kind: 'kept' },
  freshUuid: null,
  isOnMainChain: false,
  sessionId: 'fresh',
  forkedFrom: FORKED_FROM,
};

function write(row: string, change: Partial<RowChange> = {}): string | undefined {
  return writtenRow(Buffer.from(row), { ...KEPT, ...change })?.toString();
}

/** The row with the fields of a fork after its own. */
function withMarks(row: string, marks: Readonly<Record<string, unknown>>): string {
  return row.replace(/\}\s*$/, `,${JSON.stringify(marks).slice(1)}\n`);
}

describe('A row of a fork', () => {
  it('keeps every byte of the recorded rows except in the fork’s fields, and the order of the keys', () => {
    let rows = 0;
    for (const row of listRecordings().flatMap((file) => splitRows(readFileSync(join(FIXTURES, file))))) {
      const fields = readRow(row);
      if (fields?.uuid === undefined || hasField(row, 'forkedFrom')) continue;
      rows++;
      // SAFETY: every row of a recording names its session.
      const { sessionId } = fields as { sessionId: string };
      const isAsked = fields.type === 'assistant' && !hasField(row, 'requestSessionId');
      const asked = isAsked ? { requestSessionId: sessionId } : {};
      const expected = withMarks(setField(row, 'sessionId', 'fresh'), { ...asked, forkedFrom: FORKED_FROM });
      assert.equal(writtenRow(Buffer.from(row, 'latin1'), KEPT)?.toString('latin1'), expected);
    }
    assert.ok(rows > 400, String(rows));
  });

  it('gets a parent, a uuid and the main-chain mark in place', () => {
    const row = '{"parentUuid":"a","isSidechain":true,"type":"user","uuid":"b","sessionId":"s"}';
    const change = { link: { kind: 'set' as const, parent: null }, freshUuid: 'c', isOnMainChain: true };
    const marks = JSON.stringify(FORKED_FROM);
    assert.equal(
      write(row, change),
      `{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"c","sessionId":"fresh","forkedFrom":${marks}}\n`,
    );
  });

  it('gets missing fields: a parent at the start, all others at the end', () => {
    const change = { link: { kind: 'set' as const, parent: 'p' }, freshUuid: 'c' };
    assert.equal(
      write('{"type":"user"}', change),
      `{"parentUuid":"p","type":"user","uuid":"c","sessionId":"fresh","forkedFrom":${JSON.stringify(FORKED_FROM)}}\n`,
    );
  });

  it('names the session that was forked last, and the session that first requested an answer', () => {
    const before = '{"type":"assistant","forkedFrom":{"sessionId":"first"},"sessionId":"second"}';
    const marks = JSON.stringify(FORKED_FROM);
    assert.equal(
      write(before),
      `{"type":"assistant","forkedFrom":${marks},"sessionId":"fresh","requestSessionId":"first"}\n`,
    );
    const known = '{"type":"assistant","requestSessionId":"zeroth","sessionId":"second"}';
    assert.match(write(known) ?? '', /"requestSessionId":"zeroth"/);
  });

  it('is never marked as a background session, wherever that mark is', () => {
    for (const row of [
      '{"sessionKind":"bg","type":"user"}',
      '{"type":"user","sessionKind":"bg"}',
      '{"type":"user" , "sessionKind" : "bg" , "a":1}',
    ]) {
      // SAFETY: an object.
      const written = JSON.parse(write(row) ?? '') as Record<string, unknown>;
      assert.deepEqual([written['sessionKind'], written['type'], written['sessionId']], [undefined, 'user', 'fresh']);
    }
    const refused = '{"type":"system","subtype":"model_refusal_fallback"}';
    assert.match(write(refused) ?? '', /"neutralizedByFork":true/);
  });

  it('does not confuse a field of its message, or a word in a text, with one of its own', () => {
    const row =
      '{"type":"user","message":{"sessionId":"x","content":"\\"sessionId\\":\\\\"},"\\u0073essionId":"s","sessionId":"t"}';
    const [before = ''] = row.split('"t"');
    assert.ok(write(row)?.startsWith(`${before}"fresh",`));
  });

  it('drops what follows it on its line, and is null where it is torn', () => {
    assert.equal(carriedRow(Buffer.from('{"type":"x"} \0 rest'), 'fresh')?.toString(), '{"type":"x"}\n');
    assert.equal(carriedRow(Buffer.from('{"sessionId":"s"}{"b":1}'), 'fresh')?.toString(), '{"sessionId":"fresh"}\n');
    for (const torn of ['{"type":"x"', '{"type":', '{"ty', '{', '{"a":{"b":1}']) {
      assert.equal(carriedRow(Buffer.from(torn), 'fresh'), null, torn);
    }
  });
});
