// The hash of a row's bytes, as src/core/transcript/lineReader.ts computes it: 32 lanes over blocks of 128 bytes, the last one
// overlapping the one before it, folded into one number.

const BLOCK: usize = 128;
const FACTOR: i32 = 0x2c1b3c6d;

/** A row shorter than a block, padded with zeros; after that, the lanes. */
const rest = memory.data(128, 16);

export function rowHash(at: usize, length: u32): u32 {
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  let c = i32x4.splat(0);
  let d = i32x4.splat(0);
  let e = i32x4.splat(0);
  let f = i32x4.splat(0);
  let g = i32x4.splat(0);
  let h = i32x4.splat(0);
  // The last block ends with the row and overlaps the one before it. A row shorter than a block is padded.
  let last = at + length - BLOCK;
  if (<usize>length < BLOCK) {
    memory.fill(rest, 0, BLOCK);
    memory.copy(rest, at, length);
    last = at = rest;
  }
  while (true) {
    a = mixed(a, v128.load(at));
    b = mixed(b, v128.load(at, 16));
    c = mixed(c, v128.load(at, 32));
    d = mixed(d, v128.load(at, 48));
    e = mixed(e, v128.load(at, 64));
    f = mixed(f, v128.load(at, 80));
    g = mixed(g, v128.load(at, 96));
    h = mixed(h, v128.load(at, 112));
    if (at == last) break;
    at += BLOCK;
    if (at > last) at = last;
  }
  v128.store(rest, a);
  v128.store(rest, b, 16);
  v128.store(rest, c, 32);
  v128.store(rest, d, 48);
  v128.store(rest, e, 64);
  v128.store(rest, f, 80);
  v128.store(rest, g, 96);
  v128.store(rest, h, 112);
  let hash = length;
  for (let lane: usize = 0; lane < BLOCK; lane += 4) {
    hash = (hash ^ load<u32>(rest + lane)) * <u32>FACTOR;
    hash ^= hash >> 15;
  }
  return hash;
}

function mixed(lanes: v128, bytes: v128): v128 {
  const product = i32x4.mul(v128.xor(lanes, bytes), i32x4.splat(FACTOR));
  return v128.xor(product, i32x4.shr_u(product, 15));
}
