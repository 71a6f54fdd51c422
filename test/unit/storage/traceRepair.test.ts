import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ReadableFile, REPAIRED_FIELDS, type RepairTrace, traceRepair } from '../../rooms/storage';

/** A file in memory that reads a few bytes at a time. */
function fileOf(content: Buffer): ReadableFile {
  return {
    fd: -1,
    read: (buffer, position) =>
      Promise.resolve(content.copy(buffer, 0, position, position + Math.min(buffer.length, 11))),
    stat: () => Promise.reject(new Error('not asked')),
    close: () => Promise.resolve(),
  };
}

function trace(backup: string | Buffer, current: string | Buffer, chunkBytes?: number): Promise<RepairTrace> {
  const [before, after] = [Buffer.from(backup), Buffer.from(current)];
  return traceRepair(
    { file: fileOf(before), from: 0, to: before.length },
    { file: fileOf(after), from: 0, to: after.length },
    chunkBytes,
  );
}

const EXPLAINED = (tailStart: number, isUnchanged = false): RepairTrace => ({
  kind: 'repaired',
  tailStart,
  isUnchanged,
});
const UNEXPLAINED: RepairTrace = { kind: 'unexplained' };

/** A line of a damaged transcript, and the same line repaired. */
interface Line {
  readonly damaged: string;
  readonly repaired: string;
}

const value = fc.oneof(fc.uuid(), fc.constant(null), fc.constantFrom('', 'a"b\\', '\\', '}\n{', 'é☕'), fc.integer());
/** Links that another program wrote. A repair replaces them by an id or null. */
const damagedValue = fc.oneof(
  { weight: 3, arbitrary: value },
  fc.constantFrom<unknown>({}, [], [[]], { a: 1 }, [1, 'x]', null], { a: { b: '}"{' } }),
);
const padding = fc.constantFrom('', '\0', '\0\0\0\0', '\uFEFF', '\uFEFF\0', ' \0 ', '\r');

/** A row whose repaired fields have different values before and after. */
const rowLine: fc.Arbitrary<Line> = fc
  .record({
    fields: fc.uniqueArray(fc.constantFrom(...REPAIRED_FIELDS, 'type', 'timestamp'), { minLength: 1 }),
    before: fc.array(damagedValue, { minLength: 5, maxLength: 5 }),
    after: fc.array(value, { minLength: 5, maxLength: 5 }),
    isChanged: fc.boolean(),
    text: fc.string(),
    space: fc.constantFrom('', ' '),
    front: padding,
    back: padding,
  })
  .map(({ fields, before, after, isChanged, text, space, front, back }) => {
    const render = (values: readonly unknown[]): string => {
      const members = fields.map((name, at) => {
        const isFixed = !REPAIRED_FIELDS.includes(name);
        return `"${name}":${space}${JSON.stringify(isFixed ? before[at] : values[at])}`;
      });
      // Neither nested fields nor text that looks like a field may change.
      const message = JSON.stringify({ uuid: 'nested', content: [text, '"parentUuid":"x"', { parentUuid: text }] });
      return `{${[...members, `"message":${message}`].join(`,${space}`)}}`;
    };
    return { damaged: front + render(before) + back, repaired: render(isChanged ? after : before) };
  });

/** Text that a repair leaves alone. */
const otherLine: fc.Arbitrary<Line> = fc
  .constantFrom(
    '',
    'garbage "text',
    '{"type":"user","parentUuid":"torn he',
    '[1,{"uuid":"x"}]',
    '{"a":{"b":[1,2',
    'é',
    '\r',
  )
  .map((text) => ({ damaged: text, repaired: text }));

/** Lines, some of them joined to the row that follows. A repair separates them. */
const transcript = fc
  .array(fc.tuple(fc.oneof({ weight: 3, arbitrary: rowLine }, otherLine), fc.boolean(), rowLine, padding), {
    maxLength: 6,
  })
  .map((parts) => {
    let damaged = '';
    let repaired = '';
    for (const [line, isGlued, next, between] of parts) {
      damaged += isGlued ? `${line.damaged}${between}${next.damaged}\n` : `${line.damaged}\n`;
      repaired += isGlued ? `${line.repaired}\n${next.repaired}\n` : `${line.repaired}\n`;
    }
    return { damaged, repaired };
  });

