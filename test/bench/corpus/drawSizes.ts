import type { Chance } from './chance';

/** The distribution of real sessions: half of them under 300 KB, one in ten over 3 MB, a few over 50 MB. */
const MEDIAN_BYTES = 173_000;
const SPREAD = 1.8;
const SMALLEST_BYTES = 10_000;
/** The largest session, and the second largest, as fractions of the whole corpus. */
const LARGEST_SHARE = 0.049;
const SECOND_SHARE = 0.041;
const ROUNDS = 12;

/** Sizes of `files` sessions that add up to about `totalBytes`. */
export function drawSizes(chance: Chance, files: number, totalBytes: number): number[] {
  const largest = totalBytes * LARGEST_SHARE;
  const smallest = Math.min(SMALLEST_BYTES, totalBytes / files / 4);
  if (files < 1 / LARGEST_SHARE) return Array.from({ length: files }, () => Math.round(totalBytes / files));
  let sizes = Array.from({ length: files }, () => chance.around(MEDIAN_BYTES, SPREAD, 1, Number.MAX_SAFE_INTEGER));
  for (let round = 0; round < ROUNDS; round++) {
    const factor = totalBytes / sizes.reduce((sum, size) => sum + size, 0);
    sizes = sizes.map((size) => Math.max(smallest, Math.min(largest, size * factor)));
    sizes[0] = largest;
    sizes[1] = totalBytes * SECOND_SHARE;
  }
  return sizes.map((size) => Math.round(size));
}
