import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { comparePrediction } from '../support/comparePrediction';
import { readCountedRows } from '../support/countedRows';
import { damage } from '../support/damage';
import { DAMAGE_OPERATIONS } from '../support/damageOperations';
import { faultsOfBytes } from '../support/faultsOfBytes';
import { FIXTURES, listCorruptCases, listDamageBases } from '../support/fixtures';
import { judge } from '../support/judge';
import { QUICK_SEEDS } from '../support/runSize';
import { joinRows, removeField, setField, splitRows } from '../support/rowText';

const bases = listDamageBases().map((file) => readFileSync(join(FIXTURES, file)));
const seeds = Array.from({ length: 400 }, (_, at) => at + 1);
const damaged = seeds.map((seed) => {
  const original = bases[seed % bases.length] ?? Buffer.alloc(0);
  return { seed, original, ...damage(original, seed) };
});

describe('Random damage', () => {
  it('is the same for the same seed', () => {
    for (const { seed, original, bytes, operations } of damaged.slice(0, 100)) {
      assert.deepEqual(damage(original, seed), { bytes, operations });
    }
  });

  it('breaks a transcript in 1 to 4 steps, and uses every kind of step', () => {
    const names = damaged.flatMap(({ operations }) => operations.slice(1).map((text) => text.split(':')[0]));
    assert.deepEqual([...new Set(names)].sort(), DAMAGE_OPERATIONS.map(({ name }) => name).sort());
    assert.ok(damaged.every(({ operations }) => operations.length >= 2 && operations.length <= 5));
  });

  it('reaches every recording with the seeds of the quick run', () => {
    assert.ok(bases.length > 10);
    assert.equal(new Set(QUICK_SEEDS.map((seed) => seed % bases.length)).size, bases.length);
  });

  it('keeps the rows that it does not touch, byte for byte', () => {
    const untimed = damaged.filter(({ operations }) => operations[0] === 'spacing: recorded');
    assert.ok(untimed.length > 50);
    for (const { original, bytes, operations } of untimed) {
      if (operations.some((text) => text.startsWith('clock-jump'))) continue;
      const before = new Set(splitRows(original));
      const changed = splitRows(bytes).filter((row) => !before.has(row) && !before.has(`${row}\n`));
      assert.ok(changed.length <= 2 * (operations.length - 1), operations.join('; '));
    }
  });
});

describe('The text of a row', () => {
  it('stays unchanged when a field is set to its own value', () => {
    for (const row of bases.flatMap(splitRows)) {
      const { parentUuid } = JSON.parse(Buffer.from(row, 'latin1').toString('utf8')) as { parentUuid?: unknown };
      if (parentUuid !== undefined) assert.equal(setField(row, 'parentUuid', parentUuid), row);
    }
  });

  it('loses one field and keeps the others', () => {
    const row = '{"a":{"b":"}\\""},"b":[1,"]"],"c":null}\n';
    assert.equal(removeField(row, 'b'), '{"a":{"b":"}\\""},"c":null}\n');
    assert.equal(removeField(row, 'c'), '{"a":{"b":"}\\""},"b":[1,"]"]}\n');
    assert.equal(joinRows([setField(row, 'a', 'é')]).toString('utf8'), '{"a":"é","b":[1,"]"],"c":null}\n');
    assert.equal(setField(row, 'd', 1), '{"d":1,"a":{"b":"}\\""},"b":[1,"]"],"c":null}\n');
  });
});

describe('The near spacing of a damaged variant', () => {
  it('equals the stored one, byte for byte, if one is stored', () => {
    const stored = fastGlob.sync('corrupt/near/*/*.jsonl', { cwd: FIXTURES });
    assert.ok(stored.length > 0);
    const cases = listCorruptCases().filter(({ spacing }) => spacing === 'near');
    for (const file of stored) {
      const name = file.split('/')[2];
      const derived = cases.find((corrupt) => corrupt.name === name)?.bytes;
      assert.ok(derived?.equals(readFileSync(join(FIXTURES, file))), name);
    }
  });
});

