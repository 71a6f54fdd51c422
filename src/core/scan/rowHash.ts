const BLOCK = 128;
const FACTOR = 0x2c1b3c6d;

/**
 * A hash of `length` bytes, 32 bits wide: 32 lanes over blocks of 128 bytes, the last one ends with the
 * row and overlaps the one before it; a row of less is filled up with zeros. Made so
 * that a vector unit computes it at the speed it reads; wasm/assembly/rowHash.ts is its twin.
 */
export function rowHash(bytes: Uint8Array, start: number, end: number): number {
  const lanes = new Int32Array(BLOCK / 4);
  const length = end - start;
  if (length < BLOCK) {
    const filled = new Uint8Array(BLOCK);
    filled.set(bytes.subarray(start, end));
    mixBlock(lanes, new DataView(filled.buffer), 0);
  } else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = start; at < end - BLOCK; at += BLOCK) mixBlock(lanes, view, at);
    mixBlock(lanes, view, end - BLOCK);
  }
  let hash = length;
  for (const lane of lanes) {
    hash = Math.imul(hash ^ lane, FACTOR);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

function mixBlock(lanes: Int32Array, view: DataView, at: number): void {
  for (let lane = 0; lane < lanes.length; lane++) {
    const product = Math.imul((lanes[lane] ?? 0) ^ view.getInt32(at + lane * 4, true), FACTOR);
    lanes[lane] = product ^ (product >>> 15);
  }
}
