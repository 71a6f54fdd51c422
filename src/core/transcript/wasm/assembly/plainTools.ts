import { get, lengthOf } from './columns';
import { toolColumn, toolStartColumn } from './rows';

// The calls and results of a row: entries of the tool column from `firstTool` up to `endOfTools`.

export function firstTool(row: u32): u32 {
  return lengthOf(toolStartColumn) == 0 ? 0 : get(toolStartColumn, row);
}

export function endOfTools(row: u32): u32 {
  return row + 1 < lengthOf(toolStartColumn) ? get(toolStartColumn, row + 1) : lengthOf(toolColumn);
}

export function keyOf(tool: u32): u32 {
  return get(toolColumn, tool) >> 1;
}

export function isResult(tool: u32): bool {
  return (get(toolColumn, tool) & 1) != 0;
}
