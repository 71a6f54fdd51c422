/** `1-100`, or a single number, as the seeds from the first to the last. */
export function parseSeeds(text: string): number[] {
  const [from = Number.NaN, to = from] = text.split('-').map(Number);
  if (!Number.isInteger(from) || !Number.isInteger(to) || to < from) {
    throw new RangeError(`Not a range of seeds: ${text}`);
  }
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