describe('traceRepair', () => {
  it('explains every repair and finds where the appended rows begin, with any window size', () =>
    fc.assert(
      fc.asyncProperty(
        transcript,
        fc.constantFrom('', '{"type":"user"}\n', 'x'),
        fc.integer({ min: 4, max: 70 }),
        async (lines, tail, chunk) => {
          const found = await trace(lines.damaged, lines.repaired + tail, chunk);
          const isUnchanged = lines.damaged === lines.repaired;
          assert.deepEqual(found, EXPLAINED(Buffer.byteLength(lines.repaired), isUnchanged));
        },
      ),
      { numRuns: 1500 },
    ));

  it('rejects a transcript in which a byte was dropped, doubled or changed outside the repaired values', () =>
    fc.assert(
      fc.asyncProperty(transcript, fc.nat(), fc.constantFrom('drop', 'double', 'change'), async (lines, seed, how) => {
        // The text of the messages is what a person would lose.
        const marks = [...lines.repaired.matchAll(/"message":\{"uuid":"nested"/g)].map((match) => match.index);
        if (marks.length === 0) return;
        const at = Buffer.byteLength(lines.repaired.slice(0, (marks[seed % marks.length] ?? 0) + 1 + (seed % 24)));
        const current = Buffer.from(lines.repaired);
        const byte = current.subarray(at, at + 1);
        const middle = { drop: [], double: [byte, byte], change: [Buffer.from([(byte[0] ?? 0) ^ 1])] }[how];
        const mangled = Buffer.concat([current.subarray(0, at), ...middle, current.subarray(at + 1)]);
        assert.deepEqual(await trace(lines.damaged, mangled, 16), UNEXPLAINED);
      }),
      { numRuns: 1500 },
    ));

  const row = '{"parentUuid":"p","type":"user","uuid":"u"}';

  it('treats a transcript that equals the backup, with or without appended rows, as unchanged', async () => {
    assert.deepEqual(await trace(`${row}\n`, `${row}\n`), EXPLAINED(row.length + 1, true));
    assert.deepEqual(await trace(`${row}\n`, `${row}\n${row}\n`), EXPLAINED(row.length + 1, true));
    assert.deepEqual(await trace(row, row + row), EXPLAINED(row.length, true));
  });

  it('explains changed values of a repaired field, whatever their types and lengths', async () => {
    for (const [from, to] of [
      ['"p"', 'null'],
      ['null', '"p"'],
      ['"p"', '"pq"'],
      ['"p\\""', '"p\\\\"'],
      ['1', '12'],
      ['12', '"x"'],
      ['null', 'nul'],
      ['{"a":1}', '"p"'],
      ['{ "a" : [ "}", 2 ] }', 'null'],
      ['[]', 'null'],
      ['{}', '"p"'],
    ]) {
      const [before, after] = [`{"parentUuid": ${from ?? ''},"a":1}\n`, `{"parentUuid": ${to ?? ''},"a":1}\n`];
      assert.deepEqual(await trace(before, after), EXPLAINED(after.length), `${from ?? ''} to ${to ?? ''}`);
    }
  });

  it('explains removed NULs and byte order marks, at the start and at the end of the file', async () => {
    assert.deepEqual(await trace(`\uFEFF${row}\n`, `${row}\n`), EXPLAINED(row.length + 1));
    assert.deepEqual(await trace(`${row}\n${'\0'.repeat(5000)}`, `${row}\n`), EXPLAINED(row.length + 1));
    assert.deepEqual(await trace(`${row}\n{"a":"torn\0\0`, `${row}\n{"a":"torn`), EXPLAINED(row.length + 11));
    assert.deepEqual(await trace(`${row}\n\0\0`, `${row}\n${row}\n`), EXPLAINED(row.length + 1));
  });

  it('explains the separation of joined rows, including torn rows and rows with NULs between them', async () => {
    for (const front of [
      row,
      '{"parentUuid":"torn',
      '{"message":{"text":"torn {\\"',
      'garbage',
      `${row}\0\0`,
      '{"a":"torn\0\0\0',
      '{"a":"torn ',
    ]) {
      const parted = `${front.replaceAll('\0', '').trimEnd()}\n${row}\n`;
      assert.deepEqual(await trace(`${front}${row}\n`, parted), EXPLAINED(parted.length), front);
    }
  });

  it('explains the separation of a row from what is behind it and is none', async () => {
    for (const rest of [',', '}', ';', ']', '"', ', ', '}}', 'x', ' {"x":', '\0,']) {
      const ends = rest.trimEnd();
      const between = `${row}\n${ends}\n${row}\n`;
      assert.deepEqual(await trace(`${row}${rest}${row}\n`, between), EXPLAINED(between.length), `between: ${rest}`);
      const behind = `${row}\n${ends}\n`;
      assert.deepEqual(await trace(`${row}${rest}\n`, behind), EXPLAINED(behind.length), `behind: ${rest}`);
    }
  });

  it('rejects changes to other values, other or nested fields, deleted rows, and a truncated file', async () => {
    const backup = `${row}\n{"type":"a","message":{"uuid":"m","n":1},"parentUuid":{"o":1}}\n`;
    for (const [from, to] of [
      ['"user"', '"system"'],
      ['"m"', '"x"'],
      ['"n":1', '"n":2'],
      ['"parentUuid"', '"parentUUID"'],
      ['"p"', '{"p":1}'],
      ['"p"', '"p\n"'],
      ['"p"', '"q\n"'],
      ['{"o":1}', '{"o":2}'],
      [`${row}\n`, ''],
      ['1}}\n', ''],
      ['}}\n', '}}'],
      ['"type":"a"', '"type": "a"'],
      ['"uuid":"u"', '"uuid":"u","new":1'],
    ] as const) {
      assert.ok(backup.includes(from));
      assert.deepEqual(await trace(backup, backup.replace(from, to)), UNEXPLAINED, `${from} to ${to}`);
    }
    assert.deepEqual(await trace(backup, ''), UNEXPLAINED);
    assert.deepEqual(await trace(backup, '{"compacted":true}\n'), UNEXPLAINED);
  });

  it('reads a row far longer than its window', async () => {
    const text = '{"parentUuid":"no"}'.repeat(20_000);
    const long = (parent: string): string => `{"message":${JSON.stringify(text)},"parentUuid":"${parent}"}\n`;
    assert.deepEqual(await trace(long('lost'), long('found'), 64), EXPLAINED(long('found').length));
    assert.deepEqual(await trace(long('lost'), long('found').replace('"no', '"n0'), 64), UNEXPLAINED);
  });
});
