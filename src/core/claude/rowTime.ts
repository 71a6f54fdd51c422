const DATE_TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;
/** Every month has as many days. */
const SHORTEST_MONTH = 28;

/**
 * Milliseconds since the epoch of a date and time as ISO 8601 writes them, with `Z` or an offset; NaN for all else.
 * `Date.parse` alone takes `1` for a year, the 30th of February for a day in March, and what names no zone for the
 * machine's.
 */
export function readTime(value: unknown): number {
  const match = typeof value === 'string' ? DATE_TIME.exec(value) : null;
  if (match === null) return NaN;
  const [text, date = '', day] = match;
  return Number(day) <= SHORTEST_MONTH || isInCalendar(date) ? Date.parse(text) : NaN;
}

function isInCalendar(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}
