import assert from 'node:assert/strict';
import { diagnosticsFor } from '../../rooms/diagnose';
import { loaded } from '../../support/diagnosed';
import { scanBytes } from '../../support/scanBytes';
import { boundary, lines, prompt, reply, uuidOf } from '../../support/transcriptBuilder';
import { faultsOf, findingsOf } from './faultsOf';

const BOM = '\uFEFF';
const [P1 = '', R1 = '', P2 = '', R2 = ''] = lines([
  prompt('p1', null),
  reply('r1', 'p1'),
  prompt('p2', 'r1'),
  reply('r2', 'p2'),
]);

function file(...texts: string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(''));
}

describe('NUL bytes', () => {
  it('are an error before a row', () => {
    assert.deepEqual(faultsOf(file(P1, `\0\0${R1}`, P2)), ['error auto nul-bytes: lines 2']);
  });

  it('are harmless on a separate line and after a row', () => {
    assert.deepEqual(faultsOf(file(P1, '\0\0', `${R1}\0`)), ['info tell nul-bytes: lines 2 3']);
    assert.deepEqual(faultsOf(Buffer.concat([file(P1, R1), Buffer.alloc(512)])), ['info tell nul-bytes: lines 3']);
  });

  it('are harmless in a file that the client reads past NULs because of its size', () => {
    const padding = JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(6 * 1024 * 1024) });
    const [finding] = findingsOf(file(padding, P1, `\0${R1}`));
    assert.deepEqual([finding?.severity, finding?.action], ['info', 'tell']);
    assert.match(finding?.message ?? '', /once the file is smaller than 5 MiB/);
  });
});

describe('A byte order mark', () => {
  it('is harmless at the start of the file', () => {
    assert.deepEqual(faultsOf(file(`${BOM}${P1}`, R1)), ['info tell bom: lines 1']);
  });

  it('is an error anywhere else', () => {
    assert.deepEqual(faultsOf(file(P1, `${BOM}${R1}`, P2, `${BOM}${R2}`)), ['error auto bom: lines 2 4']);
  });
});

describe('Joined lines', () => {
  it('are an error that is fixed', () => {
    assert.deepEqual(faultsOf(file(P1 + R1, P2 + R2)), ['error auto glued-lines: lines 1 2']);
    assert.deepEqual(faultsOf(file(P1, R1.slice(0, 40) + P2)).at(0), 'error auto glued-lines: lines 2');
  });

  it('are only told of if nothing but garbage follows a message, because Claude reads that message', () => {
    for (const garbage of [',', '}', 'garbage', '"quoted"', ' 12', '[1]', '{}', ' {"a":1}x', R2.slice(0, 40)]) {
      const bytes = file(P1, R1 + garbage, P2);
      assert.deepEqual(faultsOf(bytes), ['info tell glued-lines: lines 2'], garbage);
      assert.deepEqual(faultsOf(file(P1 + R1, R1 + garbage)).slice(0, 2), [
        'error auto glued-lines: lines 1',
        'info tell glued-lines: lines 2',
      ]);
    }
  });

  it('are an error if white space that is none for JSON stands before a message, because Claude does not read that message', () => {
    for (const space of ['\v', '\f', '\u00a0', '\u2028']) {
      assert.deepEqual(faultsOf(file(P1, space + R1, P2)), ['error auto glued-lines: lines 2'], JSON.stringify(space));
      assert.deepEqual(faultsOf(file(P1, R1 + space, P2)), ['info tell glued-lines: lines 2'], JSON.stringify(space));
    }
  });

  it('are an error if another message is in what follows, whatever is around it', () => {
    const otherStart = R2.replace('{', '{"x":1,');
    for (const rest of [
      `,${R2},`,
      ` garbage ${R2} garbage`,
      `${R2}}`,
      `[${R2}]`,
      ` x ${otherStart}`,
      `{}{"a":{}},${R2}x`,
    ]) {
      assert.equal(faultsOf(file(P1, R1 + rest)).at(0), 'error auto glued-lines: lines 2', rest);
    }
  });

  it('are an error in a large file if the client reads only lines of exactly one value', () => {
    const padding = JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(6 * 1024 * 1024) });
    for (const [behind, code] of [
      [',', 'glued-lines'],
      ['\0', 'nul-bytes'],
      ['\v', 'glued-lines'],
      ['\u00a0', 'glued-lines'],
      [BOM, 'glued-lines'],
    ] as const) {
      const index = scanBytes(file(padding, P1, `${R1}${behind}`, P2));
      const severities = ['2.1.330', '2.1.282', '2.1.281', '2.1.250'].map((version) =>
        findingsOf(loaded(index, diagnosticsFor(version))).map((each) => `${each.severity} ${each.code}`),
      );
      const [told, broken] = [[`info ${code}`], [`error ${code}`]];
      assert.deepEqual(severities, [told, told, broken, broken]);
    }
  });

  it('are an error in a large file behind a compaction that keeps messages, because it then keeps none', () => {
    const padding = JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(6 * 1024 * 1024) });
    const preservedMessages = { anchorUuid: uuidOf('r1'), uuids: [uuidOf('r1')] };
    const [keeping = '', plain = ''] = lines([boundary('b', null, { preservedMessages }), boundary('b', null)]);
    for (const behind of [',', '\0']) {
      const [broken, told] = [keeping, plain].map((row) =>
        faultsOf(file(padding, P1, R1, `${row}${behind}`, P2)).join(),
      );
      assert.match(broken ?? '', /error auto (glued-lines|nul-bytes): lines 4/);
      assert.match(told ?? '', /info tell (glued-lines|nul-bytes): lines 4/);
    }
  });

  it('are not reported as lost parents as well', () => {
    assert.deepEqual(faultsOf(file(P1, R1 + P2, R2)), ['error auto glued-lines: lines 2']);
  });
});

