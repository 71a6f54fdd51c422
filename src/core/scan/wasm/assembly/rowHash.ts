// The hash of a row's bytes, as src/core/scan/rowHash.ts computes it: sixteen lanes over blocks of 64 bytes, the last one
// filled up with zeros, folded into one number.

const BLOCK: usize = 64;
const FACTOR: i32 = 0x2c1b3c6d;

/** The last block of a row, filled up. */
const rest = memory.data(64, 16);

export function rowHash(at: usize, length: u32): u32 {
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  let c = i32x4.splat(0);
  let d = i32x4.splat(0);
  const end = at + ((<usize>length) & ~(BLOCK - 1));
  for (; at < end; at += BLOCK) {
    a = mixed(a, v128.load(at));
    b = mixed(b, v128.load(at, 16));
    c = mixed(c, v128.load(at, 32));
    d = mixed(d, v128.load(at, 48));
  }
  const left = (<usize>length) & (BLOCK - 1);
  if (left != 0) {
    memory.fill(rest, 0, BLOCK);
    memory.copy(rest, at, left);
    a = mixed(a, v128.load(rest));
    b = mixed(b, v128.load(rest, 16));
    c = mixed(c, v128.load(rest, 32));
    d = mixed(d, v128.load(rest, 48));
  }
  v128.store(rest, a);
  v128.store(rest, b, 16);
  v128.store(rest, c, 32);
  v128.store(rest, d, 48);
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