describe('The check of repaired bytes', () => {
  const original = Buffer.from('{"uuid":"a","parentUuid":null}\n{"uuid":"b","parentUuid":"x"}\n\0\0{"uuid":"c"}\n');
  const edit = { line: 2, uuid: 'b', field: 'parentUuid', from: 'x', to: 'a', why: '' };
  const strip = { line: 3, uuid: 'c', field: 'line', from: 2, to: 0, why: '' };
  const replace = (from: string, to: string) => Buffer.from(original.toString('utf8').replace(from, to));

  it('accepts the edited value and nothing else', () => {
    const repaired = replace('"x"', '"a"');
    assert.deepEqual(faultsOfBytes({ original, repaired, backup: original, edits: [edit] }), []);
    const reformatted = Buffer.from(repaired.toString('utf8').replace(':null', ': null'));
    assert.equal(faultsOfBytes({ original, repaired: reformatted, backup: original, edits: [edit] }).length, 1);
    assert.equal(faultsOfBytes({ original, repaired, backup: original, edits: [] }).length, 1);
  });

  it('lets an edit of a line change only that line', () => {
    const repaired = replace('\0\0', '');
    assert.deepEqual(faultsOfBytes({ original, repaired, backup: original, edits: [strip] }), []);
    const lost = repaired.subarray(repaired.indexOf('\n') + 1);
    assert.equal(faultsOfBytes({ original, repaired: lost, backup: original, edits: [strip] }).length, 1);
  });

  it('requires the original as the backup', () => {
    const repaired = replace('"x"', '"a"');
    assert.equal(faultsOfBytes({ original, repaired, backup: repaired, edits: [edit] }).length, 1);
    assert.equal(faultsOfBytes({ original, repaired, backup: null, edits: [edit] }).length, 1);
  });
});

describe('The judgement of a request', () => {
  const rows = [
    { type: 'user', message: { content: 'first question' } },
    { type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'x', signature: 's' }] } },
    { type: 'assistant', message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'out' }] } },
    { type: 'user', isMeta: true, message: { content: 'caveat' } },
    { type: 'user', isSidechain: true, message: { content: 'a subagent prompt' } },
    { type: 'assistant', message: { content: [{ type: 'text', text: '  ' }] } },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'the answer' }] } },
    { type: 'user', message: { content: 'first question' } },
  ];
  const transcript = Buffer.from(rows.map((row, at) => `${'\0'.repeat(at)}${JSON.stringify(row)}\n`).join(''));
  const asked = (...contents: [role: string, content: unknown][]) =>
    contents.map(([role, content]) => ({ role, content }));
  const summary = (...missingLines: number[]) => ({
    loads: 5 - missingLines.length,
    of: 5,
    leafUuid: null,
    missingLines,
  });

  it('counts main-chain rows with content, including rows after NULs', () => {
    assert.deepEqual(
      readCountedRows(transcript).map(({ line }) => line),
      [1, 3, 4, 8, 9],
    );
  });

  it('finds nothing loaded if there was no request', () => {
    assert.deepEqual(judge(transcript, null), { loads: 0, of: 5, missingLines: [1, 3, 4, 8, 9] });
  });

  it('finds a text inside a longer one with the same role, and a call by its id', () => {
    const messages = asked(
      ['user', [{ type: 'text', text: 'so: first\n question!' }]],
      ['assistant', [{ type: 'tool_use', id: 't1' }]],
      ['user', [{ type: 'text', text: 'the answer' }]],
    );
    assert.deepEqual(judge(transcript, messages), { loads: 3, of: 5, missingLines: [4, 8] });
  });

  it('accepts a prediction that an identical copy is missing, and no other difference', () => {
    const judged = judge(transcript, asked(['user', 'first question'], ['assistant', 'the answer']));
    assert.deepEqual(judged.missingLines, [3, 4]);
    assert.ok(comparePrediction(transcript, summary(3, 4), judged).isEqual);
    assert.deepEqual(comparePrediction(transcript, summary(1, 3, 4), judged).copies, [1]);
    assert.ok(comparePrediction(transcript, summary(1, 3, 4), judged).isEqual);
    assert.deepEqual(comparePrediction(transcript, summary(1, 3, 4, 9), judged).loadedAllTheSame, [1, 9]);
    assert.deepEqual(comparePrediction(transcript, summary(3, 4, 8), judged).loadedAllTheSame, [8]);
    assert.deepEqual(comparePrediction(transcript, summary(3), judged).notLoaded, [4]);
  });

  it('accepts a prediction that a copy of the first row on a joined line is missing', () => {
    const row = (content: string): string => JSON.stringify({ type: 'user', message: { content } });
    const glued = Buffer.from([row('asked twice'), `${row('asked twice')}${row('lost')}`, row('lost')].join('\n'));
    const judged = judge(glued, asked(['user', 'asked twice']));
    const prediction = { loads: 0, of: 2, leafUuid: null, missingLines: [1, 3] };
    assert.deepEqual(comparePrediction(glued, prediction, judged).copies, [1]);
    assert.deepEqual(judged.missingLines, [3]);
  });

  it('detects a prediction that contradicts itself', () => {
    const judged = judge(transcript, null);
    const prediction = { ...summary(1, 3, 4, 8, 9), loads: 1 };
    assert.equal(comparePrediction(transcript, prediction, judged).problems.length, 1);
    assert.equal(comparePrediction(transcript, { ...prediction, of: 6 }, judged).problems.length, 1);
    assert.equal(comparePrediction(transcript, summary(1, 3, 4, 9, 8), judged).problems.length, 1);
    assert.equal(comparePrediction(transcript, summary(1, 3, 4, 8, 9, 10), judged).problems.length, 1);
  });
});
