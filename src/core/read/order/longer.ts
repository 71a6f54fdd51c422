import { NO_ID } from '../../scan/idTable';

/** The numbers, with `NO_ID` behind them up to the length. */
export function longer(numbers: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(length).fill(NO_ID, numbers.length);
  copy.set(numbers);
  return copy;
}
