import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../src/core/engine';
import { MAX_HELD_BYTES, scanFile, type ScannerFactory } from '../../rooms/transcript';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { chainRow, lines, prompt, reply, type RowFields, timeOf, uuidOf } from '../../support/transcriptBuilder';
import { dumpFacts } from './dumpFacts';
import { quietMachine } from '../../support/quietMachine';
import { plainScanner } from '../../support/plainScanner';

const MARK = '@@long text@@';
/** More than is held. */
const LONG = 'a line of the text\\n'.repeat(Math.ceil((MAX_HELD_BYTES + 1) / 20));
const NAME = '44444444-4444-4444-8444-444444444444.jsonl';

const SCANNERS: readonly (readonly [string, ScannerFactory])[] = [
  ['the fast scanner', wasmScanners()],
  ['the reference scanner', plainScanner],
];

/** The transcript with the mark replaced by a text that makes its row too long to be held. */
function withLongRow(rows: readonly RowFields[] | string): string {
  const text =
    typeof rows === 'string'
      ? rows
      : lines(rows)
          .map((line) => `${line}\n`)
          .join('');
  assert.ok(text.includes(MARK));
  return text.replace(MARK, LONG);
}

async function inFile<T>(text: string, use: (filePath: string, folder: string) => Promise<T>): Promise<T> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, NAME);
    await writeFile(filePath, text);
    return use(filePath, folder);
  });
}

const LONG_REPLY = reply('r1', 'p1', {
  message: {
    id: 'm',
    role: 'assistant',
    model: 'claude-test',
    content: [{ type: 'text', text: MARK }],
    usage: { input_tokens: 3, output_tokens: 4 },
  },
});

const SHAPES: Readonly<Record<string, readonly RowFields[]>> = {
  'a reply': [prompt('p1', null), LONG_REPLY, prompt('p2', 'r1'), reply('r2', 'p2')],
  'the first prompt': [prompt('p1', null, { message: { role: 'user', content: MARK } }), reply('r1', 'p1')],
  'a row of an unknown type': [prompt('p1', null), chainRow('strange', 's', 'p1', { text: MARK }), reply('r1', 'p1')],
  'a row that no client writes like this': [
    prompt('p1', null),
    { ...reply('r1', 'p1'), more: MARK, isSidechain: 'no' },
  ],
  'the last row': [prompt('p1', null), LONG_REPLY],
};

