import { clearColumn, createColumn, get, lengthOf, push } from './columns';
import { allocate } from './memory';

// Names of models, numbered 0, 1, 2 … A transcript contains only a few.

const BLOCK_BYTES: usize = 1 << 16;

/** Address and length of each name, in JSON form without its quotes. */
export const modelNames = createColumn();

const firstBlock = allocate(BLOCK_BYTES);
let block: usize = firstBlock;
let used: usize = 0;

export function clearModels(): void {
  clearColumn(modelNames);
  block = firstBlock;
  used = 0;
}

/** The name may have up to 1,000 bytes. */
export function internModel(at: usize, length: u32): i32 {
  for (let index: u32 = 0, end = lengthOf(modelNames); index < end; index += 2) {
    if (get(modelNames, index + 1) == length && memory.compare(get(modelNames, index), at, length) == 0) {
      return <i32>(index >> 1);
    }
  }
  if (used + length > BLOCK_BYTES) {
    block = allocate(BLOCK_BYTES);
    used = 0;
  }
  memory.copy(block + used, at, length);
  push(modelNames, <u32>(block + used));
  push(modelNames, length);
  used += length;
  return <i32>(lengthOf(modelNames) >> 1) - 1;
}
