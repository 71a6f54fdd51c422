import assert from 'node:assert/strict';
import { type LineSink, LineSplitter, type LongLine, MAX_HELD_BYTES } from '../../rooms/transcript';

class Recorder implements LineSink {
  readonly seen: string[] = [];

  line(bytes: Buffer, start: number, hasNewline: boolean): void {
    const text = bytes.length > 20 ? `${bytes.length} bytes` : bytes.toString('latin1');
    this.seen.push(`${start}: ${text}${hasNewline ? '' : ' (unfinished)'}`);
  }

  longLine({ row, length }: LongLine, start: number, hasNewline: boolean): void {
    this.seen.push(`${start}: ${length} bytes, ${row.kind}${hasNewline ? '' : ' (unfinished)'}`);
  }
}

function split(chunks: Iterable<Buffer>): { seen: string[]; bytes: number } {
  const recorder = new Recorder();
  const splitter = new LineSplitter(recorder);
  for (const chunk of chunks) splitter.push(chunk);
  return { bytes: splitter.end(), seen: recorder.seen };
}

/** Yields the same memory again and again, so that only what the splitter keeps grows. */
const PIECE = Buffer.alloc(4 * 1024 * 1024, 'x');

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}

describe('LineSplitter', () => {
  it('yields each line with the offset of its first byte', () => {
    const chunks = ['one\ntw', 'o\n', '\nfo', 'ur'].map((text) => Buffer.from(text));
    assert.deepEqual(split(chunks), { seen: ['0: one', '4: two', '8: ', '9: four (unfinished)'], bytes: 13 });
  });

  it('yields no line after the last newline', () => {
    assert.deepEqual(split([Buffer.from('one\n')]).seen, ['0: one']);
    assert.deepEqual(split([]).seen, []);
  });

  it('reports a line that is too long to be held, keeps little of its bytes, and continues after it', () => {
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const measured = function* (): Generator<Buffer> {
      yield Buffer.from('one\n{"a":"');
      yield* pieces(MAX_HELD_BYTES);
      for (const piece of pieces(4 * MAX_HELD_BYTES)) {
        yield piece;
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
      }
      yield Buffer.from('"}\nthree\n');
    };
    const length = 5 * MAX_HELD_BYTES + 8;
    const { seen, bytes } = split(measured());
    assert.deepEqual(seen, ['0: one', `4: ${length} bytes, row`, `${length + 5}: three`]);
    assert.equal(bytes, length + 11);
    assert.ok(peak < 1.5 * MAX_HELD_BYTES, `${peak} bytes are held`);
  });

  it('reports a long last line without a newline', () => {
    const start = Buffer.from('{"a":"');
    const chunks = [start, ...pieces(MAX_HELD_BYTES)];
    assert.deepEqual(split(chunks).seen, [`0: ${MAX_HELD_BYTES + start.length} bytes, torn (unfinished)`]);
  });

  it('reports a line that becomes too long with its last bytes', () => {
    const chunks = [...pieces(MAX_HELD_BYTES), Buffer.from('x\n')];
    assert.deepEqual(split(chunks).seen, [`0: ${MAX_HELD_BYTES + 1} bytes, unknown`]);
  });

  it('yields a line of exactly the maximum length', () => {
    const end = Buffer.from('\n');
    const chunks = function* (): Generator<Buffer> {
      yield* pieces(MAX_HELD_BYTES);
      yield end;
    };
    assert.deepEqual(split(chunks()).seen, [`0: ${MAX_HELD_BYTES} bytes`]);
  });
});