describe('A row that is too long to be held', () => {
  for (const [name, createScanner] of SCANNERS) {
    it(`gives ${name} the same facts as a short one`, async () => {
      for (const [shape, rows] of Object.entries(SHAPES)) {
        const short = lines(rows)
          .map((line) => `${line}\n`)
          .join('');
        const facts = await inFile(short, async (filePath) =>
          dumpFacts((await scanFile(filePath, createScanner)).index),
        );
        const shift = LONG.length - MARK.length;
        const long = await inFile(withLongRow(rows), async (filePath) =>
          dumpFacts((await scanFile(filePath, createScanner)).index),
        );
        const longLine = rows.findIndex((row) => JSON.stringify(row).includes(MARK)) + 1;
        // What is behind the long text is further down. Only rows within the reach of a weighing weigh anything.
        const expected = facts.rows.map((row) => ({
          ...row,
          offset: row.offset + (row.line > longLine ? shift : 0),
          uncounted: null,
        }));
        assert.deepEqual(
          long.rows.map((row) => ({ ...row, uncounted: null })),
          expected,
          shape,
        );
        const of = ({
          lastPrompt,
          lineFaults,
          unknownTypes,
          latest,
          ids,
          lineCount,
          hasRow,
          counted,
          longLines,
        }: typeof long): unknown => ({
          lastPrompt,
          lineFaults,
          unknownTypes,
          latest,
          ids,
          lineCount,
          hasRow,
          counted,
          longLines,
        });
        assert.deepEqual(of(long), of(facts), shape);
        assert.equal(long.fileSize, facts.fileSize + shift);
      }
    });

    it(`is torn for ${name} if it is, wherever it is`, async () => {
      const [first = '', second = ''] = lines([prompt('p1', null), LONG_REPLY]);
      const cut = second.slice(0, second.indexOf(MARK) + MARK.length);
      for (const [text, isUnfinished] of [
        [`${first}\n${cut}\n${first}\n`, false],
        [`${first}\n${cut}`, true],
      ] as const) {
        const { rows, lineFaults, longLines } = await inFile(withLongRow(text), async (filePath) =>
          dumpFacts((await scanFile(filePath, createScanner)).index),
        );
        assert.equal(rows.length, isUnfinished ? 1 : 2);
        assert.deepEqual(lineFaults, [{ kind: 'torn', line: 2, hidesRow: false, isUnfinished }]);
        assert.deepEqual(longLines, []);
      }
    });

    it(`is reported by ${name} if nothing can be known of it`, async () => {
      const [first = '', second = ''] = lines([prompt('p1', null), LONG_REPLY]);
      const text = withLongRow(`${first}\n\0${second}\n`);
      const { rows, longLines } = await inFile(text, async (filePath) =>
        dumpFacts((await scanFile(filePath, createScanner)).index),
      );
      assert.equal(rows.length, 1);
      assert.deepEqual(longLines, [{ line: 2, length: text.length - first.length - 2, isKnown: false }]);
    });
  }

  it('is repaired without a change of any byte but those of its links', async () => {
    const rows = [
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('p2', 'lost', { message: { role: 'user', content: MARK }, timestamp: timeOf(9) }),
      // A twin of the prompt, so that the long row, which comes later, gets another uuid, which is behind its text.
      reply('r2', 'p2', { timestamp: timeOf(19) }),
      reply('r2', 'p2', {
        message: { id: 'm9', role: 'assistant', model: 'claude-test', content: [{ type: 'text', text: MARK }] },
        timestamp: timeOf(29),
      }),
      prompt('p3', 'r2', { timestamp: timeOf(39) }),
    ];
    const text = withLongRow(withLongRow(rows));
    await inFile(text, async (filePath, folder) => {
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      const { result, problem } = await engine.repair(filePath);
      assert.deepEqual([result.status, problem], ['repaired', null]);
      assert.deepEqual(result.edits.map(({ line, field }) => `${line} ${field}`).sort(), [
        '3 parentUuid',
        '5 uuid',
        '6 parentUuid',
      ]);
      const after = await readFile(filePath, 'latin1');
      const [third = '', fifth = ''] = [2, 4].map((line) => after.split('\n')[line]);
      const [third0 = '', fifth0 = ''] = [2, 4].map((line) => text.split('\n')[line]);
      assert.ok(third === third0.replace(uuidOf('lost'), uuidOf('r1')));
      const fresh = /"uuid":"([0-9a-f-]{36})"/u.exec(fifth)?.[1] ?? '';
      assert.notEqual(fresh, uuidOf('r2'));
      assert.ok(fifth === fifth0.replace(uuidOf('r2'), fresh));
      assert.equal((await engine.scan(filePath)).result.status, 'healthy');
    });
  });

  it('keeps every byte of a session of which it could be a part, and is named as the reason', async () => {
    const [first = '', second = '', third = ''] = lines([
      prompt('p1', null),
      LONG_REPLY,
      prompt('p2', 'r1', { timestamp: timeOf(99) }),
    ]);
    const text = withLongRow(`${first}\n\0${second}\n${third}\n`);
    await inFile(text, async (filePath, folder) => {
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      const { result, problem } = await engine.repair(filePath);
      assert.deepEqual([result.status, result.reason], ['failed', 'not-repairable']);
      assert.match(problem ?? '', /^Line 2 has \d+ MB, which is too long to be read, so nothing was changed/);
      assert.ok((await readFile(filePath, 'latin1')) === text);
      const { findings } = (await engine.scan(filePath)).result;
      const [found] = findings.filter(({ code }) => code === 'long-row');
      assert.deepEqual([found?.lines, found?.severity], [[2], 'warning']);
      assert.match(found?.message ?? '', /^Line 2 has \d+ MB, which is too long to be read/);
    });
  });
});
