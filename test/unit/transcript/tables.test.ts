import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { IdTable, KeyTable, NO_ID } from '../../rooms/transcript';
import { Column } from '../../rooms/util';

const MANY = 100_000;

function manyUuids(): string[] {
  return Array.from({ length: MANY }, (_, at) => {
    const hex = createHash('md5').update(String(at)).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  });
}

/** Uuids, near-uuids, and strings that are not uuids. */
const id = fc.oneof(
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.tuple(fc.uuid(), fc.nat(35), fc.constantFrom('g', '-', '', ' ', '0', 'é')).map(([uuid, at, by]) => {
    return uuid.slice(0, at) + by + uuid.slice(at + 1);
  }),
  fc.string(),
  fc.constantFrom('', '__proto__', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
);

describe('IdTable', () => {
  it('gives equal ids the same number and different ids different numbers, and returns the text of each number', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 50 }), (ids) => {
        const table = new IdTable();
        const numbers = ids.map((text) => table.intern(text));
        assert.deepEqual(
          numbers.map((number) => table.text(number)),
          ids,
        );
        assert.equal(new Set(numbers).size, new Set(ids).size);
        assert.ok(!numbers.includes(NO_ID));
        assert.equal(table.uuidCount + table.oddCount, new Set(ids).size);
        for (const text of ids) assert.ok(table.has(text));
      }),
      { numRuns: 300 },
    );
  });

  it('has only the ids that were added', () => {
    fc.assert(
      fc.property(fc.array(id), id, (ids, other) => {
        const table = new IdTable();
        for (const text of ids) table.intern(text);
        assert.equal(table.has(other), ids.includes(other));
      }),
      { numRuns: 200 },
    );
  });

  it('treats an upper-case uuid as a different id from its lower-case form', () => {
    const table = new IdTable();
    const lower = 'abcdef01-2345-4678-9abc-def012345678';
    assert.notEqual(table.intern(lower), table.intern(lower.toUpperCase()));
    assert.equal(table.text(table.intern(lower.toUpperCase())), lower.toUpperCase());
  });

  it('distinguishes uuids that differ in any one digit', () => {
    const table = new IdTable();
    const zeros = '00000000-0000-0000-0000-000000000000';
    const ids = Array.from(zeros).flatMap((digit, at) => {
      if (digit === '-') return [];
      return Array.from('123456789abcdef').map((other) => zeros.slice(0, at) + other + zeros.slice(at + 1));
    });
    assert.equal(new Set([zeros, ...ids].map((text) => table.intern(text))).size, 1 + 32 * 15);
  });

  it('holds 100,000 uuids and 100,000 other ids', () => {
    const table = new IdTable();
    const ids = manyUuids();
    ids.forEach((text, at) => {
      if (table.intern(text) !== at || table.intern(`odd ${text}`) !== -2 - at)
        assert.fail(`id ${at} has another number`);
    });
    ids.forEach((text, at) => {
      if (table.text(at) !== text || table.intern(text) !== at) assert.fail(`id ${at} is lost`);
      if (table.intern(`odd ${text}`) !== -2 - at) assert.fail(`odd id ${at} is lost`);
    });
    assert.deepEqual([table.uuidCount, table.oddCount], [MANY, MANY]);
  });

  it('returns no text for a missing id', () => {
    assert.equal(new IdTable().text(NO_ID), null);
  });
});

describe('KeyTable', () => {
  it('gives equal keys the same number and different keys different numbers, starting at 0', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (keys) => {
        const table = new KeyTable();
        const numbers = keys.map((key) => table.intern(key));
        const distinct = [...new Set(keys)];
        assert.deepEqual(
          numbers,
          keys.map((key) => distinct.indexOf(key)),
        );
        assert.equal(table.count, distinct.length);
      }),
      { numRuns: 300 },
    );
  });

  it('distinguishes 200,000 ids in the form of the API, and ids that differ in one letter', () => {
    const table = new KeyTable();
    for (let at = 0; at < MANY; at++) assert.equal(table.intern(`toolu_01${at.toString(36).padStart(22, 'A')}`), at);
    for (let at = 0; at < MANY; at++) assert.equal(table.intern(`${at.toString(36)}_toolu`), MANY + at);
  });
});

describe('Column', () => {
  for (const [name, create, values] of [
    ['int32', () => Column.int32(), [0, -1, -2, 2 ** 31 - 1, -(2 ** 31)]],
    ['uint32', () => Column.uint32(), [0, 1, 2 ** 32 - 1]],
    ['float64', () => Column.float64(), [0, Number.NaN, 1_795_300_872_123, -1, 0.5]],
  ] as const) {
    it(`keeps ${name} values across the borders of its chunks`, () => {
      const column = create();
      const valueAt = (at: number): number => values[at % values.length] ?? 0;
      for (let at = 0; at < MANY; at++) assert.equal(column.push(valueAt(at)), at);
      assert.equal(column.length, MANY);
      for (let at = 0; at < MANY; at++) if (!Object.is(column.get(at), valueAt(at))) assert.fail(`value ${at}`);
    });
  }

  it('returns all its values as one array that it does not share', () => {
    const column = Column.int32();
    for (let at = 0; at < MANY; at++) column.push(at);
    const all = column.toArray();
    all[0] = -1;
    assert.deepEqual([all.length, all[32_767], all[32_768], all[MANY - 1]], [MANY, 32_767, 32_768, MANY - 1]);
    assert.equal(column.get(0), 0);
  });
});
