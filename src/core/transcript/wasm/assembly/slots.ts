import { allocate, release } from './memory';

// The hash slots of a table: numbers + 1, 0 where a slot is free.

/** Slots a table starts with, as a power of two. */
const FIRST_BITS: u32 = 12;

@unmanaged
export class Slots {
  at: usize;
  /** Slots in use; a power of two. */
  size: u32;
  /** Slots that the block at `at` has room for. */
  capacity: u32;

  /** A table may be three quarters full. */
  isFull(count: u32): bool {
    return <u64>count * 4 >= <u64>this.size * 3;
  }

  clear(): void {
    this.size = 1 << FIRST_BITS;
    if (this.capacity < this.size) this.reallocate(this.size);
    memory.fill(this.at, 0, (<usize>this.size) << 2);
  }

  /** All slots are free afterwards. */
  double(): void {
    this.size <<= 1;
    if (this.capacity < this.size) this.reallocate(this.size);
    memory.fill(this.at, 0, (<usize>this.size) << 2);
  }

  private reallocate(capacity: u32): void {
    release(this.at, (<usize>this.capacity) << 2);
    this.at = allocate((<usize>capacity) << 2);
    this.capacity = capacity;
  }
}

export function createSlots(): Slots {
  const slots = changetype<Slots>(allocate(offsetof<Slots>()));
  slots.at = 0;
  slots.size = 0;
  slots.capacity = 0;
  return slots;
}
