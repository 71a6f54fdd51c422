const BLOCK = 64;
const FACTOR = 0x2c1b3c6d;

/**
 * A hash of `length` bytes, 32 bits wide: sixteen lanes over blocks of 64 bytes, the last one filled up with zeros. Made so
 * that a vector unit computes it at the speed it reads; wasm/assembly/rowHash.ts is its twin.
 */
export function rowHash(bytes: Uint8Array, start: number, end: number): number {
  const lanes = new Int32Array(BLOCK / 4);
  const whole = start + Math.floor((end - start) / BLOCK) * BLOCK;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = start; at < whole; at += BLOCK) mixBlock(lanes, view, at);
  if (whole < end) {
    const rest = new Uint8Array(BLOCK);
    rest.set(bytes.subarray(whole, end));
    mixBlock(lanes, new DataView(rest.buffer), 0);
  }
  let hash = end - start;
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
