import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Splice, spliceChunks, splicedSize } from '../../rooms/storage';

const bytes = (text: string): Buffer => Buffer.from(text);
const text = (chunks: Iterable<Uint8Array>): string => Buffer.concat([...chunks]).toString();

/** Splices in order, made from gaps and lengths that fit into `size` bytes. */
function splicesIn(size: number): fc.Arbitrary<Splice[]> {
  const step = fc.record({ gap: fc.nat(5), length: fc.nat(5), bytes: fc.uint8Array({ maxLength: 6 }) });
  return fc.array(step, { maxLength: 12 }).map((steps) => {
    const splices: Splice[] = [];
    let at = 0;
    for (const { gap, length, bytes: replacement } of steps) {
      if (at + gap + length > size) break;
      splices.push({ offset: at + gap, length, bytes: replacement });
      at += gap + length;
    }
    return splices;
  });
}

function spliceNaively(content: Uint8Array, splices: readonly Splice[]): Buffer {
  return splices.reduceRight(
    (rest, { offset, length, bytes: replacement }) =>
      Buffer.concat([rest.subarray(0, offset), replacement, rest.subarray(offset + length)]),
    Buffer.from(content),
  );
}

function cut(content: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const borders = [0, ...cuts.map((at) => at % (content.length + 1)).sort((a, b) => a - b), content.length];
  return borders.slice(1).map((end, at) => content.subarray(borders[at], end));
}

describe('spliceChunks', () => {
  it('gives the same result as splicing the whole, however the bytes are split into chunks', () => {
    const input = fc
      .uint8Array({ maxLength: 60 })
      .chain((content) =>
        fc.tuple(fc.constant(content), splicesIn(content.length), fc.array(fc.nat(), { maxLength: 8 })),
      );
    fc.assert(
      fc.property(input, ([content, splices, cuts]) => {
        const spliced = Buffer.concat([...spliceChunks(cut(content, cuts), splices)]);
        assert.deepEqual(spliced, spliceNaively(content, splices));
        assert.equal(spliced.length, splicedSize(content.length, splices));
      }),
      { numRuns: 2000 },
    );
  });

  it('inserts at the start, at a chunk border and at the end', () => {
    const splices = [0, 3, 6].map((offset) => ({ offset, length: 0, bytes: bytes('|') }));
    assert.equal(text(spliceChunks([bytes('abc'), bytes('def')], splices)), '|abc|def|');
  });

  it('inserts into an empty file', () => {
    assert.equal(text(spliceChunks([], [{ offset: 0, length: 0, bytes: bytes('x') }])), 'x');
  });

  it('deletes across chunk borders', () => {
    assert.equal(
      text(spliceChunks([bytes('ab'), bytes('cd'), bytes('ef')], [{ offset: 1, length: 4, bytes: bytes('') }])),
      'af',
    );
  });

  it('yields a file without splices unchanged, chunk by chunk', () => {
    const chunks = [bytes('ab'), bytes('cd')];
    assert.deepEqual([...spliceChunks(chunks, [])], chunks);
  });

  it('does not read ahead of its consumer', () => {
    let read = 0;
    function* source(): Generator<Uint8Array> {
      for (; read < 100; read++) yield bytes('x');
    }
    const spliced = spliceChunks(source(), [{ offset: 50, length: 1, bytes: bytes('y') }]);
    spliced.next();
    assert.equal(read, 0);
  });

  it('throws when splices are out of order, overlap, or extend beyond the end', () => {
    const at = (offset: number, length: number): Splice => ({ offset, length, bytes: bytes('') });
    for (const splices of [
      [at(3, 0), at(2, 0)],
      [at(1, 3), at(3, 1)],
      [at(-1, 1)],
      [at(1, -1)],
      [at(0.5, 1)],
      [at(6, 1)],
      [at(7, 0)],
    ]) {
      assert.throws(() => text(spliceChunks([bytes('abc'), bytes('def')], splices)), RangeError);
    }
  });
});
