import { allocate, release } from './memory';

// The hash slots of a table: number + 1, or 0 if the slot is free.

/** Initial number of slots of a table, as a power of two. */
const FIRST_BITS: u32 = 12;

@unmanaged
export class Slots {
  at: usize;
  /** Number of slots in use; a power of two. */
  size: u32;
  /** Number of slots that fit in the block at `at`. */
  capacity: u32;

  /** Whether `count` entries fill three quarters of the slots or more. */
  isFull(count: u32): bool {
    return <u64>count * 4 >= <u64>this.size * 3;
  }

  clear(): void {
    this.size = 1 << FIRST_BITS;
    if (this.capacity < this.size) this.reallocate(this.size);
    memory.fill(this.at, 0, (<usize>this.size) << 2);
  }

  /** Doubles the number of slots. All slots are free afterwards. */
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
