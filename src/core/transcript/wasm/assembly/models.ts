import { clearColumn, createColumn, get, lengthOf, push } from './columns';
import { isSame } from './latest';
import { allocate } from './memory';

// Names of models, numbered 0, 1, 2 … A transcript contains only a few.

const BLOCK_BYTES: usize = 1 << 16;

/** Address and length of each name, in JSON form without its quotes. */
export const modelNames = createColumn();

const firstBlock = allocate(BLOCK_BYTES + 8);
/** The number that was returned last: most rows name the model of the row before. */
let last: u32 = 0;
let block: usize = firstBlock;
let used: usize = 0;

export function clearModels(): void {
  clearColumn(modelNames);
  block = firstBlock;
  used = 0;
  last = 0;
}

/** The name may have up to 1,000 bytes. */
export function internModel(at: usize, length: u32): i32 {
  const end = lengthOf(modelNames) >> 1;
  if (last < end && isName(last, at, length)) return <i32>last;
  for (let model: u32 = 0; model < end; model++) {
    if (!isName(model, at, length)) continue;
    last = model;
    return <i32>model;
  }
  if (used + length > BLOCK_BYTES) {
    block = allocate(BLOCK_BYTES + 8);
    used = 0;
  }
  memory.copy(block + used, at, length);
  push(modelNames, <u32>(block + used));
  push(modelNames, length);
  used += length;
  last = end;
  return <i32>end;
}

function isName(model: u32, at: usize, length: u32): bool {
  return get(modelNames, (model << 1) + 1) == length && isSame(get(modelNames, model << 1), at, length);
}
