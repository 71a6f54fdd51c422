// One growing heap. Released memory is kept in pieces of one segment and reused for columns, so that a table that doubles never
// leaves its previous copy behind.

/** Bytes of one segment: 32,768 four-byte numbers. A column of eight-byte numbers takes two segments at a time. */
export const SEGMENT_BYTES: u32 = 1 << 17;

const PAGE_BITS: u32 = 16;

let top: usize = (__heap_base + 63) & ~63;
/** The first free segment; each holds the address of the next. */
let freeSegments: usize = 0;

/** Memory for the lifetime of the instance, aligned to 64 bytes. Traps if the 4 GiB are used up. */
export function allocate(bytes: usize): usize {
  const at = top;
  top += (bytes + 63) & ~63;
  const pages = <i32>((top - 1) >> PAGE_BITS) + 1 - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  return at;
}

/**
 * Makes a block from `allocate` longer where it is; false if something was allocated after it. The caller must have allocated
 * `bytes`, and gets `more` bytes behind them.
 */
export function extend(at: usize, bytes: usize, more: usize): bool {
  if (at + ((bytes + 63) & ~63) != top) return false;
  top = at;
  allocate(bytes + more);
  return true;
}

export function allocateSegment(): usize {
  if (freeSegments == 0) return allocate(SEGMENT_BYTES);
  const at = freeSegments;
  freeSegments = load<usize>(at);
  return at;
}

/** Releases a block from `allocate`; a rest smaller than a segment is lost. */
export function release(at: usize, bytes: usize): void {
  for (; bytes >= SEGMENT_BYTES; bytes -= SEGMENT_BYTES) {
    store<usize>(at, freeSegments);
    freeSegments = at;
    at += SEGMENT_BYTES;
  }
}

/** Bytes of a block at first. */
const FIRST_BYTES: usize = 1 << 16;

/** Memory that grows without keeping its contents. */
@unmanaged
export class Block {
  at: usize;
  bytes: usize;

  makeRoom(bytes: usize): void {
    if (bytes <= this.bytes) return;
    release(this.at, this.bytes);
    this.bytes = max(this.bytes, FIRST_BYTES);
    while (this.bytes < bytes) this.bytes <<= 1;
    this.at = allocate(this.bytes);
  }
}

export function createBlock(): Block {
  const block = changetype<Block>(allocate(offsetof<Block>()));
  block.at = 0;
  block.bytes = 0;
  return block;
}

/** Total bytes of the heap that were ever allocated. */
export function heapBytes(): usize {
  return top;
}