describe('A torn line', () => {
  it('is a warning in the middle of the file, and its children have lost their parent', () => {
    assert.deepEqual(faultsOf(file(P1, R1.slice(0, 40), P2)), [
      'error auto dangling-parent: lines 3, rows p2',
      'warning tell torn-line: lines 2',
    ]);
  });

  it('is a normal trace of a killed client at the end of the file', () => {
    const cut = Buffer.concat([file(P1, R1), Buffer.from(P2.slice(0, 40))]);
    assert.deepEqual(faultsOf(cut), ['info tell torn-line: lines 3']);
    assert.deepEqual(faultsOf(file(P1, R1, P2.slice(0, 40))), ['info tell torn-line: lines 3']);
  });

  it('is not a blank line', () => {
    assert.deepEqual(faultsOf(file(P1, '', ' \t', R1, '')), []);
  });
});

describe('A row of an unknown type', () => {
  it('is reported and kept', () => {
    assert.deepEqual(faultsOf(file(P1, '{"type":"novelty"}', R1, '{"type":"novelty"}')), [
      'info tell unknown-rows: lines 2 4',
    ]);
  });

  it('has none of the types that clients write', () => {
    for (const type of [
      'summary',
      'file-history-snapshot',
      'last-prompt',
      'custom-title',
      'artifact-anything',
      'mode',
    ]) {
      assert.deepEqual(faultsOf(file(P1, JSON.stringify({ type }), R1)), [], type);
    }
    assert.deepEqual(faultsOf(file(P1, '{"no":"type"}', R1)), []);
  });
});

describe('Findings', () => {
  it('are sorted, most severe first', () => {
    const severities = findingsOf(file(`${BOM}${P1}`, '\0', 'torn', P2)).map(({ severity }) => severity);
    assert.deepEqual(severities, ['error', 'warning', 'info', 'info']);
  });

  it('contain no text of messages', () => {
    const secret = 'a very private question';
    const rows = lines([prompt('p1', 'lost', { message: { content: secret } }), reply('r1', 'p1')]);
    const [row = ''] = rows;
    const texts = [`\0${row}`, row.slice(0, -4), row + row, `${BOM}${row}`, row, `{"type":"x","secret":"${secret}"}`];
    assert.doesNotMatch(JSON.stringify(findingsOf(file(...texts))), new RegExp(secret));
  });

  it('list at most 1,000 lines, and count all', () => {
    const rows = [prompt('p', null), ...Array.from({ length: 1200 }, (_, at) => prompt(`n${at}`, `lost${at}`))];
    const [lost] = findingsOf(file(...lines(rows)));
    assert.deepEqual([lost?.lines.length, lost?.uuids.length], [1000, 1000]);
    assert.match(lost?.message ?? '', /^In 1,200 places/);
    const [torn] = findingsOf(file(...Array<string>(1200).fill('torn'), P1));
    assert.equal(torn?.lines.length, 1000);
    assert.match(torn.message, /^1,200 lines/);
  });
});
