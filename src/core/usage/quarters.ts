/**
 * Times are kept as quarters of an hour since the epoch: every time zone's offset is a whole number of them, and has been for
 * longer than there are transcripts, so that the days of any zone are made of whole quarters. (A test looks at all zones that
 * the runtime knows.)
 */
export const QUARTER_MS = 15 * 60_000;

/** Stands for a time that is not known. */
export const NO_TIME = -(2 ** 31);

/** End of the year 9999: what a row says beyond is no time. */
const MAX_MS = Date.UTC(10_000, 0, 1);

/** `NO_TIME` for what is no time of the calendar: NaN, before 1970, beyond the year 9999. */
export function quarterOf(timeMs: number): number {
  return timeMs >= 0 && timeMs < MAX_MS ? Math.floor(timeMs / QUARTER_MS) : NO_TIME;
}
