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

/** Total bytes of the heap that were ever allocated. */
export function heapBytes(): usize {
  return top;
}
